import type { RunPlan } from "../core/plan";
import { count, decimal } from "./numbers";
import { columnHead, escape, table } from "./print/markdown";

const MOST_RANKED = 8;

/** What to run next, and why, as a readable document. */
export function planDocument(name: string, plan: RunPlan): string {
  const heads = [...plan.axes.map(columnHead), `cost, ${plan.unit}`];
  const cells = (levels: RunPlan["runs"][number]["levels"], cost: number) => [
    ...plan.axes.map((axis) => count(levels[axis] ?? NaN)),
    count(cost),
  ];
  const neverVaried = plan.notes.some(({ code }) => code === "plan.never-varied");
  const design = neverVaried
    ? `${count(plan.runs.length)} runs, **${escape(plan.design)}**`
    : `A **${escape(plan.design)}** design of ${count(plan.runs.length)} runs`;
  const worth = plan.regret
    ? `By the draws of the present fit, the split chosen now is expected to lose ${decimal(plan.regret.now, 2)} points against the best one; after these runs ${decimal(plan.regret.after, 2)}.`
    : neverVaried
      ? "What the best split is, is not known before these runs."
      : "Nothing is fitted yet, so the value of single runs cannot be told: this is the design that recovers the order of the axes most often.";
  return `${[
    `# Next runs for ${escape(name)}`,
    `${design}, ${count(plan.cost)} ${plan.unit} in all. ${worth}`,
    ...plan.coScaledBefore.map(
      (tied) =>
        `So far ${escape(tied.axis)} moved together with ${tied.with.map(escape).join(" and ")}; these runs take them apart.`,
    ),
    table(
      ["run", ...heads],
      plan.runs.map((run, i) => [String(i + 1), ...cells(run.levels, run.cost)]),
    ),
    plan.ranked.length > 0
      ? `## If only a few runs can be had\n\nSingle runs, the largest expected drop in regret for their cost first:\n\n${table(
          ["drop, points", ...heads],
          plan.ranked.slice(0, MOST_RANKED).map((run) => [decimal(run.drop, 3), ...cells(run.levels, run.cost)]),
        )}`
      : "",
    plan.notes.length > 0 ? `## Notes\n\n${plan.notes.map((note) => `- ${escape(note.message)}`).join("\n")}` : "",
    "A small factorial recovers the order of the exponents in 85 % of simulated repeats; sweeps of one axis at a time in 68 %; runs along the compute frontier in 23 %.",
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
