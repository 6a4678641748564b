import { isKnown, type ExperimentBudget } from "../budget/budget";
import type { Cap, Mode } from "../core/allocation";
import { costModel, posynomialCost, type CostInputs, type CostModel, type Levels, type Ratios } from "../core/cost";
import type { AssessOptions } from "./options";

/** What a split is paid in, and what holds beside it. */
interface Payment {
  readonly cost: CostModel;
  /** What the first budget is called beside others. */
  readonly name: string;
  readonly caps: readonly Cap[];
  /** Axes of which no more than is at hand may be used, with how much that is. */
  readonly atMost: Levels;
}

const NAMES: Readonly<Record<string, string>> = { USD: "money", GPUh: "GPU-hours" };

/**
 * Money, GPU-hours and hours on the wall are budgets of their own: data are not bought with GPU-hours, so only rollouts (and
 * what has a price in GPU-hours) count there. Where what is to be spent is an amount of compute, the money that data cost stays
 * what it is. A sentence where a budget was asked for and cannot be known.
 */
export function paymentOf(
  budget: ExperimentBudget,
  cost: CostModel,
  inputs: CostInputs,
  { levels, ratios }: { readonly levels: Levels; readonly ratios: Ratios },
  mode: Mode | undefined,
  asked: AssessOptions["caps"] = {},
): Payment | string {
  const unit = mode?.kind === "budget" ? (mode.unit ?? cost.unit) : cost.unit;
  const caps = capsOf(budget, inputs, asked);
  if (typeof caps === "string") return caps;
  const name = NAMES[unit] ?? unit;
  if (unit === cost.unit || unit === "USD") return { cost, name: NAMES[cost.unit] ?? cost.unit, caps, atMost: {} };
  const compute = costModel({ ...inputs, prices: priced(inputs, false), unit });
  if (!compute.ok) return compute.problem.message;
  const money = costModel({ ...inputs, prices: priced(inputs, true), unit: "USD" });
  const terms = money.ok ? money.value.terms.filter(({ axis }) => axis !== null) : [];
  if (terms.length === 0) return { cost: compute.value, name, caps, atMost: {} };
  const data = posynomialCost(terms, "USD", cost.defaults);
  const spent = data.cost(levels, ratios);
  if (!spent.ok) return spent.problem.message;
  if (spent.value > 0)
    return {
      cost: compute.value,
      name,
      caps: [{ name: "money for data", cost: data, amount: spent.value, lasting: true }, ...caps],
      atMost: {},
    };
  const atMost = terms.flatMap(({ axis, owned }) =>
    axis === null || levels[axis] === undefined ? [] : [[axis, Math.max(owned, levels[axis])] as const],
  );
  return { cost: compute.value, name, caps, atMost: Object.fromEntries(atMost) };
}

function capsOf(
  budget: ExperimentBudget,
  inputs: CostInputs,
  asked: NonNullable<AssessOptions["caps"]>,
): readonly Cap[] | string {
  if (asked.gpuHours === undefined && asked.deadline === undefined) return [];
  const hours = costModel({ ...inputs, prices: priced(inputs, false), unit: "GPUh" });
  if (!hours.ok) return `a limit on GPU-hours cannot hold: ${hours.problem.message}`;
  const caps: Cap[] = [];
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
