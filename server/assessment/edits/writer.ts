import type { ConfigDocument } from "../../configs/document";
import { documentAfter, durationUnit, planEdits } from "../../configs/wayBack";
import {
  isKnown,
  type BudgetTarget,
  type EditPlan,
  type ExperimentBudget,
  type PlannedEdit,
  type Remainder,
} from "../../budget/budget";
import {
  allocate,
  compareSplits,
  meanLaw,
  type Allocation,
  type AllocationProblem,
  type Difference,
} from "../../core/allocation";
import type { AxisName } from "../../core/axes";
import type { FittedLaw } from "../../core/laws/law";
import { count } from "../../core/numbers";
import type { Result } from "../../core/result";
import { levelsOf } from "../costs";
import { gainOf, straysIn } from "./change";
import { targetOf } from "./target";

/**
 * Edits that gain less are not made, so that a budget that was optimised is left alone: points of success (the last digit
 * shown), loss, share of the cost.
 */
const WORTHWHILE = { points: 0.1, loss: 1e-3, cost: 2e-3 } as const;
/** The slack of sums that are rounded. */
const SLACK = 1e-9;
/** A budget of which less is spent may be raised even where that gains little: it was asked for. */
const SPENT = 0.99;
/** What a file rounds is within this of what was asked, or within one step. */
const AS_ASKED = 0.02;
const MOST_ROUNDS = 16;
const MOST_NUDGES = 12;
const MOST_AIMS = 4;

/** A plan, and the amounts that the file stops at though nothing in it says so: a default ends the run, or the data do. */
export interface Plan extends EditPlan {
  readonly stops: Readonly<Partial<Record<AxisName, number>>>;
}

/** How far an axis can move in this file. */
interface Hold {
  readonly low?: number;
  readonly high?: number;
}

/** Edits as the file rounds them, and what they come to. */
interface Fitted {
  readonly edits: readonly PlannedEdit[];
  readonly change: Difference;
}

/** Mixes at the ratios that a budget states. */
export function mixesAfter(
  mixes: NonNullable<AllocationProblem["mixes"]>,
  after: ExperimentBudget,
): NonNullable<AllocationProblem["mixes"]> {
  return mixes.map((mix) => {
    const plan = after.synthesis[mix.axis];
    return plan && isKnown(plan.real) && isKnown(plan.synthetic) && plan.real.value > 0
      ? { ...mix, ratio: plan.synthetic.value / plan.real.value }
      : mix;
  });
}

/** Works something out, unless it was before: `key` is all that it rests on beside the fit, the costs and the framework. */
export type Once = <Value>(key: readonly unknown[], work: () => Value) => Value;

const means = new WeakMap<FittedLaw, FittedLaw>();

/** The law that a recommendation is the best split of, without draws. */
function recommending(law: FittedLaw, robust: boolean): FittedLaw {
  if (!robust) return { ...law, draws: [] };
  let mean = means.get(law);
  if (!mean) means.set(law, (mean = meanLaw(law)));
  return mean;
}

/** Solves without what only the shown optimum needs; draws serve the robust split of synthetic data alone, whose worth they know. */
export function solver(once: Once): (problem: AllocationProblem, robust: boolean) => Result<Allocation> {
  return ({ law, ...stated }, robust) => {
    const lean = {
      ...stated,
      options: { ...stated.options, sensitivity: false, large: false, ...(robust ? {} : { robustDraws: 0 }) },
    };
    const { cost, ...key } = lean;
    const drawn = robust && (key.mixes ?? []).length > 0;
    return once(["solve", robust, key], () =>
      allocate({ ...lean, cost, law: drawn ? law : recommending(law, robust) }),
    );
  };
}

