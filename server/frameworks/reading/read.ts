import { isKnown, unknown, type BudgetField, type ExperimentBudget, type Fact } from "../../budget/budget";
import { Config } from "../sheet/config";
import type { FieldSpec, Framework, FrameworkFields, TrainFile } from "../sheet/sheet";
import { SHARED_HELP } from "../sheet/common";
import { costFacts } from "../cost/reads";
import { deriveAxes, tokensAtMost, type DatasetRows } from "./derive";
import { withServers } from "./servers";
import { sharedTraps } from "./traps";
import { modelSize, withoutHome, isPlaceholder } from "../../budget/modelName";
import type { ConfigDiagnostic, ConfigVariant, SyntaxDocument } from "../../syntax/tree";

export { Config, itemsOf, keysOf, type ShippedValues } from "../sheet/config";
export type { FieldSpec, Framework, FrameworkFields, Knob, Read, TrainFile } from "../sheet/sheet";
export type { DatasetRows } from "./derive";
export { configAfter, durationUnit, planEdits } from "./edits";
export { numberLike } from "../../syntax/quantity/style";
export * from "../sheet/reads";
export * from "../sheet/common";

export interface Recognised {
  readonly framework: Framework;
  readonly score: number;
}

/** The framework that is surest of a variant (at least 0.5), or null. The first in the list wins a tie. */
export function recognise(
  frameworks: readonly Framework[],
  variant: ConfigVariant,
  syntax: SyntaxDocument["syntax"],
  text = "",
): Recognised | null {
  const config = new Config(variant, syntax, text);
  let best: Recognised | null = null;
  for (const framework of frameworks) {
    const score = framework.detect(config);
    if (score >= 0.5 && score > (best?.score ?? 0)) best = { framework, score };
  }
  return best;
}

/** The experiments of a variant: itself, unless the framework finds several in it. */
export function experimentsOf(framework: Framework, variant: ConfigVariant): readonly ConfigVariant[] {
  const split = framework.experiments?.(variant) ?? [];
  return split.length > 0 ? split : [variant];
}

/** A config of a known framework, ready to be read. */
export function openConfig(
  framework: Framework,
  variant: ConfigVariant,
  syntax: SyntaxDocument["syntax"],
  text = "",
): Config {
  const config = new Config(variant, syntax, text);
  config.cutOff = config.has("--shell.cut-off");
  config.fragment = config.cutOff || (framework.fragment?.(config) ?? false);
  config.shipped = framework.shipped?.(config) ?? {};
  return config;
}

/** The training files that a variant names; empty where its tasks live elsewhere. */
export function trainFiles(framework: Framework, config: Config): readonly TrainFile[] {
  return framework.trainFiles?.(config) ?? [];
}

export interface ReadOptions {
  /** Rows of the training files, when they are in the workspace. */
  readonly data?: DatasetRows;
  /** The experiment's name when the variant has none. */
  readonly name?: string;
}

