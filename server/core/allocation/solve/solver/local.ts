import { quadratic } from "./convex";
import { minimiseInterior } from "./interior";
import { widened } from "./region";
import type { Region } from "./region";

/** A smooth function of z with its gradient; not convex in general. */
export interface Smooth {
  value(z: Float64Array): number;
  gradient(z: Float64Array): ArrayLike<number>;
}

export interface LocalSolution {
  readonly z: Float64Array;
  readonly value: number;
}

const MAX_STEPS = 80;

/**
 * A local minimum within every budget of a region, by sequential quadratic steps with a damped BFGS curvature. The cost stays exact in
 * every step (it is convex), so that each iterate is affordable and only the objective is modelled.
 */
export function localMinimum(region: Region, objective: Smooth, start: Float64Array): LocalSolution {
  const n = region.size;
  const z = affordable(region, start);
  let value = objective.value(z);
  let gradient = Float64Array.from(objective.gradient(z));
  const curvature = new Float64Array(n * n);
  const reset = (): void => {
    curvature.fill(0);
    const size = Math.max(1e-6, Math.hypot(...gradient));
    for (let i = 0; i < n; i++) curvature[i * n + i] = size;
  };
  reset();
  for (let step = 0; step < MAX_STEPS; step++) {
    const model = widened(quadratic(z, gradient, curvature), region.all);
    const solved = minimiseInterior(model, region.constraints, region.low, region.high, region.lift(region.inside(z)));
    const direction = new Float64Array(n);
    let descent = 0;
    for (let i = 0; i < n; i++) {
      direction[i] = solved.y[i] - z[i];
      descent += gradient[i] * direction[i];
    }
    if (!(descent < -1e-14)) break;
    const next = new Float64Array(n);
    let length = 1;
    let lowered = value;
    for (; length > 1e-10; length *= 0.5) {
      for (let i = 0; i < n; i++) next[i] = z[i] + length * direction[i];
      lowered = objective.value(next);
      if (lowered <= value + 1e-4 * length * descent) break;
    }
    if (!(lowered < value)) break;
    const slope = Float64Array.from(objective.gradient(next));
    update(curvature, next, z, slope, gradient, n);
    const gained = value - lowered;
    z.set(next);
    value = lowered;
    gradient = slope;
    if (gained < 1e-14 * Math.max(1, Math.abs(value))) break;
  }
  return { z, value };
}

/**
 * The start itself where it is allowed. A point strictly inside can lie far below it, where success is 0 whatever moves and no step
 * leads back.
 */
function affordable(region: Region, start: Float64Array): Float64Array {
  const held = Float64Array.from({ length: region.size }, (_, i) =>
    Math.min(region.high[i], Math.max(region.low[i], start[i])),
  );
  return Math.max(...region.shares(held)) <= 1 + 1e-9 ? held : Float64Array.from(region.inside(start));
}

/** Damped BFGS (Nocedal & Wright, procedure 18.2): stays positive definite where the objective is not convex. */
function update(
  curvature: Float64Array,
  to: Float64Array,
  from: Float64Array,
  slope: Float64Array,
  before: Float64Array,
  n: number,
): void {
  const s = new Float64Array(n);
  const y = new Float64Array(n);
  const bs = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    s[i] = to[i] - from[i];
    y[i] = slope[i] - before[i];
  }
  let sbs = 0;
  let sy = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) bs[i] += curvature[i * n + j] * s[j];
    sbs += s[i] * bs[i];
    sy += s[i] * y[i];
  }
  if (!(sbs > 1e-300)) return;
  const theta = sy >= 0.2 * sbs ? 1 : (0.8 * sbs) / (sbs - sy);
  let sr = 0;
  const r = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    r[i] = theta * y[i] + (1 - theta) * bs[i];
    sr += s[i] * r[i];
  }
  if (!(sr > 1e-300)) return;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) curvature[i * n + j] += (r[i] * r[j]) / sr - (bs[i] * bs[j]) / sbs;
}
