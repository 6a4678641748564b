import { axisWord } from "../../core/axes";
import { NotWritten, replaceFile } from "../../node/replace";
import { isOutOfReach } from "../../assessment/partial";
import { isAllocated, type ExperimentAssessment } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import { aligned } from "../../syntax/aligned";
import { LineIndex, splice } from "../../syntax/text";
import type { Split } from "../../core/allocation";
import type { Estimate } from "../../core/estimate";
import { count, decimal, list } from "../../core/numbers";
import { amount } from "../../report/numbers";
import type { Judged } from "../../operations/engine";
import { amountIn } from "../../operations/amount";
import { optimise as operation } from "../../operations/optimise";
import { headline, verdictLine } from "../../report/headline";
import { isAsked, proposalOf } from "../../assessment/verdict";
import { askedLine, basis } from "../../report/asked";
import { dataSpend } from "../../report/costLine";
import { limitLines, stopAndFurther } from "../../report/limits";
import { ownedHint } from "../../report/owned";
import type { Arguments } from "../arguments";
import type { Command } from "../command";
import { reportDiagnostics } from "../configs";
import { EXPERIMENT, FIT_OPTIONS, fitChoice, type Engine } from "../engine";
import { change, planLines } from "./inspect";
import { InputError, located, type ExitCode } from "../io";
import { json, safe, table } from "../../report/print/terminal";
import { intervalText, lessText, modelLines, regretText, BRACKETS, SIMULATED } from "../../report/terminalNumbers";

export const optimise: Command = {
  name: "optimise",
  usage: "optimise CONFIG [--json] [--write]",
  summary: "the best split of the same compute, and the edits that make it",
  options: {
    ...FIT_OPTIONS,
    json: { kind: "flag", help: "print JSON" },
    write: { kind: "flag", help: "apply the edits to the file; nothing but the values changes" },
    "same-success": { kind: "flag", help: "the cheapest split of the same success" },
    compute: {
      kind: "text",
      value: "VALUE",
      help: "an amount instead of the current one: '3e19 FLOPs', '60 GPUh', '150 USD'",
    },
    scale: { kind: "number", value: "K", help: "K times the present cost instead of it: 2" },
    usd: {
      kind: "text",
      value: "X",
      help: "money to spend, data and GPUs together; at most it beside --compute or --target",
    },
    "gpu-hours": { kind: "text", value: "X", help: "at most this many GPU-hours; they buy no data" },
    deadline: {
      kind: "text",
      value: "HOURS",
      help: "at most this long on the wall from the start of the run: 48h, 2d",
    },
    target: { kind: "text", value: "RATE", help: "the cheapest split that reaches this success: 60%" },
    pin: {
      kind: "text",
      value: "AXIS",
      many: true,
      help: "hold an axis, steps, groupSize or promptsPerStep; may be given again",
    },
    free: {
      kind: "text",
      value: "AXIS",
      many: true,
      help: "free an axis that is pinned by default: parameters, among the model sizes that were fitted",
    },
    robust: {
      kind: "flag",
      help: "the split of the largest mean success over laws and draws: what is recommended anyway",
    },
    "plug-in": { kind: "flag", help: "recommend the fitted law's own optimum instead" },
    bold: { kind: "flag", help: "go anywhere, not only within 3× of the fitted runs" },
    ...EXPERIMENT,
  },
  async run(engine, args): Promise<ExitCode> {
    const found = await operation.run(engine.operating, {
      file: args.only("config"),
      experiment: args.text("experiment"),
      sameSuccess: args.flag("same-success"),
      compute: args.text("compute"),
      pin: [...args.texts("pin")],
      free: [...args.texts("free")],
      scale: above(args, "scale"),
      usd: amountOf(args, "usd", "USD"),
      gpuHours: amountOf(args, "gpu-hours", "GPUh"),
      deadline: hours(args.text("deadline")),
      target: args.text("target"),
      robust: args.flag("robust"),
      plugIn: args.flag("plug-in"),
      bold: args.flag("bold"),
      ...fitChoice(args),
    });
    const { config, experiment: chosen } = found;
    const broken = reportDiagnostics(engine, config);
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else print(engine, config, chosen);
    if (args.flag("write")) {
      // What was understood of a broken file need not be what is meant.
      if (broken)
        throw new InputError("the file, or its scaling.yaml, has errors: nothing was written", {
          file: config.file,
        });
      if (!(await write(engine, config, chosen))) return 2;
    }
    // What was asked for by name and cannot be had is refused; that nothing is fitted yet, or nothing better known, is an answer.
    const refused = found.asked && chosen.law !== null && !isAllocated(chosen.allocation);
    return broken || refused ? 2 : 0;
  },
};

