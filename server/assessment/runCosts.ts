import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import {
  ALIKE_SPREAD,
  calibrationBy,
  isAlike,
  pooledRun,
  withMeasuredMeans,
  type MeasuredRun,
} from "../core/cost/calibration";
import { COEFFICIENTS } from "../core/cost/coefficients";
import { hostedUsd, tokenPrices } from "../core/cost/hosted";
import { meanResponse, stepSeconds } from "../core/cost/phases";
import { runCost, type RunCost } from "../core/cost/runCost";
import { runClass, type RunShape } from "../core/cost/shape";
import { HALF } from "../core/cost/uncertain";
import { likeness, teamIntercept, type TeamIntercept } from "../core/cost/team";
import type { Estimate } from "../core/estimate";
import type { Memo } from "./memo";
import { runShape, type SeenOfRun } from "./runShape";

/** What a run takes, with what was not counted. */
export type CostView =
  | {
      readonly kind: "run";
      readonly cost: RunCost;
      readonly shape: RunShape;
      readonly notRead: readonly string[];
      /** True where the steps follow from the rollouts and an assumed batch. */
      readonly assumedBatch: boolean;
    }
  /** Trained by a service that bills tokens: no GPU-hours are told. */
  | {
      readonly kind: "hosted";
      readonly usd: Estimate | null;
      readonly reason: string;
      readonly notRead: readonly string[];
    }
  | { readonly kind: "unknown"; readonly reason: string; readonly notRead: readonly string[] };

export interface CostQuestion {
  readonly budget: ExperimentBudget;
  readonly scaling: ScalingFile | null;
  readonly framework: string | null;
  /** Runs that logs have timed; those of `own` are the config's. */
  readonly measured: readonly (MeasuredRun & { readonly own: boolean })[];
  /** What logs tell of its shape. */
  readonly seen?: SeenOfRun;
}

/** Frameworks that train on a provider's machines, which bills tokens. */
const HOSTED: Readonly<Record<string, string>> = { tinker: "Tinker" };
/** ×/÷ of hours that follow from those measured for another number of rollouts (80 %): as for the next run of its kind. */
const STATED_STRAYS = Math.exp(HALF * ALIKE_SPREAD);
/** ×/÷ of the mean response that a hosted bill may stray by where only the cap is known (80 %). */
const HOSTED_SPREAD = 2.4;

/** The cost of an experiment: measured where logs of it or of its like are at hand, else modelled. */
export function costView(question: CostQuestion, memo?: Memo): CostView {
  const { budget, scaling, framework, measured } = question;
  const read = runShape(budget, scaling, question.seen);
  const notRead = [...(read.ok ? read.unstated : []), ...(budget.cost.notRead ?? [])];
  if (!read.ok) return { kind: "unknown", reason: read.reason, notRead };
  const { shape, assumedBatch } = withSteps(read.shape, budget);
  const provider = framework === null ? undefined : HOSTED[framework];
  if (provider !== undefined) return hostedView(shape, budget, scaling, provider, notRead);
  const nearest = measuredFor(shape, framework, measured);
  const priceStated = scaling?.hardware.price != null;
  const whole = nearest ? withMeasuredMeans(shape, nearest) : shape;
  const calibration = nearest ? calibrationBy(nearest, whole, COEFFICIENTS.values, nearest.own) : null;
  const team = nearest ? null : teamOf(shape, framework, measured);
  const work = (): RunCost => runCost(whole, { calibration, team, priceStated });
  // Hundreds of draws: what rests on the same figures is worked out once while a person types elsewhere.
  const cost = memo ? memo.get(JSON.stringify(["cost", whole, nearest, team, priceStated]), work) : work();
  return { kind: "run", cost, shape: whole, notRead, assumedBatch };
}

