import { isKnown, type ExperimentBudget } from "../configs/budget";
import type { AxisName } from "../core/axes";
import { criticalRatio, PUBLISHED_CRITICAL_RATIOS, type MixShape } from "../core/allocation/mix";
import type { SynthesisMix } from "../core/allocation";
import type { FitFile } from "../core/fit";
import type { SynthesisEstimate } from "../core/fit/file";
import type { SynthesisView } from "./types";

/** What is known of an axis's synthetic data: for the solver, and for people. */
export interface PlannedMix {
  readonly mix: SynthesisMix;
  readonly view: SynthesisView;
}

/** Synthetic data of each axis with the shape that prices it: fitted where the fit has the method, else the published ratio. */
export function plannedMixes(budget: ExperimentBudget, fit: FitFile | null): PlannedMix[] {
  return Object.entries(budget.synthesis).flatMap(([axis, plan]) => {
    if (!plan || !isKnown(plan.real) || !isKnown(plan.synthetic) || plan.synthetic.value <= 0) return [];
    const ratio = plan.real.value > 0 ? plan.synthetic.value / plan.real.value : Infinity;
    const fitted = fit?.synthesis[axis]?.[plan.method];
    const priced = fittedShape(fitted) ?? publishedShape(axis);
    if (!priced) return [];
    const { shape, source } = priced;
    return [{
      mix: { axis, method: plan.method, shape, ratio: Number.isFinite(ratio) ? ratio : 1e6, source },
      view: { method: plan.method, ratio, critical: criticalRatio(shape), source, ...(plan.span && { span: plan.span }) },
    }];
  });
}

function fittedShape(fitted: SynthesisEstimate | undefined): { shape: MixShape; source: string } | null {
  const discount = fitted?.discount.estimate;
  if (!fitted || discount === null || discount === undefined) return null;
  const { criticalRatio: critical, shapeParameter } = fitted;
  const source = `(fitted, ${critical.shape} shape)`;
  if (critical.shape === "saturating" && shapeParameter !== null) return { shape: { kind: "saturating", discount, ceiling: shapeParameter }, source };
  if (critical.shape === "peak" && shapeParameter !== null) return { shape: { kind: "peak", discount, harm: shapeParameter }, source };
  if (critical.estimate === null) return null;
  if (critical.shape === "broken" && shapeParameter !== null) return { shape: { kind: "broken", discount, criticalRatio: critical.estimate, harm: shapeParameter }, source };
  return { shape: { kind: "cap", discount, criticalRatio: critical.estimate }, source };
}

/** The paper gives r* but no discount, so up to r* a synthetic unit is taken for a real one, and this is said. */
function publishedShape(axis: AxisName): { shape: MixShape; source: string } | null {
  const critical = (PUBLISHED_CRITICAL_RATIOS as Readonly<Record<string, number>>)[axis];
  return critical === undefined ? null : { shape: { kind: "cap", discount: 1, criticalRatio: critical }, source: "[paper]; worth as much as real ones up to it [assumed]" };
}
