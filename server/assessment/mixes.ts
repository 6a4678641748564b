import { isKnown, type ExperimentBudget, type SynthesisPlan } from "../budget/budget";
import type { PricedAxis, ScalingFile } from "../configs/scaling/scalingFile";
import type { AxisName } from "../core/axes";
import type { Estimate } from "../core/estimate";
import type { DrawnDiscount } from "../core/laws/law";
import { random, seedOf } from "../core/numerics/random";
import { criticalRatio, PUBLISHED_CRITICAL_RATIOS, type MixShape } from "../core/synthesis/mix";
import type { SynthesisMix } from "../core/allocation";
import type { FitFile } from "../core/fit";
import type { SynthesisEstimate } from "../core/synthesis/drawn";
import type { Note, SynthesisView } from "./types";

/** What is known of an axis's synthetic data: for the solver, and for people. */
export interface PlannedMix {
  readonly mix: SynthesisMix;
  readonly view: SynthesisView;
}

/**
 * Synthetic data of each axis with the shape that prices it: fitted where the fit has the method, else the published ratio;
 * what people state goes before both. The ratio itself is optimised, from none on, where the discount is known and both kinds have a price: what is assumed moves
 * nothing.
 */
export function plannedMixes(budget: ExperimentBudget, fit: FitFile | null, scaling: ScalingFile | null): PlannedMix[] {
  return Object.entries(budget.synthesis).flatMap(([axis, plan]) => {
    if (!plan || !isKnown(plan.real) || !isKnown(plan.synthetic)) return [];
    if (plan.synthetic.value <= 0 && plan.real.value <= 0) return [];
    const ratio = plan.real.value > 0 ? plan.synthetic.value / plan.real.value : Infinity;
    const fitted = fittedShape(axis, fit?.synthesis[axis]?.[plan.method]);
    const stated = statedShape(axis, plan, fitted?.shape ?? null);
    const priced = stated ?? fitted ?? publishedShape(axis);
    if (!priced) return [];
    const { shape, source } = priced;
    // What is assumed moves nothing; a ratio alone does not say what a unit is worth.
    const known = stated ? stated.whole : fitted !== null;
    const bought =
      scaling?.prices.real[axis as PricedAxis] !== undefined &&
      scaling.prices.synthetic[axis as PricedAxis] !== undefined;
    // None yet is a start, where what they are worth and cost is known; else there is nothing to price.
    if (plan.synthetic.value <= 0 && !(known && bought)) return [];
    return [
      {
        mix: {
          axis,
          method: plan.method,
          shape,
          ratio: Number.isFinite(ratio) ? ratio : 1e6,
          source,
          ...(stated && { draws: stated.draws }),
          ...(known && bought ? { optimise: true } : {}),
        },
        view: {
          method: plan.method,
          ratio,
          critical: criticalRatio(shape),
          source,
          ...(plan.span && { span: plan.span }),
        },
      },
    ];
  });
}

/** Synthetic data that could be bought but whose worth nobody knows: they are not part of the optimum, and that is said. */
export function unknownWorth(
  { synthesis }: ExperimentBudget,
  mixes: readonly PlannedMix[],
  scaling: ScalingFile | null,
): Note[] {
  return Object.entries(synthesis).flatMap(([axis, plan]) =>
    plan &&
    isKnown(plan.synthetic) &&
    plan.synthetic.value <= 0 &&
    scaling?.prices.synthetic[axis as PricedAxis] !== undefined &&
    !mixes.some(({ mix }) => mix.axis === axis)
      ? [
          {
            severity: "information" as const,
            code: "synthesis.worth",
            message: `What synthetic ${axis} are worth is not known, so none are proposed. Fit runs that have some, or state \`discount:\` in \`synthesis.${axis}\`.`,
          },
        ]
      : [],
  );
}

/** Axes of which nothing is real. Every shape counts synthetic units beside real ones: without any, none says what they are worth. */
export function whollySynthetic(budget: ExperimentBudget): { readonly axis: AxisName; readonly reason: string }[] {
  return Object.entries(budget.synthesis).flatMap(([axis, plan]) =>
    plan && isKnown(plan.real) && isKnown(plan.synthetic) && plan.real.value <= 0 && plan.synthetic.value > 0
      ? [{ axis, reason: `all ${axis} are synthetic: what they are worth is only known beside real ones` }]
      : [],
  );
}

