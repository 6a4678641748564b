import { isKnownAxis, unmatchedReason } from "../../core/axes";
import { knownLaw } from "../../operations/fields";
import type { FitFile } from "../../core/fit";
import { chance, count, decimal, interval, percent, plural } from "../../core/numbers";
import type { Command } from "../command";
import type { Engine } from "../engine";
import { InputError, located, type ExitCode } from "../io";
import { json, safe, table } from "../../report/print/terminal";
import { unstated } from "../../report/unstated";
import { fit as operation, LOSSES } from "../../operations/fit";
import { notesOf, RUN_OPTIONS } from "../sources";

export const fit: Command = {
  name: "fit",
  usage: "fit [SOURCE…] [--json] [--out FILE.fit.json]",
  summary: "fits scaling laws to folders of runs, or to tables in CSV, JSONL or Parquet",
  options: {
    ...RUN_OPTIONS,
    json: { kind: "flag", help: "print JSON" },
    law: { kind: "text", value: "NAME", help: "auto (default) or one law" },
    loss: { kind: "text", value: "NAME", help: `${LOSSES.join(", ")}; by default what the table calls for` },
    "huber-delta": { kind: "number", value: "X", help: "where the Huber loss turns linear (default 1.35 × the noise)" },
    bootstrap: { kind: "count", value: "N", help: "refits or posterior draws (default 1000; above 2,000 runs 400)" },
    seed: { kind: "count", value: "N", help: "seed; the same seed gives the same bits (default 1)" },
    out: { kind: "text", value: "FILE", help: "save the fit" },
    axis: { kind: "text", value: "AXIS", many: true, help: "use only these axes; may be given again" },
    expression: {
      kind: "text",
      value: "EXPR",
      help: "with --law custom: the error as an expression of axes and parameters",
    },
    parameter: {
      kind: "text",
      value: "NAME=LOW:HIGH",
      many: true,
      help: "with --law custom: a parameter and its bounds",
    },
  },
  async run(engine, args): Promise<ExitCode> {
    const law = knownLaw(args.text("law") ?? "auto", "--law");
    const loss = args.choice("loss", LOSSES);
    const delta = args.number("huber-delta");
    if (delta !== undefined && !(delta > 0)) throw new InputError("--huber-delta wants a number above 0");
    const custom = customLaw(law, args.text("expression"), args.texts("parameter"));
    const out = args.text("out");
    const fitted = await operation.run(engine.operating, {
      sources: [...args.positional],
      scaling: args.text("scaling"),
      law,
      loss,
      huberDelta: delta,
      bootstrap: args.number("bootstrap"),
      seed: args.number("seed"),
      ...(args.texts("axis").length > 0 && { axes: [...args.texts("axis")] }),
      custom,
      out,
    });
    const { table: runs, fit: result, saved } = fitted;
    notesOf(engine, runs);
    if (args.flag("json")) engine.io.out(json(operation.json(fitted, engine.operating)));
    if (!result.ok) {
      engine.io.err(`no fit: ${result.problem.message} (${result.problem.code})`);
      return 2;
    }
    if (saved !== null) engine.io.err(`saved ${saved}`);
    if (args.flag("json")) return 0;
    print(engine, result.value);
    const lacking = unstated(runs.rows);
    if (lacking !== "") engine.io.out(`\n${lacking}`);
    return 0;
  },
};

function customLaw(law: string, expression: string | undefined, parameters: readonly string[]) {
  if (law !== "custom") {
    if (expression !== undefined || parameters.length > 0)
      throw new InputError("--expression and --parameter go with --law custom");
    return undefined;
  }
  if (expression === undefined) throw new InputError("--law custom wants --expression");
  return {
    expression,
    parameters: Object.fromEntries(
      parameters.map((text) => {
        const match = /^([A-Za-z_]\w*)=([^:]+):([^:]+)$/.exec(text);
        const [low, high] = [Number(match?.[2]), Number(match?.[3])];
        if (!match || !Number.isFinite(low) || !Number.isFinite(high) || low >= high)
          throw new InputError(`--parameter wants NAME=LOW:HIGH, not "${text}"`);
        return [match[1], { low, high }];
      }),
    ),
  };
}

