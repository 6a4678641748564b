import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { Cap, Mode } from "../core/allocation";
import {
  costModel,
  posynomialCost,
  type CostInputs,
  type CostModel,
  type CostUnit,
  type Levels,
  type Ratios,
} from "../core/cost";
import { spend } from "../core/numbers";
import type { Result } from "../core/result";
import { levelsOf } from "./costs";
import type { AssessOptions } from "./options";
import type { Note } from "./types";

/** What a split is paid in, and what holds beside it. */
export interface Payment {
  readonly cost: CostModel;
  /** What the first budget is called beside others. */
  readonly name: string;
  readonly caps: readonly Cap[];
  /** Axes of which no more than is at hand may be used, with how much that is. */
  readonly atMost: Levels;
}

const NAMES: Readonly<Record<string, string>> = { USD: "money", GPUh: "GPU-hours" };

/** Budgets beside the first, in units of their own: USD, GPU-hours, hours on the wall. */
type Caps = NonNullable<AssessOptions["caps"]>;

/**
 * What is asked of a split: a question by name goes before the budget's `compute:`, and that before the present cost; each of
 * `constraints:` holds unless it is asked otherwise. Money alone is what is to be spent; beside another amount it is a limit.
 */
export function askedOf(
  { spend }: ExperimentBudget,
  { mode, caps }: AssessOptions,
): { readonly mode: Mode | undefined; readonly caps: Caps } {
  const { usd, gpuHours, deadline }: Caps = { ...spend.constraints, ...known(caps) };
  if (mode && mode.kind !== "same-compute") return { mode, caps: { usd, gpuHours, deadline } };
  const { compute } = spend;
  if (compute)
    return {
      mode: { kind: "budget", amount: compute.value, unit: compute.unit },
      caps: { usd, gpuHours, deadline },
    };
  if (usd === undefined) return { mode, caps: { gpuHours, deadline } };
  return { mode: { kind: "budget", amount: usd, unit: "USD" }, caps: { gpuHours, deadline } };
}

function known(caps: Caps = {}): Caps {
  return Object.fromEntries(Object.entries(caps).filter(([, amount]) => amount !== undefined));
}

/**
 * Money, GPU-hours and hours on the wall are budgets of their own: data are not bought with GPU-hours, so only rollouts (and
 * what has a price in GPU-hours) count there. Where what is to be spent is an amount of compute, the money that data cost stays
 * what it is unless a limit on money says otherwise. A sentence where a budget was asked for and cannot be known.
 */
export function paymentOf(
  budget: ExperimentBudget,
  cost: CostModel,
  inputs: CostInputs,
  { levels, ratios }: { readonly levels: Levels; readonly ratios: Ratios },
  { mode, caps: asked }: ReturnType<typeof askedOf>,
): Payment | string {
  const unit = mode?.kind === "budget" ? (mode.unit ?? cost.unit) : cost.unit;
  const caps = capsOf(budget, inputs, asked);
  if (typeof caps === "string") return caps;
  const name = NAMES[unit] ?? unit;
  if (unit === cost.unit || unit === "USD") return { cost, name: NAMES[cost.unit] ?? cost.unit, caps, atMost: {} };
  const compute = costIn(inputs, unit);
  if (!compute.ok) return compute.problem.message;
  const money = costModel({ ...inputs, prices: priced(inputs, true), unit: "USD" });
  const terms = money.ok ? money.value.terms.filter(({ axis }) => axis !== null) : [];
  if (terms.length === 0) return { cost: compute.value, name, caps, atMost: {} };
  const data = posynomialCost(terms, "USD", cost.defaults);
  const spent = data.cost(levels, ratios);
  if (!spent.ok) return spent.problem.message;
  const limited = asked.usd !== undefined;
  if (spent.value > 0) {
    const lasting = limited ? ("regret" as const) : true;
    return {
      cost: compute.value,
      name,
      caps: [{ name: "money for data", cost: data, amount: spent.value, lasting }, ...caps],
      atMost: {},
    };
  }
  if (limited) return { cost: compute.value, name, caps: caps.map((cap) => ({ ...cap, lasting: true })), atMost: {} };
  const atMost = terms.flatMap(({ axis, owned }) =>
    axis === null || levels[axis] === undefined ? [] : [[axis, Math.max(owned, levels[axis])] as const],
  );
  return { cost: compute.value, name, caps, atMost: Object.fromEntries(atMost) };
}