/** Draws of a stated worth; the law's are used in turn with them. */
const STATED_DRAWS = 200;

/**
 * The shape that a plan's own `discount:` and `critical_ratio:` make: a plain one up to r*. What is not stated is the fit's, else
 * published (r*) or taken for a real unit (κ); `whole`: κ is stated or fitted. Null where nothing is stated.
 */
function statedShape(
  axis: AxisName,
  { method, discount, criticalRatio: critical }: SynthesisPlan,
  fitted: MixShape | null,
): { shape: MixShape; source: string; whole: boolean; draws: readonly DrawnDiscount[] } | null {
  if (!discount && !critical) return null;
  const ratio = critical?.estimate ?? (fitted ? criticalRatio(fitted) : null) ?? publishedRatio(axis);
  // A fitted κ belongs to its shape: beside another r* only that of a plain one means the same.
  const own = fitted?.kind === "cap" ? fitted.discount : null;
  if (ratio === undefined) return null;
  const stream = random(seedOf(1, `stated ${axis} ${method}`));
  const drawn = ({ estimate, low, high }: Estimate): number => {
    const z = stream.normal();
    return Math.max(0, estimate + (z * (z < 0 ? estimate - low : high - estimate)) / 1.96);
  };
  const worth = discount?.estimate ?? own ?? 1;
  const uncertain = [discount, critical].some((one) => one && one.high > one.low);
  return {
    shape: { kind: "cap", discount: worth, criticalRatio: ratio },
    source: discount
      ? critical
        ? "(stated)"
        : "(discount stated; critical ratio " + (fitted ? "fitted)" : "[paper])")
      : `(critical ratio stated; ${own === null ? "worth as much as real ones up to it [assumed]" : "discount fitted"})`,
    whole: discount !== undefined || own !== null,
    draws: uncertain
      ? Array.from({ length: STATED_DRAWS }, () => ({
          discount: discount ? drawn(discount) : worth,
          criticalRatio: critical ? Math.max(0.01, drawn(critical)) : ratio,
          shapeParameter: null,
        }))
      : [],
  };
}

/** `whole`: everything in the shape was fitted. */
function fittedShape(
  axis: AxisName,
  fitted: SynthesisEstimate | undefined,
): { shape: MixShape; source: string; whole: boolean } | null {
  const discount = fitted?.discount.estimate;
  if (!fitted || discount === null || discount === undefined) return null;
  const { criticalRatio: critical, shapeParameter } = fitted;
  const source = `(fitted, ${critical.shape} shape)`;
  if (critical.shape === "saturating" && shapeParameter !== null)
    return { shape: { kind: "saturating", discount, ceiling: shapeParameter }, source, whole: true };
  if (critical.shape === "peak" && shapeParameter !== null)
    return { shape: { kind: "peak", discount, harm: shapeParameter }, source, whole: true };
  if (critical.estimate === null) {
    // The runs show what a synthetic unit is worth, but not up to which ratio: that alone is taken from the paper.
    const published = publishedRatio(axis);
    if (published === undefined) return null;
    return {
      shape: { kind: "cap", discount, criticalRatio: Math.max(published, critical.low ?? 0) },
      source: "(discount fitted; critical ratio [paper], since the runs show none)",
      whole: false,
    };
  }
  if (critical.shape === "broken" && shapeParameter !== null)
    return {
      shape: { kind: "broken", discount, criticalRatio: critical.estimate, harm: shapeParameter },
      source,
      whole: true,
    };
  return { shape: { kind: "cap", discount, criticalRatio: critical.estimate }, source, whole: true };
}

/** The paper gives r* but no discount, so up to r* a synthetic unit is taken for a real one, and this is said. */
function publishedShape(axis: AxisName): { shape: MixShape; source: string } | null {
  const critical = publishedRatio(axis);
  return critical === undefined
    ? null
    : {
        shape: { kind: "cap", discount: 1, criticalRatio: critical },
        source: "[paper]; worth as much as real ones up to it [assumed]",
      };
}

function publishedRatio(axis: AxisName): number | undefined {
  return (PUBLISHED_CRITICAL_RATIOS as Readonly<Record<string, number | undefined>>)[axis];
}
