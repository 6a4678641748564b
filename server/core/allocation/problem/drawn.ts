import type { DrawnDiscount, DrawnSynthesis, FittedLaw, LawInstance } from "../../laws/law";
import { LEAST } from "../../synthesis/shapes";
import { effectivePerReal, type MixShape } from "../../synthesis/mix";
import type { Ratios, SynthesisMix } from "./types";

/** What the law's own draws say of a mix; null where its discount was stated, published or assumed. */
export function drawnFor(law: FittedLaw, mix: SynthesisMix): Pick<DrawnSynthesis, "draws"> | null {
  if (mix.draws) return mix.draws.length > 0 ? { draws: mix.draws } : null;
  return (
    law.synthesis?.find(
      ({ axis, method, discount, draws }) =>
        axis === mix.axis &&
        method === mix.method &&
        draws.length > 0 &&
        Math.abs(discount - mix.shape.discount) <= 1e-9 * Math.max(1, Math.abs(discount)),
    ) ?? null
  );
}

/**
 * The law's draws over the effective units of its estimate, at these ratios: each counts synthetic data by its own κ and r*, so
 * that what is unknown of them enters every interval. Discounts that are taken as known leave the draws as they are.
 */
export function drawsWith(law: FittedLaw, mixes: readonly SynthesisMix[], ratios: Ratios): readonly LawInstance[] {
  const drawn = mixes.flatMap((mix) => {
    const ratio = ratios[mix.axis] ?? mix.ratio,
      own = drawnFor(law, mix),
      at = law.axes.indexOf(mix.axis);
    // A refused axis is held at the level that the law sees, whatever synthetic data count for.
    if (!own || !(ratio > 0) || at < 0 || law.refused.some((one) => one.axis === mix.axis)) return [];
    const point = effectivePerReal(mix.shape, ratio);
    return [
      {
        at,
        shift: own.draws.map((one) =>
          Math.log(Math.max(LEAST, effectivePerReal(shapeOf(mix.shape, one), ratio)) / point),
        ),
      },
    ];
  });
  return drawn.length === 0
    ? law.draws
    : law.draws.map((draw, b) =>
        shifted(
          draw,
          drawn.map(({ at, shift }) => ({ at, by: shift[b % shift.length] })),
        ),
      );
}

/** The law with such draws at the mixes' own ratios, for predictions in effective units. */
export function withDrawnDiscounts(law: FittedLaw, mixes: readonly SynthesisMix[]): FittedLaw {
  const draws = drawsWith(law, mixes, {});
  return draws === law.draws ? law : { ...law, draws };
}

/** A draw's numbers in the shape that prices the mix: what the draw does not show stays as the mix has it. */
function shapeOf(shape: MixShape, { discount, criticalRatio, shapeParameter }: DrawnDiscount): MixShape {
  switch (shape.kind) {
    case "cap":
      return { ...shape, discount, criticalRatio: criticalRatio ?? shape.criticalRatio };
    case "broken":
      return {
        ...shape,
        discount,
        criticalRatio: criticalRatio ?? shape.criticalRatio,
        harm: shapeParameter ?? shape.harm,
      };
    case "peak":
      return { ...shape, discount, harm: shapeParameter ?? shape.harm };
    case "saturating":
      return { ...shape, discount, ceiling: shapeParameter ?? shape.ceiling };
  }
}

/** The same law with ln x moved on some axes. */
function shifted(draw: LawInstance, moves: readonly { readonly at: number; readonly by: number }[]): LawInstance {
  const factors = draw.axes.map(() => 1);
  for (const { at, by } of moves) factors[at] *= Math.exp(by);
  const seen = (x: readonly number[]): number[] => x.map((level, i) => level * factors[i]);
  return {
    axes: draw.axes,
    error: (x) => draw.error(seen(x)),
    gradient: (x) => draw.gradient(seen(x)),
    posynomial() {
      const own = draw.posynomial();
      return (
        own && {
          floor: own.floor,
          terms: own.terms.map(({ logCoefficient, exponents }) => ({
            logCoefficient: moves.reduce((sum, { at, by }) => sum + exponents[at] * by, logCoefficient),
            exponents,
          })),
        }
      );
    },
  };
}
