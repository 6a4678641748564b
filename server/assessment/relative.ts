import type { AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import type { LawInstance } from "../core/laws/law";
import type { LawInForce, RelativeAnswer } from "./types";

/** Axes that people can double without knowing how many there are. */
const SHOWN: readonly AxisName[] = ["trajectories", "tasks", "environments"];

/**
 * What doubling an axis is worth when no absolute level is known: ΔP = (e − E)(1 − 2^−α), which holds for a law that is a
 * floor and one product of powers. Null for other laws, or where the measured success is above what the floor allows.
 * @param measured success rate of the run's last evaluations, in [0, 1]
 */
export function relativeAnswer({ law }: LawInForce, measured: number): RelativeAnswer | null {
  // The law that is shown, alone: a mean over laws is no product of powers.
  const shown = law.members?.[0] ?? law;
  const point = powers(shown.point);
  if (!point) return null;
  const draws = shown.draws.map(powers).filter((draw) => draw !== null);
  const error = 1 - measured;
  if (error <= point.floor) return null;
  const gain = (floor: number, exponent: number) => 100 * Math.max(0, error - floor) * (1 - 2 ** exponent);
  const doublings = SHOWN.flatMap((axis) => {
    const at = law.axes.indexOf(axis);
    if (at < 0 || law.refused.some((one) => one.axis === axis)) return [];
    const values = draws.map((draw) => gain(draw.floor, draw.exponents[at])).sort((a, b) => a - b);
    return [{ axis, points: intervalOf(gain(point.floor, point.exponents[at]), values) }];
  });
  return doublings.length > 0 ? { measured, doublings } : null;
}

function powers(instance: LawInstance): { floor: number; exponents: readonly number[] } | null {
  const posynomial = instance.posynomial();
  return posynomial && posynomial.terms.length === 1
    ? { floor: posynomial.floor, exponents: posynomial.terms[0].exponents }
    : null;
}

function intervalOf(estimate: number, sorted: readonly number[]): Estimate {
  if (sorted.length === 0) return { estimate, low: NaN, high: NaN };
  const at = (p: number) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(p * (sorted.length - 1))))];
  return { estimate, low: Math.min(estimate, at(0.025)), high: Math.max(estimate, at(0.975)) };
}
