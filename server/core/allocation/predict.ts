import { ok } from "../result";
import type { Result } from "../result";
import { drawsWith } from "./problem/drawn";
import { predictive } from "../laws/predictive";
import { amounts, lawLevels, worth } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { LawInstance } from "../laws/law";
import type { Levels, Ratios, Split } from "./problem/types";

/** The law's draws as they see effective levels of the estimate at these ratios. */
export function drawsAt({ problem, mixes }: Prepared, ratios: Ratios): readonly LawInstance[] {
  return drawsWith(
    problem.law,
    Object.values(mixes).flatMap((mix) => mix ?? []),
    ratios,
  );
}

/** Error of the fitted law and of each draw at one split. */
export interface Errors {
  readonly point: number;
  readonly draws: readonly number[];
}

export function errorsAt(prepared: Prepared, levels: Levels, ratios: Ratios): Errors {
  const { law } = prepared.problem;
  const x = lawLevels(prepared, levels, ratios);
  return { point: law.point.error(x), draws: drawsAt(prepared, ratios).map((draw) => draw.error(x)) };
}

/** A split with its cost and its prediction. Codes: those of the cost model. */
export function describe(prepared: Prepared, levels: Levels, ratios: Ratios): Result<Split> {
  const { law } = prepared.problem;
  const parts = prepared.cost.breakdown(levels, ratios);
  if (!parts.ok) return parts;
  const errors = errorsAt(prepared, levels, ratios);
  const success = law.response === "success";
  const toShown = (error: number): number => (success ? 1 - error : error);
  const predicted = predictive(
    law,
    lawLevels(prepared, levels, ratios),
    toShown(errors.point),
    errors.draws.map(toShown),
  );
  const effective: Record<string, number> = {};
  const extrapolation: Record<string, number> = {};
  const shown: Record<string, number> = {};
  const all = amounts(levels);
  for (const axis of new Set([...law.axes, ...prepared.pinned.map((pin) => pin.axis)])) {
    const level = all[axis];
    if (level === undefined) continue;
    shown[axis] = level;
    effective[axis] = level * worth(prepared, axis, ratios);
    const range = law.ranges[axis];
    if (range && law.axes.includes(axis))
      extrapolation[axis] = Math.max(1, effective[axis] / range.max, range.min / effective[axis]);
  }
  return ok({
    levels: shown,
    effective,
    ratios: amounts(ratios),
    cost: parts.value.reduce((sum, part) => sum + part.cost, 0),
    parts: parts.value,
    predicted,
    outOfRange: success && (predicted.estimate < 0 || predicted.estimate > 1),
    extrapolation,
  });
}
