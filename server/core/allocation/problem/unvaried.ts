import type { AxisName } from "../../axes";
import type { FittedLaw, LawInstance } from "../../laws/law";
import { random, seedOf } from "../../numerics/random";
import { EXPONENT_SPREAD, PUBLISHED_EXPONENTS } from "../../solve/priors";

/** Axes that never varied over the fitted runs, with the level that they had: nothing but a prior is known of them. */
export function neverVaried(law: FittedLaw): readonly { readonly axis: AxisName; readonly level: number }[] {
  return law.refused.filter(
    ({ axis, with: others }) =>
      others === undefined && !law.axes.includes(axis) && PUBLISHED_EXPONENTS[axis] !== undefined,
  );
}

/**
 * The law with axes that never varied, each by the prior of its exponent about the level that every run had: what the floor leaves
 * is divided by (x/level)^α (on laws that are no posynomial, the odds of failure are). Draws take α from its log-normal prior, seeded
 * by the axis. Such axes are among `priorOnly`.
 */
export function withUnvaried(law: FittedLaw, wanted: readonly AxisName[]): FittedLaw {
  const added = neverVaried(law).filter(({ axis }) => wanted.includes(axis));
  if (added.length === 0) return law;
  const sources = added.map(({ axis }) => random(seedOf(1, `unvaried ${axis}`)));
  const exponents = (spread: boolean): number[] =>
    added.map(
      ({ axis }, i) => PUBLISHED_EXPONENTS[axis] * (spread ? Math.exp(EXPONENT_SPREAD * sources[i].normal()) : 1),
    );
  const levels = added.map(({ level }) => level);
  const axes = [...law.axes, ...added.map(({ axis }) => axis)];
  return {
    ...law,
    axes,
    point: extended(law.point, axes, levels, exponents(false)),
    draws: law.draws.map((draw) => extended(draw, axes, levels, exponents(true))),
    ...(law.members && {
      members: law.members.map((member) => ({
        ...member,
        point: extended(member.point, axes, levels, exponents(false)),
        draws: member.draws.map((draw) => extended(draw, axes, levels, exponents(true))),
      })),
    }),
    ranges: {
      ...law.ranges,
      ...Object.fromEntries(added.map(({ axis, level }) => [axis, { min: level, max: level, centre: level }])),
    },
    refused: law.refused.filter(({ axis }) => !added.some((one) => one.axis === axis)),
    priorOnly: [...law.priorOnly, ...added.map(({ axis }) => axis)],
  };
}

function extended(
  base: LawInstance,
  axes: readonly AxisName[],
  levels: readonly number[],
  alpha: readonly number[],
): LawInstance {
  const own = base.axes.length;
  /** ln of what the new axes divide by. */
  const log = (x: readonly number[]): number =>
    alpha.reduce((sum, a, i) => sum + a * Math.log(x[own + i] / levels[i]), 0);
  const posynomial = base.posynomial();
  if (posynomial) {
    const shift = alpha.reduce((sum, a, i) => sum + a * Math.log(levels[i]), 0);
    return {
      axes,
      error: (x) => posynomial.floor + (base.error(x.slice(0, own)) - posynomial.floor) * Math.exp(-log(x)),
      gradient: (x) => {
        const factor = Math.exp(-log(x));
        const over = (base.error(x.slice(0, own)) - posynomial.floor) * factor;
        return [...base.gradient(x.slice(0, own)).map((slope) => slope * factor), ...alpha.map((a) => -a * over)];
      },
      posynomial: () => ({
        floor: posynomial.floor,
        terms: posynomial.terms.map(({ logCoefficient, exponents }) => ({
          logCoefficient: logCoefficient + shift,
          exponents: [...exponents, ...alpha.map((a) => -a)],
        })),
      }),
    };
  }
  const odds = (error: number, by: number): number => error / (error + (1 - error) * Math.exp(by));
  return {
    axes,
    error: (x) => odds(base.error(x.slice(0, own)), log(x)),
    gradient: (x) => {
      const before = base.error(x.slice(0, own));
      const after = odds(before, log(x));
      const slope = before > 0 && before < 1 ? (after * (1 - after)) / (before * (1 - before)) : 1;
      return [
        ...base.gradient(x.slice(0, own)).map((one) => one * slope),
        ...alpha.map((a) => -a * after * (1 - after)),
      ];
    },
    posynomial: () => null,
  };
}