/** A view whose hours are those that the budget states as measured; where they go, and the pace, keep the model's shares. */
export function withStatedHours(view: CostView, gpuHours: number, exact: boolean): CostView {
  if (view.kind !== "run") return view;
  const { cost, shape } = view;
  const { gpuHours: modelled, parts } = cost;
  if (!modelled || !parts) return view;
  const factor = gpuHours / modelled.estimate;
  // Another number of rollouts than was measured strays as the next run of the same kind does.
  const strays = exact ? 1 : STATED_STRAYS;
  const scaled = (one: Estimate | null): Estimate | null =>
    one && {
      estimate: factor * one.estimate,
      low: (factor * one.estimate) / strays,
      high: factor * one.estimate * strays,
    };
  const { evaluations } = cost;
  return {
    ...view,
    cost: {
      ...cost,
      basis: "measured",
      measuredFrom: "`measured:` in the budget",
      gpuHours: scaled(cost.gpuHours),
      usd: scaled(cost.usd),
      wallClockHours: shape.gpus === null ? cost.wallClockHours : scaled(cost.wallClockHours),
      // How the hours divide among steps and evaluations is not measured.
      secondsPerStep: {
        estimate: factor * cost.secondsPerStep.estimate,
        low: (factor * cost.secondsPerStep.estimate) / (evaluations > 0 ? STATED_STRAYS : strays),
        high: factor * cost.secondsPerStep.estimate * (evaluations > 0 ? STATED_STRAYS : strays),
      },
      secondsPerEvaluation: cost.secondsPerEvaluation === null ? null : factor * cost.secondsPerEvaluation,
      parts: Object.fromEntries(Object.entries(parts).map(([part, hours]) => [part, factor * hours])) as typeof parts,
      assumptions: [],
    },
  };
}

/** Rollouts that are counted by tasks say how long a run is, once a batch is assumed. */
function withSteps(shape: RunShape, { axes, steps }: ExperimentBudget): { shape: RunShape; assumedBatch: boolean } {
  const { tasks, trajectories } = axes;
  if (isKnown(steps) || !isKnown(tasks) || !isKnown(trajectories)) return { shape, assumedBatch: false };
  const group = shape.groupSize ?? Math.min(8, Math.max(1, Math.round(trajectories.value)));
  const prompts = shape.promptsPerStep ?? Math.max(1, Math.min(128, tasks.value));
  const count = (tasks.value * trajectories.value) / (prompts * group);
  return { shape: { ...shape, groupSize: group, promptsPerStep: prompts, steps: count }, assumedBatch: true };
}

/** The run's own measurement, else that of the runs that are like it. */
function measuredFor(
  shape: RunShape,
  framework: string | null,
  measured: CostQuestion["measured"],
): CostQuestion["measured"][number] | null {
  const own = measured.filter((one) => one.own).sort((a, b) => b.steps - a.steps);
  if (own.length > 0) return own[0];
  return pooledRun(
    measured.filter((one) => isAlike(one, framework, shape)),
    shape,
    COEFFICIENTS.values,
  );
}

/** How runs of the same workspace, framework and class stray from the model. */
function teamOf(shape: RunShape, framework: string | null, measured: readonly MeasuredRun[]): TeamIntercept | null {
  const mates = measured.filter(
    (one) => (one.framework ?? framework) === framework && runClass(one.shape) === runClass(shape),
  );
  return teamIntercept(
    mates.map((one) => ({
      error: Math.log(one.secondsPerStep / stepSeconds(one.shape, COEFFICIENTS.values).step),
      weight: likeness(one.shape, shape),
    })),
  );
}

function hostedView(
  shape: RunShape,
  budget: ExperimentBudget,
  scaling: ScalingFile | null,
  provider: string,
  notRead: readonly string[],
): CostView {
  const model = isKnown(budget.model.name) ? budget.model.name.value : "";
  const prices = tokenPrices(provider, model, scaling?.tariffs ?? []);
  const unknown = (reason: string): CostView => ({ kind: "hosted", usd: null, reason, notRead });
  if (prices === null)
    return unknown(
      `no tariff of ${provider} for ${model || "this model"} is known: state it under \`tariffs:\` in scaling.yaml`,
    );
  const { steps, promptsPerStep, groupSize } = shape;
  if (steps === null || promptsPerStep === null || groupSize === null)
    return unknown("the rollouts of the run are unknown, so their tokens cannot be billed");
  const rollouts = steps * promptsPerStep * groupSize * shape.dynamicSampling;
  const response = meanResponse(shape, COEFFICIENTS.values);
  const prompt = shape.promptTokens ?? 200;
  const bill = (mean: number): number =>
    hostedUsd(
      {
        prefill: rollouts * prompt * shape.turns,
        sampled: rollouts * mean,
        trained: (rollouts / shape.dynamicSampling) * (prompt + mean),
      },
      prices,
    );
  const guessed = shape.responseTokens === null;
  const spread = guessed ? HOSTED_SPREAD : 1.1;
  return {
    kind: "hosted",
    usd: { estimate: bill(response), low: bill(response / spread), high: bill(response * spread) },
    reason: `${provider} bills tokens (${prices.source}: prefill ${prices.prefill}, sample ${prices.sample}, train ${prices.train} USD per million); no GPU-hours are told`,
    notRead,
  };
}
