/** A shape g(u) of a learning curve y = a + b·g(u), u the share of the planned steps, with its prior probability. */
export interface Shape {
  readonly family: Family;
  readonly at: (u: number) => number;
  readonly prior: number;
  /** Where a rise turns into a fall: such a shape counts only once that has been seen. */
  readonly turns?: number;
}

export type Family = "sigmoid" | "exponential" | "power" | "logarithm" | "flat" | "collapse";

/**
 * Prior weight of each family (up to a factor). Rises like a sigmoid in ln(step) are the most common (ScaleRL, arXiv 2510.13786);
 * a run that has stopped rising is the next.
 */
const PRIOR: Readonly<Record<Family, number>> = {
  sigmoid: 0.43,
  exponential: 0.17,
  power: 0.08,
  logarithm: 0.05,
  flat: 0.25,
  collapse: 0.005,
};

/** `count` values from `low` to `high`, evenly in logs. */
function spread(low: number, high: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => low * (high / low) ** (i / (count - 1)));
}

function family(name: Family, shapes: readonly ((u: number) => number)[]): Shape[] {
  return shapes.map((at) => ({ family: name, at, prior: PRIOR[name] / shapes.length }));
}

/** Every shape that is tried: small grids, so that a forecast is a sum in closed form and takes under a millisecond. */
export const SHAPES: readonly Shape[] = [
  ...family(
    "sigmoid",
    spread(0.03, 2, 12).flatMap((c) =>
      [0.8, 1.2, 2, 3, 5, 9].map((steepness) => (u: number) => (u <= 0 ? 0 : 1 / (1 + (u / c) ** -steepness))),
    ),
  ),
  ...family(
    "exponential",
    spread(0.02, 1.5, 10).map((tau) => (u: number) => 1 - Math.exp(-u / tau)),
  ),
  ...family(
    "power",
    spread(0.01, 0.5, 6).flatMap((c) => [0.3, 0.6, 1, 2].map((k) => (u: number) => 1 - (1 + u / c) ** -k)),
  ),
  ...family(
    "logarithm",
    spread(0.005, 1, 5).map((c) => (u: number) => Math.log1p(u / c) / Math.log1p(1 / c)),
  ),
  ...family("flat", [() => 0]),
  ...[0.1, 0.2, 0.35, 0.55].map((top): Shape => ({
    family: "collapse",
    at: (u) => (u / top) * Math.exp(1 - u / top),
    prior: PRIOR.collapse / 4,
    turns: top,
  })),
];
