import type { AxisName } from "../axes";
import type { Model, Parameter } from "../laws/model";

/**
 * Exponents that the published growth vector implies when it is read as spend shares of a multiplicative law with
 * α_T = 0.25 [inferred from the paper]; worlds carry most of the environments' exponent and structures resemble tasks [paper].
 */
export const PUBLISHED_EXPONENTS: Readonly<Record<string, number>> = {
  environments: 0.315,
  worlds: 0.315,
  structures: 0.25,
  tasks: 0.25,
  trajectories: 0.12,
  parameters: 0.241,
};

/** Standard deviation of ln α about the published value: wide, since those were read off one law and say little of another setting. */
export const EXPONENT_SPREAD = 0.8;

/** Standard deviation of the logit of the floor, about −2. */
const FLOOR_SPREAD = 1.8;

/** ln of run-to-run noise in the success rate: about 2 points between training seeds. */
export const RUN_NOISE = { mean: Math.log(0.02), sd: 0.6 } as const;

/** Along one axis runs are often means, or stages of one training: they may scatter far less. */
export const ONE_AXIS_NOISE = { mean: Math.log(0.01), sd: 1.2 } as const;

/** Standard deviation of ln of each term's share, where every axis has a term of its own. */
const PART_SPREAD = 0.8;

/** A user's own priors for exponents: median and standard deviation of ln α. */
export type ExponentPriors = Readonly<Partial<Record<AxisName, { readonly median: number; readonly sd: number }>>>;

/** One parameter seen through an unbounded coordinate z with a normal prior. */
export interface Coordinate {
  readonly mean: number;
  readonly sd: number;
  /** z → θ and its derivative. */
  theta(z: number): number;
  slope(z: number): number;
  z(theta: number): number;
}

/** What the priors take from the data: the scale of the observed errors or losses. */
export interface ObservedScale {
  readonly response: "success" | "loss";
  readonly smallest: number;
  /** Geometric mean. */
  readonly typical: number;
  readonly top: number;
}

export function observedScale(response: "success" | "loss", y: ArrayLike<number>, top: number): ObservedScale {
  const values = Array.from(y, (v) => Math.max(v, 1e-3));
  return {
    response,
    smallest: Math.min(...values),
    typical: Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length),
    top,
  };
}

/**
 * Priors for every parameter of a law: exponents and floor from model.md section 3; coefficients only by the scale of the
 * data, and wide, since nothing is published about them.
 */
export function coordinates(model: Model, scale: ObservedScale, own: ExponentPriors = {}): Coordinate[] {
  const { response, smallest, top } = scale;
  const coefficients = model.parameters.filter((p) => p.role === "log-coefficient").length;
  const { steeper, apart } = structureOf(model);
  return model.parameters.map((p): Coordinate => {
    if (p.role === "exponent" && p.axis !== undefined && p.name.startsWith("alpha_")) {
      const mine = own[p.axis],
        published = PUBLISHED_EXPONENTS[p.axis];
      return logarithm(Math.log(mine?.median ?? steeper(p.axis) * (published ?? 0.25)), mine?.sd ?? EXPONENT_SPREAD);
    }
    // Slopes of log-odds: where half of the tasks succeed, twice the exponent of the error.
    if (p.role === "exponent" && p.axis !== undefined && p.name.startsWith("b_"))
      return logarithm(Math.log(1.5 * (own[p.axis]?.median ?? PUBLISHED_EXPONENTS[p.axis] ?? 0.25)), EXPONENT_SPREAD);
    if (p.role === "ceiling") return logistic(p.low, p.high, 2, FLOOR_SPREAD);
    if (p.role === "start") return logistic(0, 1, -2, 2);
    if (p.role === "floor") {
      if (response === "success") return logistic(0, 1, -2, FLOOR_SPREAD);
      const share = Math.min(0.95, Math.max(0.05, (0.7 * smallest) / top));
      return logistic(0, top, Math.log(share / (1 - share)), 1);
    }
    if (p.prior) return plain(p.prior.mean, p.prior.sd);
    switch (p.role) {
      case "log-coefficient":
        if (p.name.startsWith("B_")) return plain(0, 1.5);
        return plain(
          Math.log(
            (0.6 * (response === "success" ? scale.typical : Math.max(scale.typical - 0.7 * smallest, 0.02 * top))) /
              Math.max(1, coefficients),
          ),
          apart ? PART_SPREAD : 1.5,
        );
      case "control":
        return plain(0, 0.3);
      case "log-shape":
        return plain((p.low + p.high) / 2, (p.high - p.low) / 4);
      case "exponent":
        return logarithm(0, 1);
      default:
        return logistic(p.low, p.high, 0, 1.5);
    }
  });
}

/**
 * How axes share a law's terms. Published exponents are those of one product: where an axis is in k of n terms, it needs between 1 and n/k
 * times the exponent to have the same effect on the error, and `steeper` is the geometric middle, √(n/k). `apart`: each axis has a term of
 * its own, whose sizes are then parts of one error.
 */
function structureOf(model: Model): { readonly steeper: (axis: AxisName) => number; readonly apart: boolean } {
  const terms = model.posynomial(model.parameters.map(({ low, high }) => (low + high) / 2))?.terms ?? [];
  const share = new Map(
    model.axes.map((axis, i) => [axis, terms.filter(({ exponents }) => exponents[i] !== 0).length] as const),
  );
  return {
    steeper: (axis) => Math.sqrt(terms.length / (share.get(axis) || terms.length || 1)) || 1,
    apart: terms.length > 1 && [...share.values()].every((own) => own === 1),
  };
}

function plain(mean: number, sd: number): Coordinate {
  return { mean, sd, theta: (z) => z, slope: () => 1, z: (theta) => theta };
}

function logarithm(mean: number, sd: number): Coordinate {
  return { mean, sd, theta: Math.exp, slope: Math.exp, z: (theta) => Math.log(Math.max(theta, 1e-9)) };
}

function logistic(low: number, high: number, mean: number, sd: number): Coordinate {
  const share = (z: number): number => 1 / (1 + Math.exp(-z));
  return {
    mean,
    sd,
    theta: (z) => low + (high - low) * share(z),
    slope: (z) => (high - low) * share(z) * (1 - share(z)),
    z(theta) {
      const s = Math.min(Math.max((theta - low) / (high - low), 1e-6), 1 - 1e-6);
      return Math.log(s / (1 - s));
    },
  };
}

/** Whether θ lies where the law is defined: priors have tails beyond the bounds. */
export function within(parameters: readonly Parameter[], theta: ArrayLike<number>): boolean {
  return parameters.every((p, i) => theta[i] >= p.low && theta[i] <= p.high);
}
