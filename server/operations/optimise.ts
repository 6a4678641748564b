import * as z from "zod";
import { isAllocated, isPredicted, type ExperimentAssessment } from "../assessment/types";
import type { PlannedEdit } from "../budget/budget";
import type { Mode } from "../core/allocation";
import type { AxisName } from "../core/axes";
import { rangeJson, regretJson } from "../report/print/json";
import { LineIndex } from "../syntax/text";
import { computeMode } from "./amount";
import { readSuccess } from "./success";
import type { Judged } from "./engine";
import { experiment, file, fitChoice, notPinnable, pinnable, pinnableName } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const input = z.strictObject({
  file,
  experiment,
  sameSuccess: z.boolean().optional().describe("the cheapest split of the same success"),
  compute: z.string().min(1).optional().describe("an amount instead of the present one: 3e19 FLOPs, 60 GPUh, 150 USD"),
  scale: z.number().positive().optional().describe("so many times the present cost instead of it: 2"),
  usd: z
    .number()
    .positive()
    .optional()
    .describe("money to spend, data and GPUs together, in USD; beside another amount, at most it"),
  gpuHours: z.number().positive().optional().describe("at most this many GPU-hours; they buy no data"),
  deadline: z.number().positive().optional().describe("at most this many hours on the wall"),
  target: z.string().min(1).optional().describe("the cheapest split that reaches this success: 60%, 0.6"),
  pin: z.array(pinnable).optional().describe("axes to hold"),
  free: z.array(pinnable).optional().describe("axes that are held by default, such as parameters, to set free"),
  robust: z.boolean().optional().describe("the largest mean success over laws and draws: what is recommended anyway"),
  plugIn: z.boolean().optional().describe("recommend the fitted law's own optimum instead"),
  bold: z.boolean().optional().describe("go anywhere, not only within 3× of the fitted runs"),
  ...fitChoice,
});

export interface Optimised {
  readonly config: Judged;
  /** Whether an amount, a limit or a success was asked for. */
  readonly asked: boolean;
  readonly experiment: ExperimentAssessment;
}

export const optimise: Operation<z.infer<typeof input>, Optimised> = {
  name: "optimise",
  summary: "the best split of the same compute, and the edits of the config that make it; nothing is written",
  input,
  writes: false,
  async run(engine, asked, signal) {
    const { file: name, experiment: wanted, sameSuccess, compute, pin, free, robust, plugIn, bold, ...rest } = asked;
    const { scale, usd, gpuHours, deadline, target, ...choice } = rest;
    if (robust && plugIn) throw new InputError("the robust split and the plug-in optimum cannot both be recommended");
    const mode = modeOf({ sameSuccess, compute, scale, target }, usd);
    const config = await engine.judge(
      name,
      choice,
      {
        mode,
        caps: { usd, gpuHours, deadline },
        pins: pin && named(pin),
        free: free && named(free),
        recommend: plugIn ? "optimum" : "robust",
        bold,
        thorough: true,
      },
      signal,
    );
    const limited = [usd, gpuHours, deadline].some((limit) => limit !== undefined);
    return { config, experiment: oneExperiment(config, wanted), asked: mode !== undefined || limited };
  },
  json: ({ config, experiment: chosen }) => optimiseJson(config, chosen),
};

function named(names: readonly string[]): AxisName[] {
  return names.map((name) => {
    const found = pinnableName(name);
    if (found === null) throw new InputError(notPinnable(name));
    return found;
  });
}

/** What was asked for, of which at most one may be; undefined where the budget says it. Money is a limit beside most of them. */
function modeOf(
  asked: {
    readonly sameSuccess?: boolean;
    readonly compute?: string;
    readonly scale?: number;
    readonly target?: string;
  },
  usd: number | undefined,
): Mode | undefined {
  const given = Object.entries({ ...asked, usd: asked.scale === undefined ? undefined : usd }).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  if (given.length > 1)
    throw new InputError(`${given.map(([name]) => QUESTIONS[name]).join(" and ")} cannot both hold: ask for one`);
  if (asked.sameSuccess) return { kind: "same-success" };
  if (asked.target !== undefined) {
    const success = readSuccess(asked.target);
    if (!success.ok) throw new InputError(success.problem.message);
    return { kind: "same-success", success: success.value };
  }
  if (asked.scale !== undefined) return { kind: "scale", factor: asked.scale };
  if (asked.compute === undefined) return undefined;
  const read = computeMode(asked.compute);
  if (!read.ok) throw new InputError(`compute ${asked.compute}: ${read.problem.message}`);
  return read.value;
}

