import { isPredicted, type ExperimentAssessment } from "../assessment/types";
import { isKnown, type Fact } from "../budget/budget";
import { count } from "../core/numbers";
import { dataCost } from "./costLine";
import { headline } from "./headline";
import type { Finding } from "./print/sarif";
import { caveat, item, quantity, say, type Line, type Section } from "./row";

/** One experiment of a review, beside what it was before the change. */
export interface Reviewed {
  readonly file: string;
  readonly now: ExperimentAssessment;
  /** Null for a new one; undefined where nothing was compared. */
  readonly before: ExperimentAssessment | null | undefined;
  /** Points of success against before, the draws shared; null where unknown. */
  readonly difference: { readonly estimate: number; readonly low: number; readonly high: number } | null;
}

/** The changes of some configs for the people who review them. */
export function review(
  reviewed: readonly Reviewed[],
  gone: readonly string[],
  findings: readonly Finding[],
  unjudged: readonly { readonly file: string; readonly experiment: string; readonly reason: string }[],
  caveats: readonly string[],
): readonly Section[] {
  const compared = reviewed.some(({ before }) => before !== undefined);
  const shown = compared ? reviewed.filter((one) => changesOf(one).length > 0) : reviewed;
  const quiet = reviewed.length - shown.length;
  return [
    {
      title: ["Training budgets"],
      level: 2,
      rows: [
        ...caveats.map((text) => caveat(text)),
        ...(shown.length > 0
          ? [
              {
                kind: "table" as const,
                head: [
                  ["config"],
                  ["success (95 %)"],
                  ["cost (80 %)"],
                  ["verdict"],
                  ...(compared ? [["what changed"]] : []),
                ],
                rows: shown.map((one) => [
                  [{ code: one.file }, one.now.budget.name === "" ? "" : ` ${one.now.budget.name}`],
                  success(one),
                  cost(one),
                  [headline(one.now)],
                  ...(compared ? [[changesOf(one).join("; ")]] : []),
                ]),
              },
            ]
          : [say(reviewed.length === 0 ? "No experiment was recognised." : "No experiment changed its budget.")]),
        ...(quiet > 0 && shown.length > 0 ? [say(`${count(quiet)} more without a change.`)] : []),
        ...gone.map((file) => item({ code: file }, " holds no experiment any more.")),
      ],
    },
    ...(findings.length > 0
      ? [
          {
            title: ["Findings"],
            level: 3 as const,
            rows: findings.map(({ file, line, code, message }) =>
              item({ code: `${file}:${line}` }, " ", message, " (", { code }, ")"),
            ),
          },
        ]
      : []),
    ...(unjudged.length > 0
      ? [
          {
            title: ["Not judged"],
            level: 3 as const,
            folded: true,
            rows: unjudged.map(({ file, experiment, reason }) =>
              item({ code: file }, experiment === "" ? ": " : ` ${experiment}: `, reason),
            ),
          },
        ]
      : []),
  ];
}

function success({ now: { prediction }, before, difference }: Reviewed): Line {
  if (!isPredicted(prediction)) return [{ unknown: "" }];
  const was = before && isPredicted(before.prediction) ? before.prediction.successRate : null;
  return [
    quantity(prediction.successRate, "percent"),
    ...(was === null ? [] : [" (was ", quantity(was, "percent"), ")"]),
    ...(difference === null || was === null ? [] : [", ", quantity(difference, "points")]),
  ];
}

/** The dearest thing that is known of the run: money, else GPU-hours, else FLOPs, else tokens. */
function cost({ now, before }: Reviewed): Line {
  const { costs, cost: view } = now;
  const intervals =
    view.kind === "unknown"
      ? {}
      : {
          usd: view.kind === "run" ? view.cost.usd : view.usd,
          gpuHours: view.kind === "run" ? view.cost.gpuHours : null,
        };
  const kinds = [
    ["usd", "USD"],
    ["gpuHours", "GPU-hours"],
    ["compute", "FLOPs"],
    ["tokens", "tokens"],
  ] as const;
  for (const [kind, unit] of kinds) {
    const fact: Fact<number> = costs[kind];
    if (!isKnown(fact)) continue;
    const was = before?.costs[kind];
    const change = was && isKnown(was) && count(was.value) !== count(fact.value) ? ` (was ${count(was.value)})` : "";
    const interval = kind === "usd" || kind === "gpuHours" ? intervals[kind] : null;
    const data = kind === "usd" ? dataCost(now) : 0;
    const also: Line = data > 0 ? [" for GPUs, ", { n: data, as: "count", unit: "USD" }, " for data"] : [];
    return [interval ? quantity(interval, "count", { unit }) : { n: fact.value, as: "count", unit }, change, ...also];
  }
  return [{ unknown: "" }];
}

/** What a person changed, in the words of the budget: `tasks 2,000 → 741`. */
function changesOf({ now, before }: Reviewed): string[] {
  if (before === null) return ["new"];
  if (before === undefined) return [];
  const shown = (fact: Fact<number | string>): string =>
    isKnown(fact) ? (typeof fact.value === "number" ? count(fact.value) : fact.value) : "unknown";
  const pairs: readonly (readonly [string, Fact<number | string>, Fact<number | string>])[] = [
    ["model", before.budget.model.name, now.budget.model.name],
    ["algorithm", before.budget.algorithm, now.budget.algorithm],
    ["tasks", before.budget.axes.tasks, now.budget.axes.tasks],
    ["environments", before.budget.axes.environments, now.budget.axes.environments],
    ["rollouts per task", before.budget.axes.trajectories, now.budget.axes.trajectories],
    ["group size", before.budget.groupSize, now.budget.groupSize],
    ["prompts per step", before.budget.promptsPerStep, now.budget.promptsPerStep],
    ["steps", before.budget.steps, now.budget.steps],
    ["epochs", before.budget.epochs, now.budget.epochs],
    ["tokens per rollout", before.budget.tokensPerTrajectory, now.budget.tokensPerTrajectory],
    ["GPUs", before.budget.gpus, now.budget.gpus],
  ];
  return pairs.flatMap(([name, was, is]) => (shown(was) === shown(is) ? [] : [`${name} ${shown(was)} → ${shown(is)}`]));
}
