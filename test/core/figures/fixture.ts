import type { AxisName } from "../../../server/core/axes";
import type { AxisExponent, SettingFit } from "../../../server/core/figures/axisFits";
import type { FittedLaw, LawInstance } from "../../../server/core/laws/law";
import type { RunRow } from "../../../server/core/table";

/** A seeded stream of numbers in [0, 1). */
export function stream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** e = floor + A·∏ x_i^−α_i, written out by hand so that figures are checked against a law that is not the engine's. */
export function product(axes: readonly AxisName[], floor: number, logA: number, alpha: readonly number[]): LawInstance {
  const term = (x: readonly number[]): number => Math.exp(logA - alpha.reduce((sum, a, i) => sum + a * Math.log(x[i]), 0));
  return {
    axes,
    error: (x) => floor + term(x),
    gradient: (x) => alpha.map((a) => -a * term(x)),
    posynomial: () => ({ floor, terms: [{ logCoefficient: logA, exponents: alpha.map((a) => -a) }] }),
  };
}

export const AXES = ["environments", "tasks", "trajectories"] as const;
export const ALPHA = [0.33, 0.25, 0.12];

export function law(drawn = 100, axes: readonly AxisName[] = AXES, alpha: readonly number[] = ALPHA): FittedLaw {
  const next = stream(7);
  const jitter = (): number => (next() + next() + next() - 1.5) * 0.06;
  const centres: Record<string, number> = { environments: 20, tasks: 1000, trajectories: 8, parameters: 8e9 };
  const anchor = (alphas: readonly number[]): number => Math.log(0.45) + alphas.reduce((sum, a, i) => sum + a * Math.log(centres[axes[i]] ?? 10), 0);
  return {
    law: "multiplicative", response: "success", axes,
    point: product(axes, 0.05, anchor(alpha), alpha),
    draws: Array.from({ length: drawn }, () => {
      const moved = alpha.map((a) => Math.max(0.02, a + jitter()));
      return product(axes, Math.max(0, 0.05 + jitter() * 0.5), anchor(moved) + jitter(), moved);
    }),
    drawKind: "bootstrap",
    ranges: Object.fromEntries(axes.map((axis) => {
      const middle = centres[axis] ?? 10;
      return [axis, { min: middle / 8, max: middle * 8, centre: middle }];
    })),
    refused: [], priorOnly: [],
  };
}

export function rows(fitted: FittedLaw, setting: string, seed = 3): RunRow[] {
  const next = stream(seed);
  const levels = [0.15, 0.6, 2.5, 7];
  return levels.flatMap((a) => levels.flatMap((b) => [0.3, 1, 4].map((c, k): RunRow => {
    const factors = [a, b, c, 1];
    const x = fitted.axes.map((axis, i) => Math.round(fitted.ranges[axis].centre * factors[i]) || 1);
    const rate = Math.min(0.99, Math.max(0.01, 1 - fitted.point.error(x) + (next() - 0.5) * 0.06));
    return {
      id: `runs/${setting || "all"}-${a}-${b}-${k}`, axes: Object.fromEntries(fitted.axes.map((axis, i) => [axis, x[i]])),
      outcome: { kind: "counts", successes: Math.round(rate * 500), trials: 500 }, setting, simulated: true,
      files: [`runs/${setting || "all"}-${a}-${b}-${k}/metrics.jsonl`],
    };
  })));
}

export function exponents(fitted: FittedLaw, alpha: readonly number[] = ALPHA): AxisExponent[] {
  return fitted.axes.map((axis, i) => ({ axis, status: "fitted", estimate: alpha[i], low: alpha[i] - 0.04, high: alpha[i] + 0.04 }));
}

export function settingFit(setting = "", axes: readonly AxisName[] = AXES, alpha: readonly number[] = ALPHA, seed = 3): SettingFit {
  const fitted = law(100, axes, alpha);
  return { setting, law: fitted, rows: rows(fitted, setting, seed), exponents: exponents(fitted, alpha) };
}
