import { axisWord } from "../../core/axes";
import { count } from "../../core/numbers";
import { predict as operation } from "../../operations/predict";
import { optimise } from "../../operations/optimise";
import { askedLine } from "../../report/asked";
import { headline } from "../../report/headline";
import { notReadJson } from "../../assessment/unreadSources";
import { proposalOf } from "../../assessment/verdict";
import { isAllocated, isPredicted } from "../../assessment/types";
import { recommendedSplit } from "../../assessment/edits/target";
import type { Arguments } from "../arguments";
import { reportDiagnostics, reportNotRead } from "../configs";
import { EXPERIMENT, FIT_OPTIONS, fitChoice, type Engine } from "../engine";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";
import { json, safe } from "../../report/print/terminal";
import { intervalText, modelLines } from "../../report/terminalNumbers";

export const predict: Command = {
  name: "predict",
  usage: "predict AXIS=VALUE… | CONFIG [--scale K] [--free parameters] [--json]",
  summary:
    "the success rate that a fit expects at given levels, or of a config: as it is, at K times its cost, with other models",
  options: {
    ...FIT_OPTIONS,
    scale: { kind: "number", value: "K", help: "with a config: what the best split of K times its cost reaches" },
    free: {
      kind: "text",
      value: "AXIS",
      many: true,
      help: "with a config: parameters, to compare models at that cost",
    },
    ...EXPERIMENT,
    setting: { kind: "text", value: "NAME", help: "one setting of a fit of several" },
    json: { kind: "flag", help: "print JSON" },
  },
  examples: [
    "scaling-lens predict tasks=2000 environments=24 trajectories=16",
    "scaling-lens predict a.budget.yaml --scale 2",
  ],
  async run(engine, args): Promise<ExitCode> {
    const [first] = args.positional;
    const isFile = first !== undefined && !first.includes("=") && (await engine.host.stat(engine.uri(first)));
    if (isFile) return ofConfig(engine, args);
    if (args.number("scale") !== undefined || args.texts("free").length > 0)
      throw new InputError("--scale and --free go with a config");
    const levels: Record<string, string> = {};
    for (const text of args.positional) {
      const at = text.indexOf("=");
      if (at < 1) throw new InputError(`"${text}" is not AXIS=VALUE`);
      const axis = text.slice(0, at);
      if (axis in levels) throw new InputError(`${axis} is given twice`);
      levels[axis] = text.slice(at + 1);
    }
    const found = await operation.run(engine.operating, { ...fitChoice(args), setting: args.text("setting"), levels });
    reportNotRead(engine, [found.from]);
    if (args.flag("json")) {
      engine.io.out(json(operation.json(found, engine.operating)));
      return 0;
    }
    const { said, fit, tooFar } = found;
    engine.io.out(
      tooFar !== null
        ? tooFar
        : said.successRate
          ? `${intervalText(said.successRate)} success (95 % interval)${fit.simulated ? " (fit of SIMULATED runs)" : ""}`
          : `loss ${said.loss ? `${said.loss.estimate.toPrecision(4)} [${said.loss.low.toPrecision(4)}, ${said.loss.high.toPrecision(4)}]` : "unknown"}`,
    );
    for (const [axis, factor] of Object.entries(said.extrapolation))
      if (factor > 1 && tooFar === null)
        engine.io.out(`${axisWord(axis)} is ${count(factor)}× outside the fitted range: extrapolated`);
    for (const { axis, level } of said.held)
      engine.io.out(`${axisWord(axis)} could not be identified and is held at ${count(level)}`);
    for (const axis of said.assumed)
      engine.io.out(`${safe(axisWord(axis))} was not given: taken at the runs' geometric mean`);
    return 0;
  },
};

/** What a config is expected to reach: as it is, and where that is asked for, by the best split of another cost or with other models. */
async function ofConfig(engine: Engine, args: Arguments): Promise<ExitCode> {
  const scale = args.number("scale");
  if (scale !== undefined && !(scale > 0)) throw new InputError(`--scale wants a number above 0, not ${scale}`);
  const { config, experiment, asked } = await optimise.run(engine.operating, {
    file: args.only("config"),
    experiment: args.text("experiment"),
    scale,
    free: [...args.texts("free")],
    ...fitChoice(args),
  });
  const broken = reportDiagnostics(engine, config);
  reportNotRead(engine, [config]);
  const { prediction, allocation } = experiment;
  const result = isAllocated(allocation) ? allocation.result : null;
  const scaled = asked && proposalOf(experiment) && result ? recommendedSplit(result) : null;
  const models = isAllocated(allocation) ? (allocation.models ?? []) : [];
  const reason = isAllocated(allocation)
    ? scaled || !asked
      ? null
      : askedLine(experiment) || headline(experiment)
    : allocation.reason;
  if (args.flag("json"))
    engine.io.out(
      json({
        file: config.file,
        experiment: experiment.budget.name,
        successRate: isPredicted(prediction) ? prediction.successRate : null,
        unit: result?.unit ?? null,
        cost: result?.current.cost ?? null,
        scaled: scaled && { times: scale, levels: scaled.levels, cost: scaled.cost, successRate: scaled.predicted },
        models,
        ...notReadJson([config]),
        ...(reason !== null && { reason }),
      }),
    );
  else {
    const at = result ? ` at ${count(result.current.cost)} ${result.unit}` : "";
    engine.io.out(
      isPredicted(prediction)
        ? `now: ${intervalText(prediction.successRate)} success${at}`
        : `now: ${safe(prediction.reason)}`,
    );
    if (scaled && result) {
      const levels = Object.entries(scaled.levels).map(([axis, level]) => `${axisWord(axis)} ${count(level ?? NaN)}`);
      engine.io.out(
        `${count(scale ?? 1)}×: ${intervalText(scaled.predicted)} success at ${count(scaled.cost)} ${result.unit}, by the best split (${levels.join(", ")})`,
      );
    } else if (asked) engine.io.out(`${count(scale ?? 1)}×: ${safe(reason ?? "unknown")}`);
    for (const line of modelLines(models, result?.unit ?? "")) engine.io.out(line);
  }
  return broken || (asked && result === null) ? 2 : 0;
}
