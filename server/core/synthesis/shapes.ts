import type { AxisName } from "../axes";
import type { Parameter } from "../laws/model";

export const SHAPE_NAMES = ["cap", "broken", "peak", "saturating"] as const;
export type ShapeName = (typeof SHAPE_NAMES)[number];

/** Critical synthetic : real ratios of the paper: defaults where no run tells one. */
export const PUBLISHED_RATIOS: Readonly<Record<string, number>> = { environments: 9.4, tasks: 3.4, trajectories: 1.4 };

/** Data never count for less than this share of the real ones, however harmful the synthetic. */
export const LEAST = 0.02;

/**
 * g(r) = effective : real data at the ratio r = synthetic : real. Two or three parameters: κ first, then ln r* (or ln s),
 * then the broken shape's δ.
 */
export interface Shape {
  readonly name: ShapeName;
  readonly count: number;
  /** Whether the second parameter is a critical ratio. */
  readonly critical: boolean;
  /** Returns g and fills its derivatives by the parameters. */
  g(extra: ArrayLike<number>, at: number, r: number, slopes: Float64Array | null): number;
}

const cap: Shape = {
  name: "cap",
  count: 2,
  critical: true,
  g(extra, at, r, slopes) {
    const kappa = extra[at],
      critical = Math.exp(extra[at + 1]),
      used = Math.min(r, critical);
    if (slopes) {
      slopes[0] = used;
      slopes[1] = r > critical ? kappa * critical : 0;
    }
    return 1 + kappa * used;
  },
};

const broken: Shape = {
  name: "broken",
  count: 3,
  critical: true,
  g(extra, at, r, slopes) {
    const kappa = extra[at],
      critical = Math.exp(extra[at + 1]),
      delta = extra[at + 2],
      over = Math.max(0, r - critical);
    if (slopes) {
      slopes[0] = Math.min(r, critical);
      slopes[1] = over > 0 ? (kappa + delta) * critical : 0;
      slopes[2] = -over;
    }
    return 1 + kappa * Math.min(r, critical) - delta * over;
  },
};

/** 1 + κr − δr² with δ = κ/(2r*): the critical ratio is where it peaks. */
const peak: Shape = {
  name: "peak",
  count: 2,
  critical: true,
  g(extra, at, r, slopes) {
    const kappa = extra[at],
      critical = Math.exp(extra[at + 1]),
      bent = r - (r * r) / (2 * critical);
    if (slopes) {
      slopes[0] = bent;
      slopes[1] = (kappa * r * r) / (2 * critical);
    }
    return 1 + kappa * bent;
  },
};

/** 1 + s(1 − exp(−κr/s)): no ratio at which it turns. */
const saturating: Shape = {
  name: "saturating",
  count: 2,
  critical: false,
  g(extra, at, r, slopes) {
    const kappa = extra[at],
      s = Math.exp(extra[at + 1]),
      gone = Math.exp((-kappa * r) / s);
    if (slopes) {
      slopes[0] = r * gone;
      slopes[1] = s * (1 - gone) - kappa * r * gone;
    }
    return 1 + s * (1 - gone);
  },
};

export const SHAPES: Readonly<Record<ShapeName, Shape>> = { cap, broken, peak, saturating };

/** g kept positive, with its slopes cut where it was. */
export function bounded(
  shape: Shape,
  extra: ArrayLike<number>,
  at: number,
  r: number,
  slopes: Float64Array | null,
): number {
  const g = shape.g(extra, at, r, slopes);
  if (g > LEAST) return g;
  slopes?.fill(0);
  return LEAST;
}

/** Names of those parameters in a fit's draws. */
export function parameterNames(shape: ShapeName, axis: AxisName, method: string): string[] {
  const label = `${axis}_${method}`;
  return [
    `kappa_${label}`,
    `${SHAPES[shape].critical ? "ratio" : "s"}_${label}`,
    ...(shape === "broken" ? [`delta_${label}`] : []),
  ];
}

/** Parameters of one method on one axis. κ may leave [0, 1]: it is reported as it is. */
export function shapeParameters(shape: Shape, axis: AxisName, method: string, largestRatio: number): Parameter[] {
  const [kappa, second, third] = parameterNames(shape.name, axis, method);
  const typical = Math.log(PUBLISHED_RATIOS[axis] ?? 3);
  const out: Parameter[] = [{ name: kappa, role: "shape", low: -0.5, high: 3, prior: { mean: 0.6, sd: 0.4 } }];
  if (shape.critical)
    out.push({
      name: second,
      role: "log-shape",
      low: Math.log(0.02),
      high: Math.log(Math.max(4 * largestRatio, 20)),
      prior: { mean: typical, sd: 0.8 },
    });
  else
    out.push({
      name: second,
      role: "log-shape",
      low: Math.log(0.05),
      high: Math.log(1e4),
      prior: { mean: typical, sd: 1 },
    });
  if (shape.name === "broken") out.push({ name: third, role: "shape", low: 0, high: 3, prior: { mean: 0.3, sd: 0.3 } });
  return out;
}
