import { known, type Fact } from "../budget/budget";
import { groupHelp, mapped, number, text, times, type Config, type Framework, type Read } from "./reading/read";
import { entryOf } from "../syntax/nodes";

/** The class of the file that its experiment is made of: a dataclass over `BasePPOExpConfig`. */
function experimentClass(config: Config): string | undefined {
  const classes = config.peek("classes")?.node;
  return classes?.kind === "map"
    ? classes.entries.find(({ value }) => {
        const bases = value.kind === "map" ? entryOf(value, "class")?.value : undefined;
        return (
          bases?.kind === "list" &&
          bases.items.some((base) => base.kind === "scalar" && /(^|\.)BasePPOExpConfig$/.test(String(base.value)))
        );
      })?.key
    : undefined;
}

const own =
  <Value>(make: (path: string) => Read<Value>, field: string): Read<Value> =>
  (config): Fact<Value> | undefined => {
    const name = experimentClass(config);
    return name === undefined ? undefined : make(`classes.${name}.${field}`)(config);
  };

/** Python classes; what a field of the base class says is not assumed, for its version is not known. */
export const openReasonerZero: Framework = {
  id: "open-reasoner-zero",
  name: "Open-Reasoner-Zero",
  docs: { url: "https://github.com/Open-Reasoner-Zero/Open-Reasoner-Zero", formats: ["Python"] },
  signs: {
    words: { python: ["\\bBasePPOExpConfig\\b"] },
    metrics: [
      { glob: "evals/*_accuracy", on: "evaluation", tells: "success" },
      { glob: "avg_accuracy", on: "evaluation", tells: "success" },
      { glob: "avg_raw_rewards", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => (config.syntax === "python" && experimentClass(config) !== undefined ? 0.85 : 0),
  responseScope: "trajectory",
  lastPartialBatch: "kept",
  fields: {
    model: { help: "The policy that is trained.", read: own(text, "pretrain") },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step, before each is rolled out `n_samples_per_prompt` times.",
      read: own(number, "rollout_batch_size"),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt."),
      read: own(number, "n_samples_per_prompt"),
    },
    epochs: {
      unit: "passes over the data",
      help: "`num_episodes` counts passes over the prompts.",
      read: own(number, "num_episodes"),
    },
    environments: {
      unit: "environments",
      help: "The prompts with their rule-based reward are one environment.",
      read: (config) =>
        experimentClass(config) === undefined ? undefined : known(1, "derived", { note: "one set of prompts" }),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: own(number, "prompt_max_len") },
    maxResponseTokens: {
      unit: "tokens per trajectory",
      help: "Longest answer.",
      read: own(number, "generate_max_len"),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs of each, where all roles share them (`colocate_all`).",
      read: (config) => {
        const name = experimentClass(config);
        return config.truth(`classes.${name}.colocate_all`) === true
          ? times(own(number, "actor_num_nodes"), own(number, "actor_num_gpus_per_node"))(config)
          : undefined;
      },
      otherwise: "the roles do not share their GPUs",
    },
    algorithm: {
      help: "PPO with a critic, or GRPO where `use_grpo` is set.",
      read: mapped(own(text, "use_grpo"), (value) => (/true/i.test(value) ? "grpo" : "ppo")),
    },
  },
  knobs: {
    duration: [{ paths: ["num_episodes"], counts: "epochs" }],
  },
};
