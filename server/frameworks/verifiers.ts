import { isKnown, known, unknown } from "../budget/budget";
import {
  combined,
  first,
  groupHelp,
  number,
  plus,
  rules,
  text,
  type Config,
  type Framework,
  type Read,
} from "./reading/read";
import { countTables } from "./sheet/lists";
import { calledName, callsOf, imports } from "./sheet/pythonData";
import { launchedProcesses, prompts, type TrlBatch } from "./sheet/trlBatch";
import { entryOf } from "../syntax/nodes";
import { modelIn } from "./sheet/pythonModel";
import { trlExperiments } from "./trl";

/** A setting of the trainer: `[trainer.args]` of `vf-rl`, or the arguments of a trainer in Python. */
const setting = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`args.${name}`, `trainer.args.${name}`]);

const groupSize = number(setting("rollouts_per_example", "num_generations"));
const batchSize = number(setting("batch_size"), { unit: "rollouts per step" });

/** The first trainer was TRL's: completions per device. No default is assumed, for `grpo_defaults` has its own. */
const older: TrlBatch = {
  perDevice: number(setting("per_device_train_batch_size"), { unit: "completions per device" }),
  processes: launchedProcesses,
  accumulation: number(setting("gradient_accumulation_steps")),
  stepsPerGeneration: number(setting("steps_per_generation")),
  generationBatch: number(setting("generation_batch_size")),
  generations: groupSize,
  iterations: number(setting("num_iterations")),
};

const promptsPerStep: Read<number> = (config) => {
  const fact = combined([batchSize, groupSize], ([batch, n]) => batch / n, " rollouts / ")(config);
  if (fact === undefined) return prompts(older)(config);
  return isKnown(fact) && !Number.isInteger(fact.value)
    ? unknown("the batch does not divide by the rollouts per example")
    : fact;
};

const model: Read<string> = (config) => {
  if (config.syntax !== "python") return text("model")(config);
  const given = modelIn(config.find("trainer.model")?.node);
  const loaded = callsOf(config.variant, "get_model_and_tokenizer", "get_model")
    .map((call) => modelIn(call.entries.find((entry) => entry.key === "0" || entry.key === "model_name")?.value))
    .filter((one) => one !== undefined);
  return given && isKnown(given) ? given : (loaded[0] ?? given);
};

export const verifiers: Framework = {
  id: "verifiers",
  name: "verifiers",
  docs: { url: "https://docs.primeintellect.ai/verifiers", formats: ["Python", "TOML"] },
  signs: {
    words: { python: ["\\bverifiers\\b"] },
  },
  detect: (config: Config) => {
    if (config.syntax === "python")
      return imports(config.variant, /^verifiers\b/) &&
        trlExperiments(config.variant).some((one) => entryOf(one.root, "trainer"))
        ? 0.9
        : 0;
    return config.syntax === "toml" && config.has("trainer.args") && config.has("env") ? 0.9 : 0;
  },
  experiments: trlExperiments,
  responseScope: "turn",
  fields: {
    model: { read: model, help: "The policy that is trained." },
    promptsPerStep: {
      unit: "rollouts per step",
      help: "`batch_size` counts **rollouts** over all devices: a step has batch_size / rollouts_per_example prompts.",
      read: promptsPerStep,
    },
    groupSize: {
      unit: "rollouts per example",
      help: groupHelp("Rollouts of each example, whose rewards are compared with each other."),
      read: groupSize,
    },
    steps: {
      unit: "steps",
      help: "Trainer steps.",
      read: number(setting("max_steps"), { unless: (steps) => steps < 1 }),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the environment's examples, when no steps are set.",
      read: number(setting("num_train_epochs")),
      otherwise: "the trainer counts steps",
    },
    environments: {
      help: "The environment that is loaded.",
      read: first(countTables(["env"]), (config) =>
        config.has("trainer.env") ? known(1, "derived", { note: "one environment" }) : undefined,
      ),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt.",
      read: number(setting("max_prompt_length", "max_prompt_len")),
      otherwise: "only the whole sequence is limited (max_seq_len)",
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Most tokens that the model writes in **one turn**; `max_seq_len` limits the whole rollout.",
      read: number(setting("max_tokens", "max_completion_length")),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns, where the environment takes a limit.",
      read: number("env.args.max_turns"),
      otherwise: "the environment decides",
    },
    gpus: {
      unit: "GPUs",
      help: "GPUs for training and inference together.",
      read: plus(number("trainer.gpus"), number("inference.gpus")),
    },
    algorithm: {
      help: "The trainer compares the rollouts of an example.",
      read: (config) =>
        /GRPO/.test(calledName(config.peek("trainer")?.node) ?? "")
          ? known("grpo", "derived", { note: "the trainer" })
          : undefined,
      otherwise: "the file does not say",
    },
  },
  knobs: {
    duration: [
      { paths: setting("max_steps"), counts: "steps" },
      {
        paths: setting("num_train_epochs"),
        counts: "epochs",
        when: (config) => !setting("max_steps").some((path) => config.has(path)),
      },
    ],
    groupSize: { paths: setting("rollouts_per_example", "num_generations") },
    batch: ["batch_size", "gradient_accumulation_steps", "per_device_train_batch_size"].map((name) => ({
      paths: setting(name),
      counts: "rollouts" as const,
    })),
  },
  remainders: { tasks: "the examples are in the environment's package" },
  rules: () => [
    rules.groupAtLeastTwo("an example needs at least 2 rollouts: their rewards are compared with each other"),
  ],
};