/** A number above 0, or undefined where none is given. */
function above(args: Arguments, name: string): number | undefined {
  const value = args.number(name);
  if (value !== undefined && !(value > 0)) throw new InputError(`--${name} wants a number above 0, not ${value}`);
  return value;
}

/** `--usd 1,000`, `--usd $2k`, `--gpu-hours 2k`: what `constraints` in a file may say, and what people type. */
function amountOf(args: Arguments, name: string, unit: "GPUh" | "USD"): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const read = amountIn(text, unit);
  if (!read.ok)
    throw new InputError(`--${name} wants an amount above 0 in ${unit}, not "${text}": ${read.problem.message}`);
  return read.value;
}

/** `48h`, `48`, `2d`, in hours. */
function hours(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const found = /^\s*(\d+(?:\.\d+)?)\s*(h|hours?|d|days?)?\s*$/i.exec(text);
  const value = found ? Number(found[1]) * (/^d/i.test(found[2] ?? "") ? 24 : 1) : NaN;
  if (!(value > 0))
    throw new InputError(`--deadline wants hours from the start of the run, such as 48h or 2d, and no date: "${text}"`);
  return value;
}

function print(engine: Engine, config: Judged, experiment: ExperimentAssessment): void {
  const { file, text } = config;
  const { io } = engine;
  io.out(`${safe(file)} · ${safe(experiment.budget.name)}`);
  io.out(headline(experiment));
  const { fit } = config.assessment;
  if (fit.kind === "ready" && fit.fit.simulated) io.out(SIMULATED);
  if (!isAllocated(experiment.allocation)) return;
  const { result, cost, problem, edits, remainder, alone } = experiment.allocation;
  const proposed = proposalOf(experiment) !== null;
  const unvaried: readonly string[] = experiment.law?.unvaried ?? [];
  const best = recommendedSplit(result);
  const share = (split: typeof best, axis: string) => {
    const parts = split.parts.filter((part) =>
      axis === "trajectories" ? part.axis === null || part.axis === axis : part.axis === axis,
    );
    return parts.length === 0 ? "" : `${decimal(100 * parts.reduce((sum, part) => sum + part.share, 0), 1)} %`;
  };
  io.out("");
  io.out(
    table(
      [
        "axis",
        "now",
        ...(proposed ? [isAsked(result) ? `best ${basis(result)}` : "best"] : []),
        ...(alone ? ["this file alone"] : []),
        "spend now",
        ...(proposed ? ["spend best"] : []),
        "worth of a doubling now",
      ],
      Object.keys(best.levels).map((axis) => {
        const worth = result.values.current.find((value) => value.axis === axis);
        const pinned = result.pinned.some((pin) => pin.axis === axis);
        return [
          axisWord(axis),
          count(result.current.levels[axis] ?? Number.NaN),
          ...(proposed ? [pinned ? "pinned" : count(best.levels[axis] ?? Number.NaN)] : []),
          ...(alone ? [count(alone.change.second.levels[axis] ?? Number.NaN)] : []),
          share(result.current, axis),
          ...(proposed ? [share(best, axis)] : []),
          worth ? `${regretText(worth.doubling)}${unvaried.includes(axis) ? " (published values)" : ""}` : "",
        ];
      }),
    ),
  );
  if (proposed)
    io.out(
      `\n${alone ? "the whole best split" : "expected"}: ${splitText(best, result.change, result.unit)} (now ${count(result.current.cost)})${result.mode === "same-compute" && (problem.constraints ?? []).length === 0 ? lessText(result.wastedShare, result.unit) : ""}`,
    );
  else {
    io.out("");
    for (const line of planLines(config, experiment)) io.out(line);
  }
  io.out(`design: ${cost.design}`);
  for (const corner of proposed ? result.corners : [])
    io.out(`${axisWord(corner.axis)} stop at ${stopAndFurther(corner)}`);
  // What the file can hold alone stands with the edits, below.
  const notes = [
    ...experiment.notes.filter(({ code }) => code !== "allocation.partial"),
    ...(proposed ? result.notes : result.notes.filter(({ code }) => code !== "fit.extrapolating")),
  ];
  for (const { message } of notes) io.out(`note: ${safe(message)}`);
  if (result.reaches !== null)
    io.out(`probability that it reaches this success: ${decimal(100 * result.reaches, 0)} %`);
  for (const line of modelLines(experiment.allocation.models ?? [], result.unit)) io.out(line);
  for (const line of proposed ? limitLines(result) : []) io.out(line);
  const owned = proposed ? ownedHint(experiment.allocation) : "";
  if (owned !== "") io.out(`note: ${owned}`);
  for (const { axis, reason } of result.pinned) io.out(`pinned: ${axisWord(axis)}: ${safe(reason)}`);
  const differs = decimal(result.change.estimate, 1) !== decimal(result.regret.estimate, 1);
  const isSame = proposed && !isAsked(result) && result.response === "success";
  io.out(isSame && differs ? `${BRACKETS} ${MEDIAN}` : BRACKETS);
  io.out(
    `\nassumptions:\n${table(
      ["", "value", "unit", "source"],
      cost.assumptions.map(({ name, value, unit, source }) => [
        name,
        typeof value === "number" ? amount(value) : safe(value),
        unit,
        safe(source),
      ]),
    )}`,
  );
  if (edits.length > 0) io.out(`\n${diff(file, text, edits)}`);
  if (alone) {
    const { change: gain, held, together } = alone;
    const left = held.length === 0 ? "" : `, with ${list(held.map(axisWord))} as they are`;
    io.out(
      edits.length === 0
        ? `\nthis file alone: ${isOutOfReach(experiment.allocation) ? OUT_OF_REACH : "nothing to gain"}`
        : `\nthis file alone: ${splitText(gain.second, gain.points, result.unit)}${left}`,
    );
    io.out("what the whole best split needs beside:");
    for (const { axis, from, to, reason } of remainder)
      io.out(`  by hand: ${axisWord(axis)} ${change(from ?? undefined, to)}: ${safe(reason)}`);
    if (together.length > 0)
      io.out(
        `  then in this file: ${together.map(({ path, from, to }) => `${safe(path)} ${safe(from)} → ${safe(to)}`).join("; ")}`,
      );
  } else
    for (const { axis, from, to, reason } of remainder)
      io.out(`by hand: ${axisWord(axis)} ${change(from ?? undefined, to)}: ${safe(reason)}`);
}

