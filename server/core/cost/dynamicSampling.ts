/** Pass rates spread over tasks as Beta(m, 1 − m): most tasks are nearly always or nearly never solved. */
const CONCENTRATION = 1;

/** E[p^G + (1 − p)^G] over pass rates with mean `mean`: share of groups of `group` rollouts without signal. */
export function withoutSignal(mean: number, group: number): number {
  const power = (a: number): number => {
    let product = 1;
    for (let i = 0; i < group; i++) product *= (a * CONCENTRATION + i) / (CONCENTRATION + i);
    return product;
  };
  return power(mean) + power(1 - mean);
}

/** A share measured in groups of one size, in groups of another: as pass rates of that mean would move it. */
export function atGroupSize(share: number, measured: number, group: number, mean: number): number {
  const m = Math.min(1 - 1e-6, Math.max(1e-6, mean));
  return Math.min(1, (share * withoutSignal(m, group)) / withoutSignal(m, measured));
}

/** The same over pass rates that were measured, one a task. */
export function withoutSignalOf(rates: readonly number[], group: number): number {
  return rates.reduce((sum, rate) => sum + rate ** group + (1 - rate) ** group, 0) / rates.length;
}

/**
 * Generated ÷ trained where groups without signal are thrown away and drawn again: 1 / (1 − share), at least one batch of
 * generation (in training batches). At most 20: beyond, a run gives up.
 */
export function samplingFactor(share: number, generationBatches = 1): number {
  return Math.min(20, Math.max(1 / Math.max(1e-9, 1 - share), generationBatches));
}
