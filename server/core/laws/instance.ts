import type { LawInstance, Posynomial } from "./law";
import type { LawContext, Model } from "./model";
import { softError, softSlope } from "./soft";

/** A model with its numbers, over raw levels; a success law never leaves [0, 1]. */
export function instance(
  model: Model,
  theta: ArrayLike<number>,
  logCentre: readonly number[],
  response: LawContext["response"] = "loss",
): LawInstance {
  const k = model.axes.length;
  const u = new Float64Array(k),
    e = new Float64Array(1),
    slope = new Float64Array(k);
  const soft = response === "success";
  const centre = (x: readonly number[]): void => {
    for (let i = 0; i < k; i++) u[i] = Math.log(x[i]) - logCentre[i];
  };
  return {
    axes: model.axes,
    error(x) {
      centre(x);
      model.evaluate(theta, u, 1, e, null);
      return soft ? softError(e[0]) : e[0];
    },
    gradient(x) {
      centre(x);
      model.evaluate(theta, u, 1, e, null, slope);
      const factor = soft ? softSlope(e[0]) : 1;
      return Array.from(slope, (one) => factor * one);
    },
    posynomial: () => raw(model.posynomial(theta), logCentre),
    increasingIn: () => raw(model.posynomial(theta) ?? model.increasingIn?.(theta) ?? null, logCentre),
  };
}

/** From centred levels to raw ones; null where an exponent has the wrong sign. */
function raw(centred: Posynomial | null, logCentre: readonly number[]): Posynomial | null {
  if (!centred || centred.terms.some((term) => term.exponents.some((a) => a > 0))) return null;
  return {
    floor: centred.floor,
    terms: centred.terms.map(({ logCoefficient, exponents }) => ({
      logCoefficient: exponents.reduce((sum, a, i) => sum - a * logCentre[i], logCoefficient),
      exponents,
    })),
  };
}

/** The mean of laws by weight. A posynomial where all are; one alone is itself. */
export function weightedMean(parts: readonly { readonly weight: number; readonly point: LawInstance }[]): LawInstance {
  if (parts.length === 1) return parts[0].point;
  const { axes } = parts[0].point;
  return {
    axes,
    error: (x) => parts.reduce((sum, { weight, point }) => sum + weight * point.error(x), 0),
    gradient(x) {
      const total = axes.map(() => 0);
      for (const { weight, point } of parts) point.gradient(x).forEach((slope, i) => (total[i] += weight * slope));
      return total;
    },
    posynomial() {
      const all = parts.map(({ point }) => point.posynomial());
      if (all.some((one) => one === null)) return null;
      return {
        floor: all.reduce((sum, one, i) => sum + parts[i].weight * one!.floor, 0),
        terms: all.flatMap((one, i) =>
          one!.terms.map((term) => ({ ...term, logCoefficient: term.logCoefficient + Math.log(parts[i].weight) })),
        ),
      };
    },
    increasingIn() {
      return this.posynomial();
    },
  };
}