const OUT_OF_REACH = "the success that is asked for is out of reach";

/** Why the verdict's gain is not quite the difference of the two rates. */
const MEDIAN = "The first line's gain is the median over the fit's draws.";

function splitText(split: Split, gain: Estimate, unit: string): string {
  const { predicted, cost } = split;
  const data = unit === "USD" ? dataSpend(split) : 0;
  const parts = data > 0 ? `, ${count(data)} of it for data` : "";
  return `${intervalText(predicted)} success (${gain.estimate > 0 ? "+" : ""}${regretText(gain)} against now) at ${count(cost)} ${unit}${parts}`;
}

/** A unified diff of the lines that the edits touch. */
function diff(
  file: string,
  text: string,
  edits: readonly { readonly span: { readonly start: number; readonly end: number }; readonly to: string }[],
): string {
  const after = splice(
    text,
    aligned(
      text,
      edits.map(({ span, to }) => ({ span, newText: to })),
    ),
  );
  const [old, fresh] = [text, after].map((whole) => whole.split(/\r\n|\n|\r/));
  const out = [`--- ${safe(file)}`, `+++ ${safe(file)} (optimised)`];
  const lines = new LineIndex(text);
  for (const line of [...new Set(edits.map(({ span }) => lines.at(span.start).line))].sort((a, b) => a - b)) {
    out.push(`@@ line ${line + 1} @@`, `-${safe(old[line] ?? "")}`, `+${safe(fresh[line] ?? "")}`);
  }
  return out.join("\n");
}

/** False where the file alone cannot reach what was asked for, so that nothing is written. */
async function write(engine: Engine, { file, text }: Judged, experiment: ExperimentAssessment): Promise<boolean> {
  const { allocation, notes } = experiment;
  const tellRest = () => {
    for (const { code, message } of notes)
      if (code === "allocation.partial") engine.io.err(located({ file }, `${code}: ${message}`));
  };
  if (!proposalOf(experiment) || !isAllocated(allocation)) {
    engine.io.err(located({ file }, `nothing was written: ${safe(askedLine(experiment) || verdictLine(experiment))}`));
    return true;
  }
  if (allocation.edits.length === 0) {
    const unreached = isOutOfReach(allocation);
    engine.io.err(
      located({ file }, unreached ? `nothing was written: ${OUT_OF_REACH} in this file alone` : "nothing to change"),
    );
    tellRest();
    return !unreached;
  }
  const after = splice(
    text,
    aligned(
      text,
      allocation.edits.map(({ span, to }) => ({ span, newText: to })),
    ),
  );
  // Bytes that are no UTF-8 would come back as replacement characters.
  if (!(await engine.isUtf8(file))) throw new InputError("the file is not UTF-8 and was not written", { file });
  const encoder = new TextEncoder();
  try {
    await replaceFile(engine.path(file), encoder.encode(text), encoder.encode(after));
  } catch (error) {
    if (!(error instanceof NotWritten)) throw error;
    throw new InputError(`nothing was written: ${error.message}`, { file });
  }
  engine.io.err(`${file}: ${allocation.edits.length} value${allocation.edits.length > 1 ? "s" : ""} changed`);
  tellRest();
  return true;
}
