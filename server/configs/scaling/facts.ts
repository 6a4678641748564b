import type { ExperimentBudget, Fact, Known, SynthesisPlan } from "../../budget/budget";
import { isKnown, known, unknown } from "../../budget/budget";
import type { CostFacts } from "../../budget/costFacts";
import type { FactRule, NumericFact, WordFact } from "./scalingFile";

/** Facts for one config, merged from the rules that match it. Later rules win field by field. */
export interface MergedFacts {
  readonly numbers: Readonly<Partial<Record<NumericFact, Known<number>>>>;
  readonly words: Readonly<Partial<Record<WordFact, Known<string>>>>;
  readonly owned: FactRule["owned"];
  readonly synthesis: ExperimentBudget["synthesis"];
}

export function mergeFacts(rules: readonly FactRule[], scalingUri: string): MergedFacts {
  const numbers: Partial<Record<NumericFact, Known<number>>> = {};
  const words: Partial<Record<WordFact, Known<string>>> = {};
  const owned: Partial<Record<string, number>> = {};
  const synthesis: Partial<Record<string, SynthesisPlan>> = {};
  for (const rule of rules) {
    const note = `facts for ${rule.files.join(", ")}`;
    const fact = <Value>(placed: { readonly value: Value; readonly span: Known<Value>["span"] }): Known<Value> =>
      known(placed.value, "scaling.yaml", { span: placed.span, file: scalingUri, note });
    for (const [field, placed] of Object.entries(rule.numbers) as [
      NumericFact,
      NonNullable<FactRule["numbers"][NumericFact]>,
    ][])
      numbers[field] = fact(placed);
    for (const [field, placed] of Object.entries(rule.words) as [WordFact, NonNullable<FactRule["words"][WordFact]>][])
      words[field] = fact(placed);
    Object.assign(owned, rule.owned);
    for (const [axis, plan] of Object.entries(rule.synthesis)) {
      if (plan === undefined) continue;
      synthesis[axis] = {
        method: plan.method,
        real: plan.real === undefined ? unknown("scaling.yaml does not state the real amount") : fact(plan.real),
        synthetic:
          plan.synthetic === undefined
            ? unknown("scaling.yaml does not state the synthetic amount")
            : fact(plan.synthetic),
        ...(plan.discount && { discount: plan.discount }),
        ...(plan.criticalRatio && { criticalRatio: plan.criticalRatio }),
      };
    }
  }
  return { numbers, words, owned, synthesis };
}

/**
 * Fills what an experiment leaves unknown, marked as coming from `scaling.yaml`. What the config states wins, but for the
 * number of environments: only a native budget states it, other configs let it be counted (one training set, so many sources).
 */
export function applyFacts(budget: ExperimentBudget, facts: MergedFacts, native = false): ExperimentBudget {
  const { numbers, words } = facts;
  const promptsPerStep = filled(budget.promptsPerStep, numbers.promptsPerStep);
  const groupSize = filled(budget.groupSize, numbers.groupSize);
  const epochs = filled(budget.epochs, numbers.epochs);
  const dataset = filled(budget.axes.tasks, numbers.tasks);
  const steps = filled(budget.steps, numbers.steps);
  const tasks = isKnown(budget.axes.tasks) ? budget.axes.tasks : seen(dataset, steps, promptsPerStep);
  const parameters = filled(budget.model.parameters, numbers.parameters);
  const designs: Fact<"nested" | "factorial"> | undefined = words.design as Known<"nested" | "factorial"> | undefined;
  return {
    ...budget,
    model: {
      name: filled(budget.model.name, words.model),
      parameters,
      activeParameters: filled(
        budget.model.activeParameters,
        numbers.activeParameters ??
          (isKnown(parameters) && parameters.source === "scaling.yaml" ? parameters : undefined),
      ),
    },
    axes: {
      tasks,
      environments: native
        ? filled(budget.axes.environments, numbers.environments)
        : (numbers.environments ?? budget.axes.environments),
      worlds: filled(budget.axes.worlds, numbers.worlds),
      structures: filled(budget.axes.structures, numbers.structures),
      trajectories: isKnown(budget.axes.trajectories)
        ? budget.axes.trajectories
        : numbers.trajectories !== undefined
          ? numbers.trajectories
          : perTask(budget.axes.trajectories, groupSize, steps, promptsPerStep, tasks),
      rewardDensity: filled(budget.axes.rewardDensity, numbers.rewardDensity),
    },
    promptsPerStep,
    groupSize,
    steps,
    epochs,
    maxTurns: filled(budget.maxTurns, numbers.maxTurns),
    cost: withCostFacts(budget.cost, numbers),
    gpus: filled(budget.gpus, numbers.gpus),
    algorithm: filled(budget.algorithm, words.algorithm),
    // An upper bound from the limits is no statement: a mean that the user gives replaces it.
    tokensPerTrajectory:
      isKnown(budget.tokensPerTrajectory) && budget.tokensPerTrajectory.source !== "derived"
        ? budget.tokensPerTrajectory
        : (numbers.tokensPerTrajectory ?? budget.tokensPerTrajectory),
    domain: filled(budget.domain, words.domain),
    rewardScheme: filled(budget.rewardScheme, words.rewardScheme),
    design: filled(budget.design, designs),
    coverage: filled(budget.coverage, numbers.coverage),
    owned: { ...facts.owned, ...budget.owned },
    synthesis: { ...facts.synthesis, ...budget.synthesis },
  };
}

/** A guess from a limit gives way to a mean that the user states; what the config itself states stays. */
function withCostFacts(cost: CostFacts, numbers: MergedFacts["numbers"]): CostFacts {
  const { promptTokens, responseTokens, turns, environmentSeconds, dynamicSampling, passRate, evaluationSamples } =
    numbers;
  const added = { promptTokens, responseTokens, turns, environmentSeconds, passRate };
  return {
    ...Object.fromEntries(Object.entries(added).filter(([, fact]) => fact !== undefined)),
    ...cost,
    ...(dynamicSampling && !(cost.dynamicSampling && isKnown(cost.dynamicSampling)) && { dynamicSampling }),
    ...(evaluationSamples &&
      !(cost.evaluation?.samples && isKnown(cost.evaluation.samples)) && {
        evaluation: { ...cost.evaluation, samples: evaluationSamples },
      }),
  };
}

function filled<Value>(fact: Fact<Value>, from: Fact<Value> | undefined): Fact<Value> {
  return isKnown(fact) || from === undefined ? fact : from;
}

function seen(tasks: Fact<number>, steps: Fact<number>, prompts: Fact<number>): Fact<number> {
  if (!isKnown(tasks) || !isKnown(steps) || !isKnown(prompts) || steps.value * prompts.value >= tasks.value)
    return tasks;
  const drawn = steps.value * prompts.value;
  return known(drawn, "derived", { note: `steps × prompts: only ${drawn} of ${tasks.value} tasks are ever seen` });
}

function perTask(
  trajectories: Fact<number>,
  group: Fact<number>,
  steps: Fact<number>,
  prompts: Fact<number>,
  tasks: Fact<number>,
): Fact<number> {
  if (!isKnown(group) || !isKnown(steps) || !isKnown(prompts) || !isKnown(tasks)) return trajectories;
  return known((group.value * steps.value * prompts.value) / tasks.value, "derived", {
    note: `n·S·P / D_T = ${group.value} × ${steps.value} × ${prompts.value} / ${tasks.value}`,
  });
}
