import type { Shown } from "../configs/cells/schema";
import {
  axisFits,
  calibration,
  discounts,
  exponentForest,
  synthesisRatio,
  type FigureOptions,
  type FigurePayload,
} from "../report/figures";
import { observedError } from "../report/figures/fitted";
import { count, decimal, interval, percent, plural } from "../core/numbers";
import type { FitFile } from "../core/fit";
import { markdownTable, plain } from "../report/print/cells";
import type { CellFit, CommandInput, Part } from "./types";

/** What `show` can draw of a fit. */
const FIGURES: Readonly<Partial<Record<Shown, (fit: FitFile, options: FigureOptions) => FigurePayload>>> = {
  axes: axisFits,
  exponents: exponentForest,
  residuals: calibration,
  synthesis: synthesisRatio,
  discounts,
};

export const FIT_SHOWN = new Set<Shown>([...(Object.keys(FIGURES) as Shown[]), "runs"]);

/** Figures of a fit, and its numbers as a table. */
export async function fitCommand(input: CommandInput): Promise<Part[]> {
  const fit = await input.fit();
  const { file } = fit.fit;
  const options = input.figureOptions(fit);
  const wanted = input.query.show ?? standard(file);
  const parts = wanted.flatMap((shown): Part[] => {
    const draw = FIGURES[shown];
    return draw ? [{ kind: "figure", payload: draw(file, options) }] : [];
  });
  if (input.query.fit) parts.push(summary(fit));
  if (wanted.includes("runs")) parts.push(runTable(file));
  return parts;
}

function standard(file: FitFile): Shown[] {
  return [
    "axes",
    "exponents",
    "residuals",
    ...(Object.keys(file.synthesis).length > 0 ? (["synthesis", "discounts"] as const) : []),
  ];
}

function summary({ fit }: CellFit): Part {
  const { file } = fit;
  const simulated = file.simulated ? " **Simulated data.**" : "";
  const rows = Object.entries(file.exponents).map(([axis, value]) => [
    axis,
    value.estimate === null
      ? "—"
      : interval({ estimate: value.estimate, low: value.low ?? NaN, high: value.high ?? NaN }),
    value.shares ? `${percent(value.shares.data)} data` : "",
    value.status,
    value.reason ?? "",
  ]);
  const laws = file.selection
    .slice(0, 5)
    .map((entry, i) => [
      `${entry.law}${entry.variant ? ` (${entry.variant})` : ""}`,
      String(entry.parameters),
      entry.aicc === null ? (entry.aiccReason ?? "—") : decimal(entry.aicc, 1),
      entry.heldOutRmse === null
        ? (entry.heldOutReason ?? "—")
        : file.response === "loss"
          ? decimal(entry.heldOutRmse, 3)
          : `${decimal(100 * entry.heldOutRmse, 1)} points`,
      i === 0 || entry.law === file.law ? (entry.law === file.law ? "in force" : "") : "",
    ]);
  const floor =
    file.floor.estimate === null
      ? `unknown (${file.floor.reason ?? "not identified"})`
      : interval({ estimate: file.floor.estimate, low: file.floor.low ?? NaN, high: file.floor.high ?? NaN });
  const text = `The ${file.law} law from ${plural(file.rows, "run")} of ${fit.name}; floor ${floor}, dispersion ${decimal(file.dispersion, 2)}.`;
  const doubts = [
    ...file.warnings.map(({ message }) => message),
    ...fit.notes
      .filter(({ severity }) => severity !== "information")
      .slice(0, 6)
      .map(({ message, file: at, line }) => `${message}${at ? ` (${shortName(at)}${line ? `:${line}` : ""})` : ""}`),
  ];
  return {
    kind: "table",
    text,
    markdown: [
      `${plain(text)}${simulated}`,
      markdownTable(["axis", "exponent (95 %)", "rests on", "status", "reason"], rows, [1]),
      "Laws by QAICc, the best first:",
      markdownTable(["law", "parameters", "QAICc", "held-out error", ""], laws, [1, 2, 3]),
      ...(doubts.length > 0 ? [doubts.map((doubt) => `- ${plain(doubt)}`).join("\n")] : []),
    ].join("\n\n"),
  };
}

function shortName(uri: string): string {
  return uri.split("/").slice(-2).join("/");
}

/** More rows than this belong in the CSV export of a figure. */
const MOST_ROWS = 200;

function runTable(file: FitFile): Part {
  const axes = [...file.axes];
  const rows = file.runs.slice(0, MOST_ROWS).map((run) => {
    const error = observedError(run);
    const value = error === null ? "—" : file.response === "loss" ? decimal(error, 3) : percent(1 - error);
    return [
      run.id,
      run.setting,
      ...axes.map((axis) => (run.axes[axis] === undefined ? "" : count(run.axes[axis]))),
      value,
      run.trials ? count(run.trials) : "",
      run.heldOut ? "held out" : "",
    ];
  });
  const more = file.runs.length - rows.length;
  const text = `${plural(file.runs.length, "run")}${file.simulated ? ", simulated" : ""}.`;
  return {
    kind: "table",
    text,
    markdown: `${text}\n\n${markdownTable(["run", "setting", ...axes, file.response === "loss" ? "loss" : "success", "tasks evaluated", ""], rows, axes.map((_, i) => i + 2).concat(axes.length + 2, axes.length + 3))}${more > 0 ? `\n\n${more} more.` : ""}`,
  };
}
