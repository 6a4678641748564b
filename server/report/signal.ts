/** Rollout groups that teach a group-relative estimator nothing: all succeed or all fail, so every advantage is 0. */
export interface GroupSignal {
  /** Share of groups without signal, in [0, 1]. */
  readonly wasted: number;
  /** Group size at which that share halves; null when no size up to 4,096 does (tasks that always or never succeed). */
  readonly halvedAt: number | null;
  /** From the tasks' own pass rates; otherwise from the mean alone, which is only a lower bound (Jensen). */
  readonly exact: boolean;
}

/** Mean over tasks of p^G + (1 − p)^G. */
export function wastedShare(passRates: readonly number[], groupSize: number): number {
  if (passRates.length === 0) return NaN;
  let sum = 0;
  for (const p of passRates) sum += p ** groupSize + (1 - p) ** groupSize;
  return sum / passRates.length;
}

export function groupSignal(passRates: readonly number[], groupSize: number, exact: boolean): GroupSignal | null {
  const wasted = wastedShare(passRates, groupSize);
  if (!Number.isFinite(wasted)) return null;
  let low = groupSize;
  let high = groupSize;
  while (high < 4096 && wastedShare(passRates, high) > wasted / 2) high *= 2;
  if (wasted === 0 || wastedShare(passRates, high) > wasted / 2) return { wasted, halvedAt: null, exact };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (wastedShare(passRates, middle) > wasted / 2) low = middle;
    else high = middle;
  }
  return { wasted, halvedAt: high, exact };
}

/** How many times as many rollouts dynamic sampling generates to fill a batch with groups that have a gradient; null: none ever has. */
export function generationFactor(wasted: number): number | null {
  return wasted < 1 ? 1 / (1 - wasted) : null;
}
