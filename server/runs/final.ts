import type { Outcome, RunMetric } from "../core/table";
import type { FinalRule } from "./options";
import { meaningOf } from "./metricNames";
import { plainName, type SuccessChoice } from "./successMetric";

/** How many evaluations a rule takes; undefined for a rule that is none. */
export function evaluationsOf(rule: string): number | undefined {
  if (rule === "last") return 1;
  const k = /^last(\d+)$/.exec(rule);
  const count = k ? Number(k[1]) : undefined;
  return count !== undefined && count >= 1 && count <= 1000 ? count : undefined;
}

/** What is known of the rollouts behind the values. */
export interface Sampling {
  /** Distinct evaluation tasks, where they are known from outside the log. */
  readonly evaluationTasks?: number;
  readonly promptsPerStep?: number;
  readonly groupSize?: number;
  readonly rolloutsPerStep?: number;
  /** Tasks of the training set. */
  readonly tasks?: number;
}

export interface FinalValue {
  readonly outcome: Outcome;
  /** The rule as applied: `last3`, or `last2 (of last3: only 2 evaluations)`. */
  readonly rule: string;
  readonly window: RunMetric["window"];
}

/** A training step has few rollouts: their mean is taken over at least so many. */
const ROLLOUTS = 500;

/**
 * A run's value. Three evaluations of the same tasks are no more independent tasks: `trials` stays that of one evaluation
 * (the least of them), and the rate is the plain mean. Training rollouts of a few steps are too few: without a rule their
 * mean is over the last steps that hold 500 of them, or over the last tenth of the steps where their number is unknown.
 * @param rule undefined: the default, which is `last3` for evaluations
 */
export function finalValue(choice: SuccessChoice, rule: FinalRule | undefined, sampling: Sampling): FinalValue {
  const { steps, values } = choice.series;
  // What was measured before the training is no part of what came of it, however few evaluations follow.
  const after = values.map((_, i) => i).filter((i) => steps[i] > 0);
  const usable = after.length > 0 ? after : values.map((_, i) => i);
  const isTraining =
    choice.on === "training" ||
    (choice.on === "stated" && meaningOf(plainName(choice.keys[0]).toLowerCase())?.on === "training");
  const { picked, stated, rollouts } =
    rule === undefined && isTraining
      ? lastRollouts(usable, steps, sampling)
      : { ...byRule(usable, values, rule ?? "last3"), rollouts: undefined };
  const rate = picked.reduce((sum, i) => sum + values[i], 0) / picked.length;
  const window = {
    values: picked.length,
    from: steps[picked[0]],
    to: steps[picked[picked.length - 1]],
    ...(rollouts !== undefined && { rollouts }),
  };
  const counts = choice.counts;
  if (counts && picked.length === 1) {
    const [i] = picked;
    const trials = counts.trials.values[i];
    const successes = counts.successes.values[i];
    if (Number.isInteger(trials) && Number.isInteger(successes))
      return { outcome: { kind: "counts", successes, trials }, rule: stated, window };
  }
  const trials = counts
    ? Math.min(...picked.map((i) => counts.trials.values[i]))
    : isTraining
      ? tasksIn(picked.length, sampling)
      : sampling.evaluationTasks;
  return {
    outcome: { kind: "rate", rate, ...(trials !== undefined && trials > 0 ? { trials } : {}) },
    rule: stated,
    window,
  };
}

function byRule(
  usable: readonly number[],
  values: readonly number[],
  rule: FinalRule,
): { readonly picked: readonly number[]; readonly stated: string } {
  if (rule === "best") return { picked: [indexOfBest(values)], stated: rule };
  const count = evaluationsOf(rule) ?? 3;
  const picked = usable.slice(-count);
  return {
    picked,
    stated: picked.length === count ? rule : `last${picked.length} (of ${rule}: the log has no more evaluations)`,
  };
}

function lastRollouts(usable: readonly number[], steps: readonly number[], sampling: Sampling) {
  const perStep = rolloutsPerStep(sampling);
  const n = usable.length;
  if (perStep !== undefined) {
    // Never more than the later half: what a run learned from is not what it came to.
    const wanted = Math.max(3, Math.ceil(ROLLOUTS / perStep));
    const count = Math.min(n, Math.max(Math.min(wanted, Math.ceil(n / 2)), Math.min(3, n)));
    const rollouts = count * perStep;
    const few = rollouts < ROLLOUTS && count < wanted ? `, fewer than ${ROLLOUTS}: the log has ${n} steps` : "";
    return { picked: usable.slice(-count), stated: `last ${count} steps (${rollouts} rollouts${few})`, rollouts };
  }
  const last = steps[usable[n - 1]];
  const from = last - (last - Math.min(steps[usable[0]], last)) / 10;
  // Counted in steps, since of a long log the older part is kept thinned.
  const inTenth = usable.filter((i) => steps[i] > from).length;
  const count = Math.min(n, Math.max(3, inTenth));
  return {
    picked: usable.slice(-count),
    stated: `last ${count} steps (${count > 3 ? "a tenth of the run; " : ""}rollouts a step are unknown)`,
    rollouts: undefined,
  };
}

function rolloutsPerStep({ promptsPerStep, groupSize, rolloutsPerStep: stated }: Sampling): number | undefined {
  return stated ?? (promptsPerStep !== undefined && groupSize !== undefined ? promptsPerStep * groupSize : undefined);
}

/** Distinct tasks in so many training steps: the rollouts of one prompt are no independent trials. */
function tasksIn(
  steps: number,
  { promptsPerStep, groupSize, rolloutsPerStep: stated, tasks }: Sampling,
): number | undefined {
  const prompts = promptsPerStep ?? (stated !== undefined && groupSize !== undefined ? stated / groupSize : undefined);
  if (prompts === undefined) return undefined;
  return Math.max(1, Math.round(Math.min(tasks ?? Infinity, prompts * steps)));
}

function indexOfBest(values: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