const QUESTIONS: Readonly<Record<string, string>> = {
  sameSuccess: "the same success",
  compute: "an amount of compute",
  scale: "a multiple of the present cost",
  usd: "an amount of money",
  target: "a success to reach",
};

/** The experiment that was named, or the only one. */
export function oneExperiment({ file: name, assessment }: Judged, wanted: string | undefined): ExperimentAssessment {
  const { experiments } = assessment;
  const names = experiments.map(({ budget }) => budget.name).join(", ");
  if (experiments.length === 0)
    throw new InputError("no experiment budget was recognised in this file", { file: name });
  if (wanted !== undefined) {
    const found = experiments.find(({ budget }) => budget.name === wanted);
    if (!found) throw new InputError(`there is no experiment "${wanted}"; there are ${names}`, { file: name });
    return found;
  }
  if (experiments.length > 1)
    throw new InputError(`the file holds several experiments; name one with --experiment: ${names}`, { file: name });
  return experiments[0];
}

/** The contract of `optimise --json`. */
function optimiseJson(
  { file: name, text, assessment }: Judged,
  experiment: ExperimentAssessment,
): Record<string, unknown> {
  const { allocation, prediction } = experiment;
  const base = { file: name, experiment: experiment.budget.name, verdict: experiment.verdict };
  if (!isAllocated(allocation))
    return {
      ...base,
      current: experimentLevels(experiment),
      optimum: null,
      reason: allocation.reason,
      edits: [],
      remainder: [],
    };
  const { result, cost, edits, remainder, alone } = allocation;
  const lines = new LineIndex(text);
  const split = ({
    levels,
    effective,
    ratios,
    cost: spent,
    predicted,
    outOfRange,
    extrapolation,
  }: typeof result.current) => ({
    ...levels,
    levels,
    effective,
    ratios,
    cost: { value: spent, unit: result.unit },
    success: predicted,
    outOfRange,
    extrapolation,
  });
  const edit = ({ path, from, to, span, label }: PlannedEdit) => ({
    path,
    from,
    to,
    range: rangeJson(lines, span),
    label,
  });
  const { fit } = assessment;
  return {
    ...base,
    mode: result.mode,
    constraints: result.constraints,
    reaches: result.reaches,
    budget: { value: result.budget, unit: result.unit },
    current: split(result.current),
    optimum: split(result.best),
    plugIn: split(result.optimum),
    unlimited: result.unlimited && { ...split(result.unlimited.split), points: result.unlimited.points },
    continuous: split(result.continuous),
    robust: result.robust ? split(result.robust) : null,
    recommended: result.recommended,
    prediction: isPredicted(prediction) ? prediction.successRate : null,
    regret: regretJson(result),
    change: result.change,
    prices: cost.assumptions,
    design: cost.design,
    computeMultiplier: result.computeMultiplier,
    wastedShare: result.wastedShare,
    spendShares: result.spendShares,
    marginalValues: result.marginalValues,
    elasticities: result.elasticities,
    corners: result.corners,
    pinned: result.pinned,
    models: allocation.models ?? [],
    rounding: result.rounding,
    sensitivity: result.sensitivity,
    certificate: result.certificate,
    intervals: result.intervals,
    fit:
      fit.kind === "ready"
        ? {
            name: fit.fit.name,
            law: fit.fit.file.law,
            runs: fit.fit.runs,
            simulated: fit.fit.simulated,
            prior: fit.fit.prior,
          }
        : null,
    edits: edits.map(edit),
    remainder,
    editsAlone: alone && {
      levels: alone.change.second.levels,
      cost: { value: alone.change.second.cost, unit: result.unit },
      success: alone.change.second.predicted,
      change: alone.change.points,
      held: alone.held,
    },
    editsTogether: alone && alone.together.map(edit),
    notes: [...experiment.notes, ...result.notes],
  };
}

function experimentLevels({ budget }: ExperimentAssessment): Record<string, number> {
  return Object.fromEntries(
    Object.entries(budget.axes).flatMap(([axis, fact]) => (fact.value === null ? [] : [[axis, fact.value]])),
  );
}
