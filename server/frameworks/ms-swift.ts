import { trlFamilyCost } from "./cost/others";
import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  combined,
  type Config,
  first,
  type Framework,
  groupHelp,
  itemsOf,
  mapped,
  number,
  plus,
  type Read,
  text,
  when,
} from "./reading/read";
import { launchedGpus, launchedProcesses, prompts, PROMPTS_HELP, trlRules, type TrlBatch } from "./sheet/trlBatch";

const GRPO_ARGS = "swift/arguments/rlhf_args.py";

/** A setting as a flag or in a YAML file. */
const setting = (name: string): readonly string[] => [`--${name}`, name];

const batch: TrlBatch = {
  perDevice: first(
    number(setting("per_device_train_batch_size"), { unit: "completions per device" }),
    byDefault(1, "swift/trainers/arguments.py"),
  ),
  processes: launchedProcesses,
  accumulation: first(number(setting("gradient_accumulation_steps")), byDefault(1, GRPO_ARGS)),
  stepsPerGeneration: number(setting("steps_per_generation")),
  generationBatch: number(setting("generation_batch_size"), { unit: "completions per generation" }),
  generations: first(number(setting("num_generations")), byDefault(8, GRPO_ARGS)),
  iterations: number(setting("num_iterations")),
};

/** Megatron states the completions of an update at once. */
const globalBatch = number(setting("global_batch_size"), {
  unit: "completions per update",
  help: "Completions per update, over all devices: prompts = global_batch_size / num_generations.",
});
const megatronPrompts: Read<number> = (config) => {
  const fact = combined([globalBatch, batch.generations], ([all, n]) => all / n, " completions / ")(config);
  return fact && isKnown(fact) && !Number.isInteger(fact.value)
    ? unknown("global_batch_size does not divide by num_generations")
    : fact;
};

/** `name#1000` takes 1,000 rows, again and again where there are fewer; known when every dataset says so. */
const tasks: Read<number> = (config) => {
  const found = setting("dataset")
    .map((path) => config.find(path))
    .find((one) => one !== undefined);
  const names = itemsOf(found?.node);
  if (!found || names.length === 0) return undefined;
  const ratio = first(number(setting("split_dataset_ratio")))(config);
  if (ratio && (!isKnown(ratio) || ratio.value > 0)) return unknown("a part of the rows is set aside for validation");
  let sum = 0;
  for (const name of names) {
    const rows = name.kind === "scalar" ? /#(\d+)$/.exec(String(name.value)) : null;
    if (!rows) return undefined;
    sum += Number(rows[1]);
  }
  return known(sum, "config", { span: found.node.span, note: "rows taken of each dataset (`#N`)" });
};

const scheduled = (config: Config): boolean =>
  ["multi_turn_scheduler", "gym_env", "use_gym_env"].some((name) =>
    setting(name).some((path) => config.has(path) && config.truth(path) !== false),
  );

const environments: Read<number> = (config) => {
  const found = [...setting("gym_env"), ...setting("multi_turn_scheduler"), ...setting("dataset")]
    .map((path) => config.find(path))
    .find((one) => one !== undefined);
  if (!found || !scheduled(config)) return found && assumedOne("one set of rewards", found.node);
  return known(1, "derived", { ...(found.node.file ? {} : { span: found.node.span }), note: "one gym environment" });
};

const stepPaths = [...setting("max_steps"), ...setting("train_iters")];

