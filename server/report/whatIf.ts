import { isAllocated, type ExperimentAssessment } from "../assessment/types";
import { recommendedSplit } from "../assessment/edits/target";
import { isAsked, proposalOf } from "../assessment/verdict";
import { pathInputs } from "../core/allocation/curves";
import type { PathPoint } from "../core/allocation/curveTypes";
import type { Split } from "../core/allocation";
import { WHAT_IF, type WhatIf, type WhatIfPoint } from "../core/figures/whatIf";
import { spendShare } from "./facts";

/** Success and split at 0.25 to 8 times the present spend; null where nothing can be moved or the law is of a loss. */
export function whatIf(experiment: ExperimentAssessment): WhatIf | null {
  const { allocation, budget } = experiment;
  if (!isAllocated(allocation)) return null;
  const { problem, result } = allocation;
  const paths = pathInputs(problem, result, { experiment: budget.name, simulated: false, prior: false, worth: "" });
  if (!paths) return null;
  const { current, optimum } = paths.frontier;
  const claimed = proposalOf(experiment) !== null || experiment.verdict.kind === "no-better-split";
  const { cost } = result.current;
  // The best split that is shown is that of the amount asked for, not of the present cost.
  const asked = isAsked(result);
  const inside = (at: number) => at > cost * WHAT_IF.least * 0.7 && at < cost * WHAT_IF.most * 1.4;
  const points = optimum.flatMap((point, i): WhatIfPoint[] => {
    if (!inside(point.cost) || (!asked && Math.abs(Math.log(point.cost / cost)) < 0.02)) return [];
    const { levels, shares } = paths.growth.points[i];
    const now = current.find((other) => Math.abs(Math.log(other.cost / point.cost)) < 1e-6);
    return [
      {
        cost: point.cost,
        now: now ? rateOf(now.success) : null,
        best: claimed ? rateOf(point.success) : null,
        levels: claimed ? present(levels) : {},
        shares: claimed ? sharesOf(shares) : {},
        beyond: point.beyond,
      },
    ];
  });
  const best = recommendedSplit(result);
  const here: WhatIfPoint = {
    cost,
    now: rateOf(result.current.predicted),
    best: claimed ? rateOf(best.predicted) : null,
    levels: claimed ? present(best.levels) : {},
    shares: claimed ? spentOn(best) : {},
    beyond: false,
  };
  return {
    unit: result.unit,
    cost,
    levels: present(result.current.levels),
    shares: spentOn(result.current),
    points: (asked ? points : [...points, here]).sort((a, b) => a.cost - b.cost),
  };
}

function rateOf({ estimate, low, high }: PathPoint["success"]): readonly [number, number, number] {
  return [estimate, low, high];
}

function present(levels: Readonly<Partial<Record<string, number>>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(levels).flatMap(([axis, level]) =>
      level !== undefined && level > 0 && axis !== "parameters" ? [[axis, level]] : [],
    ),
  );
}

/** Shares by axis: what no axis pays for alone are the rollouts. */
function sharesOf(shares: Readonly<Record<string, number>>): Record<string, number> {
  const axes = ["tasks", "environments", "worlds", "structures"];
  const sums: Record<string, number> = {};
  for (const [name, share] of Object.entries(shares)) {
    const axis = axes.includes(name) ? name : "trajectories";
    sums[axis] = (sums[axis] ?? 0) + share;
  }
  return sums;
}

function spentOn(split: Split): Record<string, number> {
  const axes = Object.keys(present(split.levels)) as (keyof Split["levels"])[];
  return Object.fromEntries(
    axes.flatMap((axis) => {
      const share = spendShare(split.parts, axis);
      return share === undefined ? [] : [[axis, share]];
    }),
  );
}
