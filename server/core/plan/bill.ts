import { goalOf } from "../allocation/solve/compile";
import { solveAt } from "../allocation/solve/solve";
import type { AxisName } from "../axes";
import type { CostModel, Levels } from "../cost";
import { spend } from "../numbers";
import type { Decision } from "./value";

/** A drop that no decision notices, in points. */
const UNNOTICED = 0.05;
/** A fit serves more than one run: so many times what the points would cost by spending more on this one. */
const SERVES = 10;
/** By how much the budget is raised to see what a point costs. */
const RAISED = 1.1;

const MADE: ReadonlySet<AxisName | null> = new Set<AxisName | null>(["tasks", "environments", "worlds", "structures"]);

/** What several runs come to: the tasks and environments of one serve the next, and are paid for once. */
export class Bill {
  readonly #cost: CostModel;
  readonly #pool = new Map<string, number>();
  /** Paid for all runs so far, in the cost model's unit. */
  total = 0;

  /** @param made splits whose data exist */
  constructor(cost: CostModel, made: readonly Levels[] = []) {
    this.#cost = cost;
    for (const levels of made) this.pay(levels);
    this.total = 0;
  }

  /** What a run adds; its data are in the pool from then on. */
  pay(levels: Levels): number {
    const added = this.#charge(levels, this.#pool);
    this.total += added;
    return added;
  }

  /** What a run would add. */
  adds(levels: Levels): number {
    return this.#charge(levels, new Map(this.#pool));
  }

  #charge(levels: Levels, pool: Map<string, number>): number {
    const parts = this.#cost.breakdown(levels);
    if (!parts.ok) return 0;
    let added = 0;
    for (const part of parts.value) {
      const before = MADE.has(part.axis) ? (pool.get(part.id) ?? 0) : 0;
      added += Math.max(0, part.cost - before);
      if (MADE.has(part.axis)) pool.set(part.id, Math.max(before, part.cost));
    }
    return added;
  }
}

/** What one more point of success costs where it is bought by spending more on the best split. */
export function costOfPoint({ prepared }: Decision, budget: number): number {
  const { law } = prepared.problem;
  const goal = goalOf(law.point);
  const from = new Float64Array(prepared.free.map((axis) => Math.log(prepared.base[axis] ?? 1)));
  const now = solveAt(prepared, goal, { kind: "budget", budget }, prepared.ratios, from);
  if (!now.ok) return NaN;
  const then = solveAt(prepared, goal, { kind: "budget", budget: budget * RAISED }, prepared.ratios, now.value.z);
  const points = then.ok ? (law.response === "success" ? 100 : 1) * (now.value.error - then.value.error) : 0;
  return points > 1e-9 ? (budget * (RAISED - 1)) / points : NaN;
}

/** Why the best further run is not worth what it adds; null where it is. `point`: what one more point costs otherwise. */
export function notWorth(drop: number, added: number, point: number, unit: string): string | null {
  if (drop < UNNOTICED)
    return `No further run is worth its cost: the best one is expected to gain ${drop.toFixed(2)} points.`;
  return Number.isFinite(point) && added > SERVES * drop * point
    ? `No further run is worth its cost: the best one costs ${spend(added, unit)} and is expected to gain ${drop.toFixed(2)} points, which ${spend(drop * point, unit)} more on the run itself would gain too.`
    : null;
}
