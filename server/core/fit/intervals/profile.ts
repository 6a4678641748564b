import type { Model } from "../../laws/model";
import { MANY_ROWS } from "./bootstrap";
import { solver } from "../../solve/levenberg";
import type { Loss, Observed } from "../../solve/likelihood";

export interface ProfileInterval {
  readonly low: number;
  readonly high: number;
  /** The profile never rose to the threshold before this bound of the parameter. */
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
}

/**
 * Values of parameter `which` whose best attainable objective stays within `rise` of the optimum
 * (rise = φ·F(1, m − k)/2 for a 95 % interval). Each side is bracketed outwards from the estimate, then bisected with
 * warm starts.
 */
export function profileInterval(
  model: Model,
  seen: Observed,
  loss: Loss,
  theta: Float64Array,
  objective: number,
  which: number,
  rise: number,
): ProfileInterval {
  const solve = solver(model, seen);
  const weight = new Float64Array(seen.m).fill(1);
  const held = model.parameters.map((_, i) => i === which);
  const { low, high } = model.parameters[which];
  const side = (bound: number): { at: number; open: boolean } => {
    let warm: ArrayLike<number> = theta;
    const excess = (value: number): number => {
      const start = Float64Array.from(warm);
      start[which] = value;
      const found = solve.solve(start, weight, loss, {
        held,
        ...(seen.m > MANY_ROWS
          ? { tolerance: 0.001 / seen.m, maxIterations: 40, damping: 1e-6 }
          : { tolerance: 1e-8, maxIterations: 60 }),
      });
      warm = found.theta;
      return found.objective - objective - rise;
    };
    const from = theta[which],
      room = bound - from;
    if (Math.abs(room) < 1e-9) return { at: bound, open: true };
    // Steps outwards until the profile has risen enough; the first step is a guess that doubling soon corrects.
    let inside = from,
      insideExcess = -rise,
      step = 0.05 * (high - low);
    let outside = NaN,
      outsideExcess = NaN;
    for (let i = 0; i < 12; i++) {
      const value = Math.abs(step) >= Math.abs(bound - inside) ? bound : inside + Math.sign(room) * step;
      const here = excess(value);
      if (here > 0) {
        outside = value;
        outsideExcess = here;
        break;
      }
      if (value === bound) return { at: bound, open: true };
      inside = value;
      insideExcess = here;
      step *= 2;
    }
    if (Number.isNaN(outside)) return { at: bound, open: true };
    for (let i = 0; i < 30 && Math.abs(outside - inside) > 1e-4 * (high - low); i++) {
      // The profile is nearly a parabola: interpolate in its square root, kept away from the ends.
      const a = Math.sqrt(Math.max(insideExcess + rise, 0)),
        b = Math.sqrt(outsideExcess + rise),
        t = (Math.sqrt(rise) - a) / (b - a);
      const middle = inside + Math.min(Math.max(Number.isFinite(t) ? t : 0.5, 0.05), 0.95) * (outside - inside);
      const here = excess(middle);
      if (Math.abs(here) < 1e-3 * rise) return { at: middle, open: false };
      if (here > 0) [outside, outsideExcess] = [middle, here];
      else [inside, insideExcess] = [middle, here];
    }
    return { at: (inside + outside) / 2, open: false };
  };
  const below = side(low),
    above = side(high);
  return { low: below.at, high: above.at, lowOpen: below.open, highOpen: above.open };
}