export const msSwift: Framework = {
  id: "ms-swift",
  name: "ms-swift",
  docs: {
    url: "https://swift.readthedocs.io/en/latest/Instruction/GRPO/GetStarted/GRPO.html",
    formats: ["shell", "YAML"],
  },
  signs: {
    words: { data: ["\\brlhf_type\\b"], shell: ["\\bswift\\s+rlhf\\b"] },
    programs: ["swift", "megatron"],
  },
  detect: (config) => {
    const type = [...setting("rlhf_type")].map((path) => config.textAt(path)).find((value) => value !== undefined);
    if (type !== undefined) return /^grpo$/i.test(type) ? 0.95 : 0;
    const program = config.variant.command?.program ?? "";
    return /(^|\/)(swift|megatron)$/.test(program) &&
      config.variant.command?.positional[0] === "rlhf" &&
      config.has("--num_generations")
      ? 0.7
      : 0;
  },
  cost: trlFamilyCost,
  responseScope: "turn",
  stepsOverrideEpochs: true,
  fields: {
    model: { read: text(setting("model")), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "completions per device",
      help: `${PROMPTS_HELP} With Megatron, \`global_batch_size\` states the completions of an update.`,
      read: first(megatronPrompts, prompts(batch)),
    },
    groupSize: {
      unit: "completions per prompt",
      help: groupHelp("Completions of each prompt."),
      read: batch.generations,
    },
    steps: {
      unit: "steps",
      help: "Ends the run whatever `num_train_epochs` says.",
      read: number(stepPaths, { unless: (steps) => steps < 1 }),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the data. `num_iterations` is something else: updates per generation.",
      read: first(
        number(setting("num_train_epochs")),
        when(
          (config) => stepPaths.some((path) => config.has(path)),
          () => unknown("the steps end the run"),
        ),
        byDefault(3, "transformers TrainingArguments"),
      ),
    },
    tasks: {
      unit: "rows",
      help: "`file.jsonl#1000` takes 1,000 rows, repeating them where the file has fewer. With a gym environment the rows may be placeholders: the tasks then come from its server.",
      read: tasks,
      otherwise: "the rows of the dataset are not in the file",
    },
    environments: {
      help: "A gym environment or scheduler is one environment; otherwise the dataset and its rewards are.",
      read: environments,
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest input (`max_length`); the whole context is limited by `vllm_max_model_len`.",
      read: number(setting("max_length")),
      otherwise: "`max_length` is not set",
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Most tokens that the model writes in **one turn**.",
      read: first(number(setting("max_completion_length")), byDefault(512, GRPO_ARGS)),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a multi-turn rollout.",
      read: first(number(setting("max_turns")), (config) =>
        scheduled(config) || served(config) ? undefined : known(1, "derived", { note: "no multi-turn scheduler" }),
      ),
      otherwise: "the rollout server or the scheduler decides",
    },
    gpus: {
      unit: "GPUs",
      help: "Processes of the training; a rollout server needs its own.",
      read: first(rayGpus, launchedGpus),
      otherwise: "the launcher decides",
    },
    algorithm: {
      help: "The advantage estimator, or the kind of training.",
      read: mapped(first(text(setting("advantage_estimator")), text(setting("rlhf_type"))), (value) =>
        value.toLowerCase(),
      ),
    },
  },
  knobs: {
    duration: [
      { paths: stepPaths, counts: "steps", when: (config) => stepPaths.some((path) => config.has(path)) },
      {
        paths: setting("num_train_epochs"),
        counts: "epochs",
        when: (config) => !stepPaths.some((path) => config.has(path)),
      },
    ],
    groupSize: { paths: setting("num_generations") },
    batch: [
      "generation_batch_size",
      "global_batch_size",
      "steps_per_generation",
      "gradient_accumulation_steps",
      "per_device_train_batch_size",
    ].map((name) => ({ paths: setting(name), counts: "rollouts" as const })),
  },
  remainders: { tasks: "the rows taken stand after the dataset's name: `file.jsonl#1000`" },
  // Distillation from a teacher compares no rollouts, and Megatron's batch is its own rule.
  rules: (config) =>
    globalBatch(config) || setting("teacher_model").some((path) => config.has(path)) ? [] : trlRules(batch, config),
  traps: (config, budget) =>
    isKnown(budget.axes.tasks) && budget.axes.tasks.source === "config" && budget.axes.tasks.span && scheduled(config)
      ? [
          {
            span: budget.axes.tasks.span,
            severity: "information",
            code: "budget.unknown",
            message:
              "`#N` sets how many rows are drawn, with repetition where the file has fewer. With a gym environment the rows may be placeholders: the tasks come from the environment.",
          },
        ]
      : [],
};

/** Rollouts on a server of their own may take several turns there. */
function served(config: Config): boolean {
  return setting("vllm_mode").some((path) => config.textAt(path) === "server");
}

/** With Ray, training and rollout state their GPUs; groups that are colocated share them. */
function rayGpus(config: Config): ReturnType<Read<number>> {
  const [training, rollout] = [number("train.gpus"), number("rollout.gpus")];
  return config.has("colocate_groups") ? training(config) : plus(training, rollout)(config);
}
