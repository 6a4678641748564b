import type { Outcome } from "../core/table";
import type { FinalRule } from "./options";
import type { SuccessChoice } from "./successMetric";

/** How many evaluations a rule takes; undefined for a rule that is none. */
export function evaluationsOf(rule: string): number | undefined {
  if (rule === "last") return 1;
  const k = /^last(\d+)$/.exec(rule);
  const count = k ? Number(k[1]) : undefined;
  return count !== undefined && count >= 1 && count <= 1000 ? count : undefined;
}

export interface FinalValue {
  readonly outcome: Outcome;
  /** The rule as applied: `last3`, or `last2 (of last3: only 2 evaluations)`. */
  readonly rule: string;
}

/**
 * A run's value. Three evaluations of the same tasks are no more independent tasks: `trials` stays that of one evaluation
 * (the least of them), and the rate is the plain mean.
 * @param evaluationTasks distinct evaluation tasks, where they are known from outside the log
 */
export function finalValue(choice: SuccessChoice, rule: FinalRule, evaluationTasks: number | undefined): FinalValue {
  const { steps, values } = choice.series;
  const count = evaluationsOf(rule);
  // What was measured before the training is no part of what came of it, however few evaluations follow.
  const after = values.map((_, i) => i).filter((i) => steps[i] > 0);
  const usable = after.length > 0 ? after : values.map((_, i) => i);
  const picked = rule === "best" ? [indexOfBest(values)] : usable.slice(-(count ?? 3));
  const stated =
    rule === "best" || picked.length === (count ?? 3)
      ? rule
      : `last${picked.length} (of ${rule}: the log has no more evaluations)`;
  const rate = picked.reduce((sum, i) => sum + values[i], 0) / picked.length;
  const counts = choice.counts;
  if (counts && picked.length === 1) {
    const [i] = picked;
    const trials = counts.trials.values[i];
    const successes = counts.successes.values[i];
    if (Number.isInteger(trials) && Number.isInteger(successes))
      return { outcome: { kind: "counts", successes, trials }, rule: stated };
  }
  const trials = counts ? Math.min(...picked.map((i) => counts.trials.values[i])) : evaluationTasks;
  return { outcome: { kind: "rate", rate, ...(trials !== undefined && trials > 0 ? { trials } : {}) }, rule: stated };
}

function indexOfBest(values: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
