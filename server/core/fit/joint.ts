import type { AxisName } from "../axes";
import type { Model } from "../laws/model";
import { type Run } from "../solve/run";
import { identify } from "./data/identify";
import { explore } from "./explore/explore";
import type { Candidate, Explored, Plan } from "./explore/plan";
import { isSynthetic, joinSynthesis, methodsOf, PUBLISHED_RATIOS, type Joined } from "./synthetic";

/**
 * The runs by which the law is chosen: those without synthetic data where they are enough and vary every axis, else all, with
 * synthetic data counted at half up to the published ratio.
 */
export function ruler(runs: readonly Run[], axes: readonly AxisName[]): readonly Run[] {
  if (!runs.some((run) => isSynthetic(run, axes))) return runs;
  const real = runs.filter((run) => !isSynthetic(run, axes));
  if (real.length >= 12 && identify(real, axes).axes.length === identify(runs, axes).axes.length) return real;
  // Where the real amounts never vary, discount and exponent cannot be told apart, and the axis is left to be refused.
  const varied = identify(runs, axes).axes;
  return runs.map((run) => {
    const levels: Record<string, number | undefined> = { ...run.row.axes };
    for (const axis of varied) {
      const share = run.row.synthesis?.[axis];
      if (share && share.synthetic > 0)
        levels[axis] = share.real * (1 + 0.5 * Math.min(share.synthetic / share.real, PUBLISHED_RATIOS[axis] ?? 3));
    }
    return { ...run, row: { ...run.row, axes: levels as Run["row"]["axes"] } };
  });
}

/**
 * The chosen law over every run on its real levels, with the discounts fitted beside it. Null where no method works on an axis
 * of the law, or all runs together do not carry it.
 */
export function joinRuns(
  found: Explored,
  chosen: Candidate,
  all: readonly Run[],
  plan: Plan,
  progress: () => boolean,
): Joined | "cancelled" | null {
  const wide = explore(
    found.setting,
    all,
    { ...plan, law: chosen.base.law, control: false, starts: 8, joint: true },
    () => true,
  );
  const same = wide.ok
    ? wide.value.candidates.find(({ base }) => base.variant === chosen.base.variant && base.law === chosen.base.law)
    : undefined;
  if (!wide.ok || !same || methodsOf(all, same.base.axes).length === 0) return null;
  const start =
    chosen.base.axes.join() === same.base.axes.join()
      ? recentred(chosen, found, same.base, wide.value)
      : same.fit.theta;
  return joinSynthesis(wide.value, same.base, start, progress) ?? "cancelled";
}

/** θ of the law moved to another centre of the same axes. */
function recentred({ base, fit }: Candidate, from: Explored, to: Model, at: Explored): Float64Array {
  // Through raw units and back: coefficients are logs at the centre, so only they move.
  const natural = base.natural(
    fit.theta,
    base.axes.map((axis) => Math.log(from.ranges[axis].centre)),
  );
  const origin = to.natural(
    fit.theta,
    to.axes.map((axis) => Math.log(at.ranges[axis].centre)),
  );
  return Float64Array.from(fit.theta.subarray(0, to.parameters.length), (value, j) =>
    to.parameters[j].role === "log-coefficient" && natural[j] > 0 && origin[j] > 0
      ? value + Math.log(natural[j] / origin[j])
      : value,
  );
}
