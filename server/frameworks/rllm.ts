import { verlCost } from "./cost/verl";
import {
  assumedOne,
  because,
  byDefault,
  combined,
  type Config,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  text,
  toNumber,
  when,
} from "./reading/read";
import { algorithmName, verlFields, verlRules, verlTrainFiles } from "./verl";

const BASE = "rllm/trainer/config/rllm/base.yaml";
/** tinker and fireworks train as a service. */
const isHosted = (config: Config): boolean => {
  const backend = config.textAt("rllm/backend") ?? "";
  return (
    /tinker|fireworks/.test(backend) || (backend === "" && !config.has("actor_rollout_ref") && config.has("model.name"))
  );
};
const isAsync = (config: Config): boolean => config.truth("rllm.async_training.enable") === true;
/** rLLM's own fully-async trainer on verl counts the prompts of an update by a key of its own. */
const REQUIRED = "async_training.required_samples";
const hasRequired = (config: Config): boolean => config.has(REQUIRED);

const asyncSteps = mapped(
  combined(
    [number("rollout.total_rollout_steps", { unit: "prompts in all" }), number(REQUIRED)],
    ([all, each]) => Math.floor(all / each),
    " prompts / ",
  ),
  (steps) => (steps < 1 ? undefined : steps),
);

export const rllm: Framework = {
  id: "rllm",
  name: "rLLM",
  docs: { url: "https://docs.rllm-project.com", formats: ["Hydra YAML", "shell", "Python"] },
  signs: {
    words: { data: ["\\brllm\\b"], shell: ["\\brllm\\b"] },
  },
  detect: (config) => {
    if (/sft/.test(config.variant.command?.target ?? "")) return 0;
    if (config.has("rllm/backend")) return 0.95;
    if (
      config.has("rllm.agent") ||
      config.has("rllm.trainer") ||
      config.has("rllm.stepwise_advantage") ||
      config.has("rllm.algorithm") ||
      config.has("rllm.workflow")
    )
      return 0.9;
    if (
      /tinker_rl_trainer/.test(config.textAt("--config-name") ?? "") ||
      (config.has("tinker_base_url") && config.has("training.group_size"))
    )
      return 0.9;
    if (hasRequired(config) || (config.has("data.train_dataset_name") && config.has("actor_rollout_ref"))) return 0.85;
    return /(^|\.)rllm\./.test(config.variant.command?.target ?? "") &&
      (config.has("data") || config.has("actor_rollout_ref"))
      ? 0.85
      : 0;
  },
  fragment: (config) => config.variant.command === null && !config.has("data.train_batch_size"),
  cost: verlCost,
  responseScope: (config) => (isHosted(config) ? "turn" : "trajectory"),
  lastPartialBatch: "dropped",
  fields: {
    ...verlFields,
    model: {
      help: "The policy: `model.name` with a hosted backend, else verl's `actor_rollout_ref.model.path`.",
      read: when(isHosted, text("model.name"), first(text("actor_rollout_ref.model.path"), text("model.name"))),
    },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step. In asynchronous training `data.train_batch_size` is 1 and an update consumes `rllm.async_training.mini_batch_size` groups of prompts.",
      read: when(
        hasRequired,
        number(REQUIRED),
        when(
          isAsync,
          first(number("rllm.async_training.mini_batch_size"), byDefault(64, BASE)),
          first(number("data.train_batch_size"), number("rllm.data.train_batch_size"), byDefault(64, BASE)),
        ),
      ),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp(
        "Rollouts of each prompt: `training.group_size` with a hosted backend, else `actor_rollout_ref.rollout.n`. `validation.group_size` and `n_val` are for validation.",
      ),
      read: when(
        isHosted,
        first(number("training.group_size"), number("rllm.rollout.n"), byDefault(8, BASE)),
        first(
          number("actor_rollout_ref.rollout.n"),
          number("rllm.rollout.n"),
          number("training.group_size"),
          byDefault(8, BASE),
        ),
      ),
    },
    steps: {
      unit: "steps",
      help: "Ends the run after so many batches (-1: the epochs decide).",
      read: first(
        number("rllm.trainer.total_batches", { unless: (value) => value < 0 }),
        number("trainer.total_training_steps"),
        when(hasRequired, asyncSteps),
      ),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the registered training set.",
      read: first(
        number("rllm.trainer.total_epochs"),
        when(hasRequired, number("rollout.total_epochs")),
        number("trainer.total_epochs"),
        byDefault(10, BASE),
      ),
    },
    environments: {
      help: "The training script names one registered data set, which is one environment.",
      read: () => assumedOne("the one data set of the training script"),
    },
    maxTurns: {
      unit: "steps of the agent",
      help: "Most steps of the agent in a trajectory.",
      otherwise: "the workflow or the rows decide on the turns",
      read: number(["rllm.agent.max_steps", "agent.max_steps"]),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs per node; a hosted backend has none of its own.",
      read: when(isHosted, because("the backend trains as a service"), verlFields.gpus.read),
    },
    algorithm: {
      help: "The advantage estimator.",
      read: first(lower(text(["rllm.algorithm.adv_estimator", "algorithm.adv_estimator"])), byDefault("grpo", BASE)),
    },
  },
  trainFiles: verlTrainFiles,
  knobs: {
    duration: [
      { paths: ["rllm.trainer.total_batches"], counts: "steps" },
      { paths: ["trainer.total_training_steps"], counts: "steps" },
      { paths: ["rollout.total_rollout_steps"], counts: "prompts", when: hasRequired },
      { paths: ["rollout.total_epochs"], counts: "epochs", when: hasRequired },
      { paths: ["rllm.trainer.total_epochs", "trainer.total_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["training.group_size", "actor_rollout_ref.rollout.n", "rllm.rollout.n"] },
  },
  remainders: {
    tasks: "the tasks are a registered data set: register a shorter or longer one",
    environments: "the training script names one data set",
  },
  rules: (config) => (isHosted(config) ? [] : verlRules(config).filter((rule) => rule.id !== "verl-mini-batch")),
  groupSizeAlso: ["training.group_size", "rllm.rollout.n"],
  traps: (config, budget) => {
    const batch = config.peek("data.train_batch_size");
    if (
      !isAsync(config) ||
      batch?.node.kind !== "scalar" ||
      toNumber(batch.node.value) === 1 ||
      budget.promptsPerStep.value === null
    )
      return [];
    return [
      {
        span: batch.node.span,
        severity: "information",
        code: "batch.unit",
        message: `In asynchronous training an update consumes \`rllm.async_training.mini_batch_size\` (${budget.promptsPerStep.value}) prompts, whatever \`data.train_batch_size\` says.`,
      },
    ];
  },
};

function lower(read: ReturnType<typeof text>): ReturnType<typeof text> {
  return (config) => {
    const fact = read(config);
    return fact === undefined || fact.value === null ? fact : { ...fact, value: algorithmName(fact.value) };
  };
}
