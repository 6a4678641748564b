import { goalOf } from "../allocation/solve/compile";
import { thin } from "../numerics/quantiles";
import { lawLevels, prepare } from "../allocation/problem/prepare";
import type { Prepared } from "../allocation/problem/prepare";
import { solveAt } from "../allocation/solve/solve";
import type { AllocationProblem, Levels } from "../allocation";
import { random } from "../numerics/random";
import { ok, refused } from "../result";
import type { Result } from "../result";

/** How exactly a run measures its success. */
export interface RunNoise {
  /** Distinct evaluation tasks. */
  readonly trials: number;
  /** Standard deviation between runs of one configuration: training seeds. On the scale of the response. */
  readonly betweenRuns: number;
}

/**
 * What the draws say an allocation would lose: `loss[a][b]` is the error that the optimum of draw a has over the optimum of
 * draw b, under draw b, in points of success (or in the loss's unit). Decisions are a thinner set of draws than states.
 */
export interface Decision {
  readonly prepared: Prepared;
  /** Positions of the states among the law's draws. */
  readonly states: readonly number[];
  readonly loss: readonly Float64Array[];
}

const STATES = 160;
const DECISIONS = 48;

/** Codes: `plan.no-draws`, and those of `allocate`. */
export function decisionOf(problem: AllocationProblem, budget: number): Result<Decision> {
  const sorted = prepare(problem);
  if (!sorted.ok) return sorted;
  const prepared = sorted.value;
  const { law } = problem;
  if (law.draws.length < 8) return refused("plan.no-draws", "The fit has too few draws to say what a run would tell.");
  if (prepared.free.length === 0)
    return refused("plan.all-pinned", "Every axis is pinned, so that no run can change the split.");
  const convex = law.point.posynomial() !== null;
  const states = thin(
    law.draws.map((_, b) => b),
    convex ? STATES : STATES / 4,
  );
  const optima: number[][] = [];
  const kept: number[] = [];
  let from = new Float64Array(prepared.free.map((axis) => Math.log(prepared.base[axis] ?? 1)));
  for (const state of states) {
    const point = solveAt(prepared, goalOf(law.draws[state]), { kind: "budget", budget }, prepared.ratios, from);
    if (!point.ok) continue;
    from = Float64Array.from(point.value.z);
    kept.push(state);
    optima.push(effectiveLevels(prepared, point.value.z));
  }
  if (kept.length < 8) return refused("plan.infeasible", "The limits leave no affordable split to plan for.");
  const scale = law.response === "success" ? 100 : 1;
  const least = kept.map((state, b) => law.draws[state].error(optima[b]));
  const loss = thin(optima, DECISIONS).map((x) =>
    Float64Array.from(kept, (state, b) => scale * Math.max(0, law.draws[state].error(x) - least[b])),
  );
  return ok({ prepared, states: kept, loss });
}

function effectiveLevels(prepared: Prepared, z: Float64Array): number[] {
  return prepared.problem.law.axes.map((axis) => {
    const index = prepared.free.indexOf(axis);
    return index >= 0 ? Math.exp(z[index]) : (prepared.held[axis] ?? prepared.base[axis] ?? 1);
  });
}

/**
 * Beliefs after imagined runs: for each state taken as the truth, the log weights that its simulated outcomes leave the
 * other states. The truth itself is left out of its own weights, or the plan would be promised what it cannot know.
 */
export type Beliefs = readonly Float64Array[];

export function priorBeliefs(decision: Decision): Beliefs {
  return decision.states.map(() => new Float64Array(decision.states.length));
}

/** Beliefs after one more run at raw levels; the same seed gives every candidate the same luck. */
export function observe(decision: Decision, beliefs: Beliefs, levels: Levels, noise: RunNoise, seed: number): Beliefs {
  const { prepared, states } = decision;
  const { law } = prepared.problem;
  const x = lawLevels(prepared, { ...prepared.base, ...levels }, prepared.ratios);
  const expected = states.map((state) => law.draws[state].error(x));
  const source = random(seed);
  const spread = expected.map((error) =>
    Math.sqrt(
      (law.response === "success" ? (clamp(error) * (1 - clamp(error))) / noise.trials : 0) + noise.betweenRuns ** 2,
    ),
  );
  return beliefs.map((weights, truth) => {
    const outcome = expected[truth] + spread[truth] * source.normal();
    return Float64Array.from(
      weights,
      (log, b) => log - 0.5 * ((outcome - expected[b]) / spread[b]) ** 2 - Math.log(spread[b]),
    );
  });
}

function clamp(error: number): number {
  return Math.min(1 - 1e-3, Math.max(1e-3, error));
}

/** Mean over the states of what the decision taken on these beliefs loses. */
export function expectedRegret(decision: Decision, beliefs: Beliefs): number {
  const count = decision.states.length;
  let total = 0;
  const weights = new Float64Array(count);
  for (let truth = 0; truth < count; truth++) {
    let largest = -Infinity;
    for (let b = 0; b < count; b++) if (b !== truth) largest = Math.max(largest, beliefs[truth][b]);
    for (let b = 0; b < count; b++) weights[b] = b === truth ? 0 : Math.exp(beliefs[truth][b] - largest);
    let least = Infinity;
    let lost = 0;
    for (const row of decision.loss) {
      let sum = 0;
      for (let b = 0; b < count; b++) sum += weights[b] * row[b];
      if (sum < least) {
        least = sum;
        lost = row[truth];
      }
    }
    total += lost;
  }
  return total / count;
}
