import { stepSeconds, type CoefficientValues, type StepSeconds } from "./phases";
import { isMixture, type RunShape } from "./shape";

const PHASES = ["generation", "passes", "update", "environment", "other"] as const;
type Phase = (typeof PHASES)[number];

/** What a log timed of a run: means over its steps, in seconds. */
export interface MeasuredRun {
  readonly id: string;
  readonly framework: string | null;
  /** With the lengths that were measured. */
  readonly shape: RunShape;
  /** Steps that were timed. */
  readonly steps: number;
  /** Evaluations and checkpoints apart. */
  readonly secondsPerStep: number;
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  readonly secondsPerEvaluation: number | null;
  /** Standard deviation of a step's time, as a share of the mean; null: unknown. */
  readonly variation?: number | null;
  /** Other runs whose pace it was put on, and how far they are apart: standard deviation of ln of the pace. */
  readonly others?: { readonly runs: number; readonly spread: number };
}

/** A measurement put over the model: the phases are corrected by it, and stray less. */
export interface Calibration {
  /** `this run's own log, 40 steps`. */
  readonly from: string;
  readonly own: boolean;
  /** Spread of ln of the pace as a whole. */
  readonly spread: number;
  /** Spreads of ln of the phases beside it, where they lie away from what was measured. */
  readonly phases: Readonly<Partial<Record<Phase | "evaluation", number>>>;
  readonly evaluationKnown: boolean;
  /** The modelled seconds, corrected. */
  apply(modelled: StepSeconds): StepSeconds;
}

/** Lengths and caches still drift when a run goes on. */
const OWN_SPREAD = 0.08;
/** Two runs that share framework, model size, GPU and layout. */
export const ALIKE_SPREAD = 0.2;
/** How much single steps vary, where a log is too short to tell. */
const STEP_VARIATION = 0.15;
/** What a phase may stray for each factor of e between what was measured and what is asked. */
const AWAY = 0.25;

/** What the first steps of a run may stray, which load and compile: divided by the steps that were timed. */
const START_STRAY = 0.6;

/**
 * The run that tells most of a shape, on the pace of all that are alike: each counts by its steps and by how near it is, so that
 * a few steps of one do not outweigh many of others. Null without any.
 */
export function pooledRun<Run extends MeasuredRun>(
  runs: readonly Run[],
  shape: RunShape,
  k: CoefficientValues,
): Run | null {
  const here = Math.log(stepSeconds(shape, k).step);
  const told = runs.map((run) => {
    const there = Math.log(stepSeconds(run.shape, k).step);
    const stray = Math.hypot(
      ALIKE_SPREAD,
      (run.variation ?? STEP_VARIATION) / Math.sqrt(run.steps),
      START_STRAY / run.steps,
      AWAY * Math.abs(there - here),
    );
    return { run, error: Math.log(run.secondsPerStep) - there, weight: stray ** -2 };
  });
  const [best] = [...told].sort((a, b) => b.weight - a.weight);
  if (best === undefined) return null;
  if (told.length === 1) return best.run;
  const all = told.reduce((sum, { weight }) => sum + weight, 0);
  const mean = told.reduce((sum, { error, weight }) => sum + weight * error, 0) / all;
  const spread = Math.sqrt(told.reduce((sum, { error, weight }) => sum + weight * (error - mean) ** 2, 0) / all);
  const pace = Math.exp(mean - best.error);
  const { phases, secondsPerStep, secondsPerEvaluation } = best.run;
  return {
    ...best.run,
    secondsPerStep: pace * secondsPerStep,
    phases: Object.fromEntries(Object.entries(phases).map(([phase, seconds]) => [phase, pace * seconds])),
    secondsPerEvaluation: secondsPerEvaluation === null ? null : pace * secondsPerEvaluation,
    others: { runs: told.length - 1, spread },
  };
}

/** Whether a measured run tells what another takes: the same framework, model size, GPU, layout and kind. */
export function isAlike(run: MeasuredRun, framework: string | null, shape: RunShape): boolean {
  const other = run.shape;
  return (
    (run.framework ?? framework) === framework &&
    Math.abs(Math.log(other.parameters / shape.parameters)) < 0.1 &&
    isMixture(other) === isMixture(shape) &&
    (other.gpu?.name ?? null) === (shape.gpu?.name ?? null) &&
    other.layout === shape.layout &&
    other.lora === shape.lora &&
    other.turns > 1 === shape.turns > 1
  );
}

/** Correction of the model by a run that was timed; differences in tokens, batch and GPUs stay modelled. */
export function calibrationBy(run: MeasuredRun, shape: RunShape, k: CoefficientValues, own: boolean): Calibration {
  const there = stepSeconds(run.shape, k);
  const here = stepSeconds(shape, k);
  const whole = run.secondsPerStep / there.step;
  const timed = PHASES.filter((phase) => run.phases[phase] !== undefined && there[phase] > 0);
  const apart = timed.length >= 2 && run.shape.layout === "colocated";
  const rest = run.secondsPerStep - timed.reduce((sum, phase) => sum + (run.phases[phase] ?? 0), 0);
  const untimed = PHASES.reduce((sum, phase) => sum + (timed.includes(phase) ? 0 : there[phase]), 0);
  const factor = (phase: Phase): number => {
    if (!apart) return whole;
    const seen = run.phases[phase];
    if (seen !== undefined && there[phase] > 0) return seen / there[phase];
    return untimed > 0 ? Math.max(0, rest) / untimed : 1;
  };
  const evaluation =
    run.secondsPerEvaluation === null || there.evaluation <= 0 ? whole : run.secondsPerEvaluation / there.evaluation;
  const away = (phase: Phase | "evaluation"): number =>
    here[phase] > 0 && there[phase] > 0 ? AWAY * Math.abs(Math.log(here[phase] / there[phase])) : 0;
  return {
    from: own
      ? `this run's own log, ${counted(run.steps)}`
      : `${run.id}, ${counted(run.steps)} of the same kind of run${run.others ? `, and ${run.others.runs} more by their steps` : ""}`,
    own,
    spread: Math.hypot(
      own ? OWN_SPREAD : Math.max(ALIKE_SPREAD, run.others?.spread ?? 0),
      (run.variation ?? STEP_VARIATION) / Math.sqrt(run.steps),
    ),
    phases: Object.fromEntries([...PHASES, "evaluation" as const].map((phase) => [phase, away(phase)])),
    evaluationKnown: run.secondsPerEvaluation !== null && there.evaluation > 0,
    apply(modelled) {
      const phases = Object.fromEntries(PHASES.map((phase) => [phase, modelled[phase] * factor(phase)])) as Record<
        Phase,
        number
      >;
      const sum = PHASES.reduce((total, phase) => total + phases[phase], 0);
      return {
        ...phases,
        step: apart ? sum : modelled.step * whole,
        evaluation: modelled.evaluation * evaluation,
      };
    },
  };
}

/** The shape with what was measured in place of what would be guessed; a run's own cap bounds a measured mean. */
export function withMeasuredMeans(shape: RunShape, run: MeasuredRun): RunShape {
  const { promptTokens, responseTokens } = run.shape;
  const cap = shape.responseCap ?? Infinity;
  return {
    ...shape,
    promptTokens: shape.promptTokens ?? promptTokens,
    responseTokens: shape.responseTokens ?? (responseTokens === null ? null : Math.min(responseTokens, cap)),
  };
}

function counted(steps: number): string {
  return steps === 1 ? "1 step" : `${steps} steps`;
}