function capsOf(budget: ExperimentBudget, inputs: CostInputs, asked: Caps): readonly Cap[] | string {
  const caps: Cap[] = [];
  if (asked.usd !== undefined) {
    const money = costIn(inputs, "USD");
    if (!money.ok) return `a limit on money cannot hold: ${money.problem.message}`;
    caps.push({ name: "money", cost: money.value, amount: asked.usd });
  }
  if (asked.gpuHours === undefined && asked.deadline === undefined) return caps;
  const hours = costIn(inputs, "GPUh");
  if (!hours.ok) return `a limit on GPU-hours cannot hold: ${hours.problem.message}`;
  if (asked.gpuHours !== undefined) caps.push({ name: "GPU-hours", cost: hours.value, amount: asked.gpuHours });
  if (asked.deadline !== undefined) {
    if (!isKnown(budget.gpus)) return `a deadline cannot hold: the number of GPUs is unknown: ${budget.gpus.reason}`;
    const gpus = budget.gpus.value;
    caps.push({
      name: "deadline",
      cost: hours.value,
      amount: asked.deadline * gpus,
      unit: "hours",
      scale: 1 / gpus,
    });
  }
  return caps;
}

/** The present split takes so many times what `compute:` gives before that is said. */
const OVER = 1.01;
/** It leaves so much of it over. */
const UNDER = 1 / 1.5;

/** Where the split as it is written takes another amount than the budget states to be spent. */
export function spendNote(budget: ExperimentBudget, inputs: CostInputs): Note[] {
  const { compute, constraints = {} } = budget.spend;
  const { usd, gpuHours, deadline } = constraints;
  const levels = levelsOf(budget);
  const takes = (unit: CostUnit): number | null => {
    const model = costIn(inputs, unit);
    const spent = model.ok ? model.value.cost(levels) : model;
    return spent.ok ? spent.value : null;
  };
  const said = (at: string, severity: Note["severity"], message: string): Note => ({
    severity,
    code: "compute.disagrees",
    message,
    at,
  });
  const notes: Note[] = [];
  const now = compute ? takes(compute.unit) : null;
  if (compute && now !== null && (now > OVER * compute.value || now < UNDER * compute.value)) {
    const over = now > compute.value;
    notes.push(
      said(
        "compute",
        over ? "warning" : "information",
        `The split as written takes ${spend(now, compute.unit)}, ${over ? "more" : "less"} than \`compute:\` gives to spend (${spend(compute.value, compute.unit)}).`,
      ),
    );
  }
  const gpus = isKnown(budget.gpus) ? budget.gpus.value : NaN;
  const hours = gpuHours === undefined && deadline === undefined ? null : takes("GPUh");
  const limit = (key: string, most: number | undefined, taken: number | null, unit: string): void => {
    if (most !== undefined && taken !== null && taken > OVER * most)
      notes.push(
        said(
          `constraints.${key}`,
          "warning",
          `The split as written takes ${spend(taken, unit)}, above \`constraints.${key}\` (${spend(most, unit)}).`,
        ),
      );
  };
  limit("usd", usd, usd === undefined ? null : takes("USD"), "USD");
  limit("gpu_hours", gpuHours, hours, "GPUh");
  limit("deadline", deadline, hours === null ? null : hours / gpus, "hours on the wall");
  return notes;
}

/** The cost in one unit: money buys everything, compute no data that has a price in money. Codes: those of `costModel`. */
export function costIn(inputs: CostInputs, unit: CostUnit | undefined): Result<CostModel> {
  return costModel({ ...inputs, unit, ...(unit !== "USD" && { prices: priced(inputs, false) }) });
}

/** Prices of making data in money, or those in compute. */
function priced({ prices = {} }: CostInputs, inMoney: boolean): NonNullable<CostInputs["prices"]> {
  const entries = Object.entries(prices).map(([axis, price]) => [
    axis,
    Object.fromEntries(
      Object.entries(price ?? {}).filter(([, money]) => money !== undefined && (money.unit === "USD") === inMoney),
    ),
  ]);
  return Object.fromEntries(entries) as NonNullable<CostInputs["prices"]>;
}