function print(engine: Engine, value: FitFile): void {
  const { io } = engine;
  const estimate = (e: { estimate: number | null; low: number | null; high: number | null }) =>
    e.estimate === null
      ? "—"
      : interval({ estimate: e.estimate, low: e.low ?? Number.NaN, high: e.high ?? Number.NaN }, 3);
  io.out(
    `${value.law} law${value.variant ? ` (${value.variant})` : ""} · ${plural(value.rows, "run")}${value.simulated ? " · SIMULATED runs" : ""} · ${value.draws.count} ${value.draws.kind} draws · dispersion ${decimal(value.dispersion, 2)}`,
  );
  io.out(
    `${Math.round(100 * value.starts.withinOnePercent)} % of ${value.starts.count} starts reach the best fit within 1 %`,
  );
  io.out(
    `\nexponents with 95 % intervals\n${table(
      ["axis", "exponent", "status", "levels", "range", "remark"],
      Object.entries(value.exponents).map(([axis, exponent]) => {
        const range = value.ranges[axis];
        return [
          axis,
          estimate(exponent),
          exponent.status,
          range ? String(range.levels) : "",
          range ? `${count(range.min)} to ${count(range.max)}` : "",
          safe(
            exponent.reason ??
              [
                ...(exponent.shares ? [`${percent(exponent.shares.data)} data`] : []),
                ...(exponent.noEffect === undefined ? [] : [`P(no effect) ${chance(exponent.noEffect)}`]),
              ].join(", "),
          ),
        ];
      }),
    )}`,
  );
  io.out(`\nfloor ${estimate(value.floor)}${value.floor.reason ? `: ${safe(value.floor.reason)}` : ""}`);
  io.out(
    `\nlaws compared\n${table(
      ["law", "weight", "parameters", value.dispersion > 1 ? "QAICc" : "AICc", "held-out error"],
      value.selection.map((entry) => [
        entry.variant ? `${entry.law} (${entry.variant})` : entry.law,
        entry.weight === undefined ? "—" : chance(entry.weight),
        String(entry.parameters),
        entry.aicc === null ? `— ${safe(entry.aiccReason ?? "too few runs")}` : decimal(entry.aicc, 1),
        entry.heldOutRmse === null
          ? `— ${safe(entry.heldOutReason ?? "too few runs")}`
          : value.response === "success"
            ? `${decimal(100 * entry.heldOutRmse, 1)} points`
            : decimal(entry.heldOutRmse, 3),
      ]),
    )}`,
  );
  if (value.ordering.probability !== null)
    io.out(
      `\nP(${value.ordering.axes.join(" > ")}) = ${chance(value.ordering.probability)} (${value.ordering.at ? "success gained per doubling, at the middle of the runs" : "order of the exponents"})`,
    );
  for (const axis of value.response === "loss" ? [] : value.axes.filter((one) => !isKnownAxis(one))) {
    io.out(`\nno config is judged by this fit: it depends on ${safe(axis)}, and ${unmatchedReason(axis)}`);
  }
  for (const [axis, methods] of Object.entries(value.synthesis)) {
    for (const [method, { discount, criticalRatio }] of Object.entries(methods)) {
      io.out(
        `\nsynthetic ${axis} by ${safe(method)}: discount ${estimate(discount)}; critical ratio ${estimate(criticalRatio)} (${criticalRatio.shape})${criticalRatio.reason ? `: ${safe(criticalRatio.reason)}` : ""}`,
      );
    }
  }
  for (const { code, message } of value.warnings) io.err(located({}, `warning ${code}: ${safe(message)}`));
}
