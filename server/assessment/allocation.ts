import { unknown, type ExperimentBudget, type Unknown } from "../budget/budget";
import type { ConfigDocument } from "../configs/document";
import { durationUnit } from "../configs/wayBack";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { AllocationProblem } from "../core/allocation";
import { costModel, type CostInputs, type CostModel, type Levels } from "../core/cost";
import { askedOf, paymentOf, type Payment } from "./caps";
import { levelsOf } from "./costs";
import { writtenPlan, type WrittenPlan } from "./edits/alone";
import { wholeNumbers } from "./edits/whole";
import type { Once } from "./edits/writer";
import type { PlannedMix } from "./mixes";
import { allocateModels, candidateModels, exponentOf, type Candidate } from "./models";
import type { AssessOptions } from "./options";
import { notFreed, stepCaps, withStepPins } from "./stepParts";
import type { AllocationView, LawInForce } from "./types";
import { VERDICT } from "./verdict";

/** A split against the best one, before anything of it is proposed. */
interface Solved {
  readonly allocation: AllocationView | Unknown;
  /** What the optimum asks of the file. */
  readonly plan: () => WrittenPlan;
}

interface AllocationQuestion {
  readonly document: ConfigDocument;
  readonly index: number;
  readonly budget: ExperimentBudget;
  readonly law: LawInForce;
  /** What a split costs, or why that is unknown. */
  readonly total: CostModel | string;
  readonly inputs: CostInputs;
  /** GPU-hours of a rollout with another model, as it is modelled; null where that is unknown. */
  readonly rolloutHours: (model: ExperimentBudget["model"]) => number | null;
  readonly mixes: readonly PlannedMix[];
  readonly scaling: ScalingFile | null;
  readonly options: AssessOptions;
}

/** The best split for what the budget states, or what was asked instead. */
export function allocationOf(question: AllocationQuestion): Solved {
  const { document, index, budget, law: inForce, total, inputs, mixes, scaling, options } = question;
  if (typeof total === "string") return unsolved(total);
  const current: Levels = levelsOf(budget);
  const ratios = Object.fromEntries(mixes.map(({ mix }) => [mix.axis, mix.ratio]));
  const pins = [...(scaling?.pin ?? []), ...(options.pins ?? [])];
  const bound = notFreed(options.free ?? [], inForce.law.axes);
  if (bound !== null) return unsolved(bound);
  const asked = askedOf(budget, options);
  const paid = paymentOf(budget, total, inputs, { levels: current, ratios }, asked);
  if (typeof paid === "string") return unsolved(paid);
  const steps = stepCaps(pins, budget, inputs, current);
  const limits = Object.fromEntries(
    Object.entries(scaling?.limits ?? {}).flatMap(([axis, limit]) =>
      limit ? [[axis, [limit.low, limit.high] as const]] : [],
    ),
  );
  const trust = options.bold ? null : VERDICT.trust;
  for (const [axis, most] of Object.entries(paid.atMost)) {
    const [from, to] = limits[axis] ?? [null, null];
    // A limit of the user's may go beyond what the runs can tell; what is at hand may not.
    const range = inForce.law.ranges[axis];
    if (trust !== null && to === null && range && (most ?? 0) > range.max * trust) continue;
    limits[axis] = [from, Math.min(to ?? Infinity, most ?? Infinity)];
  }
  const { whole, least } = wholeNumbers(budget, durationUnit(document, index));
  for (const [axis, low] of Object.entries(least)) {
    const [from, to] = limits[axis] ?? [null, null];
    const range = inForce.law.ranges[axis];
    const trusted = trust !== null && range ? range.min / trust : 1;
    limits[axis] = [Math.max(from ?? trusted, low), to];
  }
  const stated = {
    current,
    limits,
    whole,
    mode: asked.mode,
    pins,
    free: options.free,
    mixes: mixes.map(({ mix }) => mix).filter(({ axis }) => inForce.law.axes.includes(axis)),
    recommend: options.recommend,
    trust,
    options: options.thorough ? {} : { sensitivity: false },
  };
  const problemWith = ({ cost, caps, name }: Pick<Payment, "cost" | "caps" | "name">): AllocationProblem => {
    const all = [...steps, ...caps];
    return { law: inForce.law, cost, ...stated, ...(all.length > 0 && { constraints: all }), budgetName: name };
  };
  const models = candidateModels(options.free ?? [], pins, inForce, current, scaling);
  /** The same question with the cost of a rollout as another model has it. */
  const exponent = (model: Candidate) => exponentOf(model, budget.model, inputs, question.rolloutHours);
  const problemOf = (model: Candidate): AllocationProblem => {
    const own = { ...inputs, parameterExponent: exponent(model) };
    const priced = costModel(own);
    const at = priced.ok ? paymentOf(budget, priced.value, own, { levels: current, ratios }, asked) : "";
    return problemWith(typeof at === "string" ? paid : at);
  };
  const problem = problemWith(paid);
  const solve = () => allocateModels(problem, models, problemOf);
  // Functions (rules) are lost in JSON, but they follow from the levels and the framework, which are in it.
  const once: Once = (key, work) =>
    options.memo
      ? options.memo.get(JSON.stringify([inForce.fit.id, inForce.setting, document.framework, inputs, key]), work)
      : work();
  // Amounts and scales of limits rest on facts (GPUs) that the cost of a rollout need not.
  const held = (problem.constraints ?? []).map(({ name, amount, scale }) => [name, amount, scale]);
  const sizes = models?.map((model) => [model, exponent(model)]);
  const solved = once(["split", stated, asked.caps, held, sizes], solve);
  if (!solved.ok) return unsolved(solved.problem.message);
  const { models: choices, problem: chosen } = solved.value;
  const result = withStepPins(solved.value.result, pins, budget);
  return {
    allocation: { result, cost: chosen.cost, problem: chosen, models: choices, edits: [], remainder: [], alone: null },
    plan: () => writtenPlan(document, index, chosen, result, once),
  };
}

function unsolved(reason: string): Solved {
  return { allocation: unknown(reason), plan: () => ({ edits: [], remainder: [], alone: null }) };
}
