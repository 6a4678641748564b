import { count, decimal } from "../core/numbers";
import type { RolloutMeasure } from "../rollouts/types";
import { markdownTable, plain } from "./print/cells";

const MOST_NAMES = 20;
const MOST_NOTES = 100;

/** What a set of rollouts holds, as a readable document. Its first line is a sentence by itself. */
export function measureReport(measure: RolloutMeasure): string {
  const said = (value: number | null, key: keyof RolloutMeasure["reasons"], show: (value: number) => string = count) =>
    value === null ? `unknown: ${measure.reasons[key] ?? "the rows do not say"}` : show(value);
  const share = (value: number) => `${decimal(100 * value, 1)} %`;
  const rows = [
    ["Rollouts", count(measure.rollouts), "rows with a trajectory or a reward"],
    [
      "Tasks, D_T",
      said(measure.tasks, "tasks"),
      `repeats: ${measure.duplicates.rule}, distance ≤ ${measure.duplicates.threshold}; ${count(measure.duplicates.pairs)} pairs${measure.duplicates.complete ? "" : ", search cut short"}${measure.duplicates.exact ? "" : ", approximate"}`,
    ],
    ["Environments, D_E", said(measure.environments, "environments"), "distinct (world, structure) pairs [inferred]"],
    ["Worlds, D_W", said(measure.worlds, "worlds"), "repositories, corpora, apps, sites"],
    ["Structures, D_V", said(measure.structures, "structures"), "tool interface, state schema, verifier"],
    ["Covered cells", said(measure.coveredCells, "coveredCells"), "task × environment pairs with a rollout"],
    ["Coverage", said(measure.coverage, "coverage", share), "covered cells of all pairs"],
    [
      "Rollouts per cell, D_τ",
      said(measure.trajectories, "trajectories", (value) => decimal(value, 2)),
      "mean over covered cells",
    ],
    [
      "Reward density, D_R",
      said(measure.rewardDensity, "rewardDensity", (value) => decimal(value, 3)),
      "graded steps of all, at the first training step",
    ],
  ];
  const parts = [
    headline(measure),
    markdownTable(["", "amount", "how"], rows),
    synthesisPart(measure),
    passPart(measure),
    namesPart("Never solved", measure.neverSolved),
    namesPart("Always solved", measure.alwaysSolved),
    measure.notes.length > 0
      ? `## Notes\n\n${measure.notes
          .slice(0, MOST_NOTES)
          .map(
            (note) =>
              `- ${plain(note.message)}${note.file ? ` (${plain(shortName(note.file))}${note.line ? `:${note.line}` : ""})` : ""}`,
          )
          .join("\n")}`
      : "",
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function headline(measure: RolloutMeasure): string {
  const amounts = [
    ...(measure.tasks === null ? [] : [`${count(measure.tasks)} tasks`]),
    ...(measure.environments === null ? [] : [`${count(measure.environments)} environments`]),
  ];
  return `# ${count(measure.rollouts)} rollouts${amounts.length > 0 ? ` of ${amounts.join(" in ")}` : ""}`;
}

function synthesisPart({ synthesis }: RolloutMeasure): string {
  const rows = Object.entries(synthesis).flatMap(([axis, part]) =>
    part
      ? [
          [
            axis,
            count(part.real),
            count(part.synthetic),
            part.real > 0 ? decimal(part.synthetic / part.real, 2) : "all synthetic",
            Object.entries(part.methods)
              .map(([method, n]) => `${method}: ${count(n)}`)
              .join(", "),
          ],
        ]
      : [],
  );
  return rows.length === 0
    ? ""
    : `## Synthetic data\n\n${markdownTable(["axis", "real", "synthetic", "synthetic : real", "methods"], rows)}`;
}

function passPart({ passRates, reasons }: RolloutMeasure): string {
  if (!passRates) return reasons.passRates ? `## Pass rates\n\nUnknown: ${plain(reasons.passRates)}.` : "";
  const without =
    passRates.shareWithoutSignal === null
      ? ""
      : `${count(passRates.withoutSignal)} of ${count(passRates.groups)} groups (${decimal(100 * passRates.shareWithoutSignal, 1)} %) carry no signal: all their rollouts earned the same.`;
  const size =
    passRates.meanGroupSize === null ? "" : ` Groups hold ${decimal(passRates.meanGroupSize, 1)} rollouts on average.`;
  const total = passRates.histogram.reduce((sum, bin) => sum + bin.tasks, 0);
  const rows = passRates.histogram.map((bin) => [
    bin.from === bin.to
      ? `${decimal(100 * bin.from, 0)} %`
      : `${decimal(100 * bin.from, 0)}–${decimal(100 * bin.to, 0)} %`,
    count(bin.tasks),
    total > 0 ? `${decimal((100 * bin.tasks) / total, 1)} %` : "",
  ]);
  return `## Pass rates\n\n${without}${size}\n\n${markdownTable(["pass rate", "tasks", "share"], rows)}`;
}

function namesPart(
  title: string,
  names: { readonly tasks: readonly string[]; readonly environments: readonly string[] },
): string {
  const lines = (["environments", "tasks"] as const).flatMap((kind) =>
    names[kind].length === 0
      ? []
      : [
          `- ${count(names[kind].length)} ${kind}: ${names[kind].slice(0, MOST_NAMES).map(shortText).join(", ")}${names[kind].length > MOST_NAMES ? ", …" : ""}`,
        ],
  );
  return lines.length === 0 ? "" : `## ${title}\n\n${lines.join("\n")}`;
}

function shortText(text: string): string {
  return plain(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

function shortName(uri: string): string {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Pass rate of each task (at most some thousands of them), from the histogram's bins; 0 and 1 stand apart in it. */
export function passRatesOf(measure: RolloutMeasure): readonly number[] {
  const bins = measure.passRates?.histogram ?? [];
  const total = bins.reduce((sum, bin) => sum + bin.tasks, 0);
  const scale = Math.max(1, total / 5000);
  return bins.flatMap((bin) => {
    const rate = bin.from === bin.to || bin.tasks === 0 ? bin.from : (bin.from + bin.to) / 2;
    return Array.from({ length: Math.round(bin.tasks / scale) }, () => rate);
  });
}
