import { axisWord } from "../core/axes";
import type { Levels } from "../core/cost";
import type { Estimate } from "../core/estimate";
import { numberText } from "./print/rows";
import { quantity } from "./row";
import type { RunPlan } from "../core/plan";
import type { RunSequence } from "../core/plan/sequence";
import { count, decimal, plural } from "./numbers";
import { code, columnHead, escape, table } from "./print/markdown";

const MOST_RANKED = 8;

/** What to run next, and why, as a readable document. */
export function planDocument(name: string, plan: RunPlan): string {
  const heads = [...plan.axes.map(columnHead), `cost added, ${plan.unit}`];
  const cells = (levels: RunPlan["runs"][number]["levels"], cost: number) => [
    ...plan.axes.map((axis) => count(levels[axis] ?? NaN)),
    count(cost),
  ];
  const neverVaried = plan.notes.some(({ code }) => code === "plan.never-varied");
  const design = neverVaried
    ? `${plural(plan.runs.length, "run")}, **${escape(plan.design)}**`
    : `A **${escape(plan.design)}** design of ${plural(plan.runs.length, "run")}`;
  const worth = plan.regret
    ? `By the draws of the present fit, the split chosen now is expected to lose ${decimal(plan.regret.now, 2)} points against the best one; after these runs ${decimal(plan.regret.after, 2)}.`
    : neverVaried
      ? "What the best split is, is not known before these runs."
      : "Nothing is fitted yet, so the value of single runs cannot be told: this is the design that recovers the order of the axes most often.";
  return `${[
    `# Next runs for ${escape(name)}`,
    plan.stop === null ? "" : `**${escape(plan.stop)}** The design stands for those who want to know all the same.`,
    `${design}, ${count(plan.cost)} ${plan.unit} in all; tasks and environments are paid for once. ${worth}`,
    ...plan.coScaledBefore.map(
      (tied) =>
        `So far ${escape(tied.axis)} moved together with ${tied.with.map(escape).join(" and ")}; these runs take them apart.`,
    ),
    table(
      ["run", ...heads],
      plan.runs.map((run, i) => [String(i + 1), ...cells(run.levels, run.added)]),
    ),
    plan.ranked.length > 0
      ? `## If only a few runs can be had\n\nSingle runs, the largest expected drop in regret for their cost first:\n\n${table(
          ["drop, points", ...heads],
          plan.ranked.slice(0, MOST_RANKED).map((run) => [decimal(run.drop, 3), ...cells(run.levels, run.added)]),
        )}`
      : "",
    plan.notes.length > 0 ? `## Notes\n\n${plan.notes.map((note) => `- ${escape(note.message)}`).join("\n")}` : "",
    "“Scaling Lens: Write next runs as configs”, or `scaling-lens plan CONFIG --write FOLDER`, makes files of the best ones.",
    "A small factorial recovers the order of the exponents in 85 % of simulated repeats; sweeps of one axis at a time in 68 %; runs along the compute frontier in 23 %.",
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

/** Runs that were written, best first, with what each adds to the bill. */
export function sequenceDocument(
  { runs, cost, unit, regret, stop }: RunSequence,
  files: readonly {
    readonly name: string;
    readonly config: string;
    readonly levels: Levels;
    readonly facts: readonly string[];
    readonly gpuHours: Estimate | null;
  }[],
  shown: (uri: string) => string,
): string {
  const axes = [...new Set(files.flatMap(({ levels }) => Object.keys(levels)))].filter((axis) => axis !== "parameters");
  const hours = files.some(({ gpuHours }) => gpuHours !== null);
  const rows = files.map(({ config, levels, gpuHours }, i) => [
    code(shown(config)),
    ...axes.map((axis) => count(levels[axis as keyof Levels] ?? NaN)),
    ...(hours ? [gpuHours ? numberText(quantity(gpuHours, "count")) : "unknown"] : []),
    count(runs[i].added),
    runs[i].drop === null ? "—" : decimal(runs[i].drop, 2),
  ]);
  const byHand = files.filter(({ facts }) => facts.length > 0);
  const said = regret
    ? `The split chosen now is expected to lose ${decimal(regret.now, 2)} points; after these runs ${decimal(regret.after, 2)}.`
    : "";
  return `${[
    `# ${files.length === 0 ? "No run is written" : `${plural(files.length, "run")}, ${count(cost)} ${unit} in all`}`,
    said,
    files.length === 0
      ? ""
      : table(
          [
            "config",
            ...axes.map(columnHead),
            ...(hours ? ["GPU-hours (80 %)"] : []),
            `cost added, ${unit}`,
            "drop, points",
          ],
          rows,
        ),
    hours
      ? "GPU-hours are those of the run by itself, as `inspect` gives them. What it adds to the cost takes a rollout at the price of the present config, and data once."
      : "",
    stop ? escape(stop) : "",
    files.length === 0 ? "" : "Logs that a run writes into its folder need no facts: `run.json` there states them.",
    byHand.length === 0
      ? ""
      : [
          "**Before you launch, by hand.** These configs cannot say all of the plan; make the data so, or the run is another one:",
          "",
          ...byHand.map(
            ({ config, levels, facts }) =>
              `- ${code(shown(config))}: ${facts.map((axis) => `${escape(axisWord(axis))} ${count(levels[axis as keyof Levels] ?? NaN)}`).join(", ")}`,
          ),
          "",
          "The fit will take these amounts from `run.json` and a rule in scaling.yaml: change both where the run is launched with others.",
        ].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