/** A budget against the present split of a problem. */
export function comparison(problem: AllocationProblem, after: ExperimentBudget, once: Once): Difference | null {
  const current = levelsOf(after);
  const mixes = problem.mixes && mixesAfter(problem.mixes, after);
  const compared = once(
    ["compare", problem.law.draws.length, problem.current, problem.mixes, problem.pins, current, mixes],
    () => compareSplits(problem, { ...problem, current, ...(mixes && { mixes }) }),
  );
  return compared.ok ? compared.value : null;
}

/** Axes that cannot move either way. */
function pinnedBy(holds: ReadonlyMap<AxisName, Hold>): readonly AxisName[] {
  return [...holds].filter(([, { low, high }]) => low !== undefined && high !== undefined).map(([axis]) => axis);
}

/** Finds the edits of one press for one experiment of a file. */
export class Writer {
  readonly #document: ConfigDocument;
  readonly #index: number;
  readonly #problem: AllocationProblem;
  /** The same without draws, which are not needed to find a split. */
  readonly #plain: AllocationProblem;
  readonly #result: Allocation;
  readonly #robust: boolean;
  readonly #once: Once;

  constructor(
    document: ConfigDocument,
    index: number,
    problem: AllocationProblem,
    result: Allocation,
    robust: boolean,
    once: Once,
  ) {
    this.#robust = robust;
    this.#once = once;
    this.#document = document;
    this.#index = index;
    this.#problem = problem;
    this.#plain = { ...problem, law: recommending(problem.law, robust) };
    this.#result = result;
  }