/** Reads a variant into a budget: what it states, what follows, and what stays unknown with its reason. */
export function readExperiment(
  framework: Framework,
  config: Config,
  options: ReadOptions = {},
): { readonly experiment: ExperimentBudget; readonly diagnostics: readonly ConfigDiagnostic[] } {
  const stated = <Name extends keyof FrameworkFields>(name: Name) => readField(framework, config, name);
  const fact = <Name extends keyof FrameworkFields>(name: Name) =>
    stated(name) ?? unknownField(framework, config, name);

  const model = namedModel(fact("model") as Fact<string>);
  const size = isKnown(model)
    ? modelSize(model.value)
    : { parameters: unknown(model.reason), activeParameters: unknown(model.reason) };
  const notTasks = framework.rowsAreNotTasks?.(config);
  const groupSize = fact("groupSize") as Fact<number>;
  const promptsPerStep = fact("promptsPerStep") as Fact<number>;
  const epochs = fact("epochs") as Fact<number>;
  const derived = deriveAxes(
    framework,
    {
      promptsPerStep,
      groupSize,
      epochs,
      statedSteps: stated("steps") as Fact<number> | undefined,
      statedTasks: stated("tasks") as Fact<number> | undefined,
    },
    options.data,
    notTasks,
  );
  const maxPromptTokens = fact("maxPromptTokens") as Fact<number>;
  const maxResponseTokens = fact("maxResponseTokens") as Fact<number>;
  const maxTurns = fact("maxTurns") as Fact<number>;
  const responseScope =
    typeof framework.responseScope === "function" ? framework.responseScope(config) : framework.responseScope;
  const independent = framework.cost?.independentTurns?.(config)?.value === true;
  const environments = environmentsOf(fact("environments") as Fact<number>, options.data);

  const experiment: ExperimentBudget = {
    name: config.variant.name ?? options.name ?? "experiment",
    anchor: config.variant.anchor,
    model: {
      name: model,
      parameters: (stated("parameters") as Fact<number> | undefined) ?? size.parameters,
      activeParameters: (stated("activeParameters") as Fact<number> | undefined) ?? size.activeParameters,
    },
    axes: {
      tasks: derived.tasks,
      environments,
      worlds: unknown("no config of this framework tells worlds from structures; state them in scaling.yaml"),
      structures: unknown("no config of this framework tells worlds from structures; state them in scaling.yaml"),
      trajectories: derived.trajectories,
      rewardDensity: unknown("the reward is code; measure it on rollouts or state it in scaling.yaml"),
    },
    promptsPerStep,
    groupSize,
    steps: derived.steps,
    epochs,
    maxPromptTokens,
    maxResponseTokens,
    responseScope,
    maxTurns,
    gpus: withServers(fact("gpus") as Fact<number>, config),
    algorithm: fact("algorithm") as Fact<string>,
    spend: {},
    tokensPerTrajectory:
      (stated("tokensPerTrajectory") as Fact<number> | undefined) ??
      tokensAtMost(maxPromptTokens, maxResponseTokens, maxTurns, responseScope, independent),
    domain: fact("domain") as Fact<string>,
    rewardScheme: fact("rewardScheme") as Fact<string>,
    design: unknown("no config says whether tasks are nested in environments; state it in scaling.yaml"),
    coverage: unknown("no config says which task × environment cells are covered; state it in scaling.yaml"),
    cost: costFacts(framework.cost, config),
    owned: {},
    synthesis: {},
    sites: config.sites,
    rules: framework.rules?.(config) ?? [],
  };
  return {
    experiment,
    diagnostics: [...sharedTraps(framework, config, experiment), ...(framework.traps?.(config, experiment) ?? [])],
  };
}

/** A model as people say it: without the home folder it lies in; a placeholder is not a model. */
function namedModel(model: Fact<string>): Fact<string> {
  if (!isKnown(model)) return model;
  if (isPlaceholder(model.value)) return unknown(`${JSON.stringify(model.value)} is a placeholder`);
  return { ...model, value: withoutHome(model.value) };
}

function readField(
  framework: Framework,
  config: Config,
  name: keyof FrameworkFields,
): Fact<string | number> | undefined {
  const spec = framework.fields[name] as FieldSpec<string | number> | undefined;
  const shared = SHARED_HELP[name];
  return (
    spec &&
    config.reading(
      name as BudgetField,
      spec.unit ?? "",
      shared === undefined ? spec.help : `${spec.help}\n\n${shared}`,
      () => spec.read(config),
    )
  );
}

function unknownField(framework: Framework, config: Config, name: keyof FrameworkFields): Fact<never> {
  if (config.fragment) return unknown(config.whyNoDefault);
  return unknown(framework.fields[name]?.otherwise ?? `no key of ${framework.name} states it here`);
}

function environmentsOf(stated: Fact<number>, data: DatasetRows | undefined): Fact<number> {
  if (data?.environments === undefined) return stated;
  return { value: data.environments, source: data.source ?? "dataset", note: data.note };
}

/** Whether two experiments say the same, wherever they say it. */
export function sameBudget(a: ExperimentBudget, b: ExperimentBudget): boolean {
  const values = (one: ExperimentBudget) =>
    [
      one.model.name,
      one.model.parameters,
      ...Object.values(one.axes),
      one.promptsPerStep,
      one.groupSize,
      one.steps,
      one.epochs,
      one.maxPromptTokens,
      one.maxResponseTokens,
      one.maxTurns,
      one.gpus,
      one.algorithm,
      one.tokensPerTrajectory,
    ].map((fact: Fact<string | number>) => fact.value);
  const other = values(b);
  return values(a).every((value, index) => value === other[index]);
}
