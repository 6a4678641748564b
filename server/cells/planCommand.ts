import type { Span } from "../syntax/text";
import { count, decimal, list, plural } from "../core/numbers";
import { planFor } from "../operations/plan";
import { chosen, judged } from "./experiments";
import { markdownTable, plain } from "../report/print/cells";
import { QueryFailure, type CommandInput, type Part } from "./types";

const MOST_RANKED = 8;

/** The runs that would settle an experiment's allocation, as a design and one by one. */
export async function planCommand(input: CommandInput, place: Span | undefined): Promise<Part[]> {
  const { query, context } = input;
  if (!query.plan) return [];
  const { budget, experiment, runs } = query.plan;
  const fit = await input.fit();
  const { experiments } = await judged(budget, fit, context, {}, place);
  const found = chosen(experiments, experiment, budget, place);
  const planned = planFor(found, context.scaling?.file ?? null, runs === undefined ? {} : { runs });
  if (!planned.ok) throw new QueryFailure(`No plan: ${planned.problem.message}`, place);
  const { axes, design, regret, ranked, stop, unit, notes, coScaledBefore, runs: all, cost } = planned.value;
  const heads = [...axes, `cost added, ${unit}`];
  const cells = (levels: (typeof all)[number]["levels"], price: number): string[] => [
    ...axes.map((axis) => count(levels[axis] ?? NaN)),
    count(price),
  ];
  const right = heads.map((_, i) => i + 1);
  const worth = regret
    ? ` Expected regret of the allocation: ${decimal(regret.now, 2)} points now, ${decimal(regret.after, 2)} after them.`
    : "";
  const text = `${found.budget.name}: a ${design} design of ${plural(all.length, "run")}, ${count(cost)} ${unit} in all.${worth}${stop === null ? "" : ` ${stop}`}`;
  return [
    {
      kind: "table",
      text,
      markdown: [
        plain(text),
        ...coScaledBefore.map((tied) =>
          plain(`So far ${tied.axis} moved together with ${list(tied.with)}; these runs take them apart.`),
        ),
        markdownTable(
          ["run", ...heads],
          all.map((run, i) => [String(i + 1), ...cells(run.levels, run.added)]),
          right,
        ),
        ...(ranked.length > 0
          ? [
              "Single runs by expected drop in regret for their cost:",
              markdownTable(
                ["", ...heads, "drop, points"],
                ranked
                  .slice(0, MOST_RANKED)
                  .map((run, i) => [String(i + 1), ...cells(run.levels, run.added), decimal(run.drop, 3)]),
                [...right, heads.length + 1],
              ),
            ]
          : []),
        ...(notes.length > 0 ? [notes.map(({ message }) => `- ${plain(message)}`).join("\n")] : []),
      ].join("\n\n"),
    },
  ];
}