  plan(target: BudgetTarget): Plan {
    const { aimed, stops } = this.#aimed(target);
    const { edits, remainder } = planEdits(this.#document, this.#index, aimed);
    const stopped = Object.entries(stops).flatMap(([axis, level]): Remainder[] =>
      level === undefined
        ? []
        : [
            {
              axis,
              from: this.#result.current.levels[axis] ?? null,
              to: target[axis as "tasks"] ?? level,
              reason: `with the values of this file that can be written, the run comes to ${count(level)}: something that it does not state, such as a default, ends it there`,
            },
          ],
    );
    return { edits, remainder: [...remainder, ...stopped], stops };
  }

  /**
   * A target whose rollouts per task come out as asked, though a file may count them otherwise (a pass drops its last part of a
   * batch), and what the file stops at whatever it is asked.
   */
  #aimed(target: BudgetTarget): { readonly aimed: BudgetTarget; readonly stops: Plan["stops"] } {
    const wanted = target.trajectories;
    let aimed = target;
    let before: number | null = null;
    for (let attempt = 0; attempt < MOST_AIMS; attempt++) {
      const { edits, remainder } = planEdits(this.#document, this.#index, aimed);
      const after = edits.length === 0 ? null : this.#after(edits);
      if (!after) break;
      const seen = after.axes.tasks.value;
      if (
        target.tasks !== undefined &&
        seen !== null &&
        !remainder.some(({ axis }) => axis === "tasks") &&
        Math.abs(seen - target.tasks) > AS_ASKED * target.tasks
      )
        return { aimed: target, stops: { tasks: seen } };
      const level = after.axes.trajectories.value;
      if (wanted === undefined || level === null || remainder.some(({ axis }) => axis === "trajectories")) break;
      if (Math.abs(level - wanted) <= Math.max(AS_ASKED * wanted, 1.01 * this.#step("trajectories", after))) break;
      if (level === before) return { aimed: target, stops: { trajectories: level } };
      before = level;
      aimed = { ...aimed, trajectories: ((aimed.trajectories ?? wanted) * wanted) / level };
    }
    return { aimed, stops: {} };
  }

  /** Solves again and again, each time with what the last plan could not write held where it stands; the best of what stands by itself. */
  withinFile(first: Plan): { readonly edits: readonly PlannedEdit[]; readonly held: readonly AxisName[] } {
    const holds = new Map<AxisName, Hold>();
    const mixes = new Set<AxisName>();
    let target = targetOf(this.#result);
    let { remainder, stops } = first;
    let best: Fitted | null = null;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      best = this.#better(best, this.#fitted(target, pinnedBy(holds)));
      const held = remainder.filter((rest) =>
        this.#hold({ ...rest, from: stops[rest.axis] ?? rest.from }, target, holds, mixes),
      );
      if (held.length === 0) break;
      const solved = solver(this.#once)(this.#held(holds, mixes), this.#robust);
      if (!solved.ok) break;
      target = targetOf(solved.value);
      ({ remainder, stops } = this.plan(target));
    }
    return { edits: best?.edits ?? [], held: [...new Set([...holds.keys(), ...mixes])] };
  }

  /** Notes that something cannot be written; false where that was known. */
  #hold(rest: Remainder, target: BudgetTarget, holds: Map<AxisName, Hold>, mixes: Set<AxisName>): boolean {
    const axis = rest.axis;
    const wanted = target[axis as keyof BudgetTarget];
    const parts = target.synthesis?.[axis];
    if (parts && !mixes.has(axis) && rest.to !== wanted && (rest.to === parts.synthetic || rest.to === parts.real))
      return mixes.add(axis).size > 0;
    const from = rest.from ?? this.#result.current.levels[axis];
    if (from === undefined) return false;
    const before = holds.get(axis);
    const side: Hold = rest.to > from ? { high: from } : { low: from };
    if (before && (Object.keys(side) as (keyof Hold)[]).every((end) => before[end] !== undefined)) {
      if (before.low !== undefined && before.high !== undefined) return false;
      holds.set(axis, { low: from, high: from });
      return true;
    }
    holds.set(axis, { ...before, ...side });
    return true;
  }

  #held(holds: ReadonlyMap<AxisName, Hold>, mixes: ReadonlySet<AxisName>): AllocationProblem {
    const limits: Record<string, readonly [number | null, number | null]> = {};
    for (const [axis, limit] of Object.entries(this.#problem.limits ?? {})) if (limit) limits[axis] = limit;
    const pins = [...(this.#problem.pins ?? [])];
    for (const [axis, hold] of holds) {
      const [low, high] = [
        Math.max(hold.low ?? 0, limits[axis]?.[0] ?? 0),
        Math.min(hold.high ?? Infinity, limits[axis]?.[1] ?? Infinity),
      ];
      if (low >= high || (hold.low !== undefined && hold.high !== undefined)) pins.push(axis);
      else limits[axis] = [low > 0 ? low : null, Number.isFinite(high) ? high : null];
    }
    return {
      ...this.#problem,
      limits,
      pins,
      mixes: this.#problem.mixes?.map((mix) => (mixes.has(mix.axis) ? { ...mix, optimise: false } : mix)),
    };
  }

  /** Lowers a target (at equal success raises it) until the file's own rounding keeps what was asked; null where that gains nothing. */
  #fitted(target: BudgetTarget, held: readonly AxisName[]): Fitted | null {
    let wanted = this.#aimed(target).aimed;
    const fixed = [...held, ...this.#result.pinned.map(({ axis }) => axis)];
    let nudged: { readonly axis: "tasks" | "trajectories"; readonly from: number } | null = null;
    for (let attempt = 0; attempt < MOST_NUDGES; attempt++) {
      const { edits } = planEdits(this.#document, this.#index, wanted);
      const after = edits.length === 0 ? null : this.#after(edits);
      const change = after && comparison(this.#plain, after, this.#once);
      if (!after || !change || !this.keepsPins(after, this.#result)) return null;
      const stray = straysIn(this.#problem, change);
      const miss = this.#miss(change);
      // More is asked of the file than can be told from the runs.
      if (stray && miss > 0) return null;
      if (!stray && miss === 0) return this.#isWorthwhile(change) ? { edits, change } : null;
      // Something else of the file stops the axis: the other one has to give.
      if (nudged && after.axes[nudged.axis].value === nudged.from) fixed.push(nudged.axis);
      const axis = (["trajectories", "tasks"] as const).find(
        (one) => !fixed.includes(one) && isKnown(after.axes[one]) && (!stray || one === stray.axis),
      );
      const level = axis && after.axes[axis].value;
      if (!axis || !level) return null;
      const step = this.#step(axis, after);
      const steps =
        miss < 0 ? Math.ceil((level * (1 - this.#result.budget / change.second.cost)) / step - 1e-6) : 2 ** attempt;
      const to = level + (stray?.back ?? miss) * step * Math.max(1, stray ? 1 : steps);
      const [low, high] = this.#problem.limits?.[axis] ?? [null, null];
      if (to < (low ?? 0) || to <= 0 || to > (high ?? Infinity)) return null;
      nudged = { axis, from: level };
      wanted = { ...wanted, [axis]: to };
    }
    return null;
  }

  #after(edits: readonly PlannedEdit[]): ExperimentBudget | null {
    return documentAfter(this.#document, this.#index, edits)?.experiments[this.#index] ?? null;
  }

  /** −1: over the budget; +1: under the success that was asked for; 0: neither. */
  #miss({ second }: Difference): -1 | 0 | 1 {
    if (this.#result.mode !== "same-success") return second.cost > this.#result.budget * (1 + SLACK) ? -1 : 0;
    return this.#shortfall(second.predicted.estimate) > SLACK ? 1 : 0;
  }

  /** How far a success lies below what is asked for, or a loss above. */
  #shortfall(reached: number): number {
    const mode = this.#problem.mode;
    const wanted =
      (mode?.kind === "same-success" ? mode.success : undefined) ?? this.#result.current.predicted.estimate;
    return this.#result.response === "success" ? wanted - reached : reached - wanted;
  }

  #isWorthwhile(change: Difference): boolean {
    const { first, second } = change;
    if (this.#result.mode === "same-success")
      return this.#shortfall(first.predicted.estimate) > SLACK || second.cost < first.cost * (1 - WORTHWHILE.cost);
    // A smaller budget that was asked for may cost success.
    if (first.cost > this.#result.budget * (1 + SLACK)) return true;
    const least =
      first.cost < SPENT * this.#result.budget
        ? 0
        : this.#result.response === "success"
          ? WORTHWHILE.points
          : WORTHWHILE.loss;
    const { estimate } = gainOf(change, this.#result.response);
    return estimate > 0 && estimate >= least;
  }

  #better(one: Fitted | null, other: Fitted | null): Fitted | null {
    if (!one || !other) return one ?? other;
    const [a, b] = [one.change, other.change];
    const better =
      this.#result.mode === "same-success"
        ? b.second.cost < a.second.cost
        : gainOf(b, this.#result.response).estimate > gainOf(a, this.#result.response).estimate;
    return better ? other : one;
  }

  /** An axis that the user pinned stays, but for what the file cannot say more exactly. */
  keepsPins(after: ExperimentBudget, { pinned, current }: Allocation): boolean {
    return (["tasks", "trajectories"] as const).every((axis) => {
      const [now, then] = [current.levels[axis], after.axes[axis].value];
      if (now === undefined || then === null || !pinned.some((pin) => pin.axis === axis && pin.code === "user"))
        return true;
      return (
        Math.abs(then - now) <= Math.max(AS_ASKED * now, axis === "trajectories" ? 0.51 * this.#step(axis, after) : 0)
      );
    });
  }

  /** The least by which an axis moves in this file: for rollouts per task a pass of a group, or a step over all tasks. */
  #step(axis: "tasks" | "trajectories", { axes, groupSize, promptsPerStep }: ExperimentBudget): number {
    if (axis === "tasks") return this.#problem.whole?.steps?.tasks ?? 1;
    const unit = durationUnit(this.#document, this.#index);
    if (unit === null || !isKnown(groupSize)) return 1;
    if (unit === "epochs") return groupSize.value;
    return isKnown(promptsPerStep) && isKnown(axes.tasks)
      ? (groupSize.value * promptsPerStep.value) / axes.tasks.value
      : 1;
  }
}
