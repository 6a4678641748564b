import type { MapNode, TreeNode } from "../syntax/tree";
import { entryOf } from "../syntax/nodes";
import {
  assumedOne,
  type Config,
  constant,
  type Framework,
  groupHelp,
  mapped,
  number,
  plus,
  type Read,
  text,
  times,
  when,
} from "./reading/read";

/** The class of the file that its experiment is made of: a dataclass over `BasePPOExpConfig`. */
function experimentClass(root: TreeNode): MapNode | undefined {
  const classes = root.kind === "map" ? entryOf(root, "classes")?.value : undefined;
  if (classes?.kind !== "map") return undefined;
  for (const { value } of classes.entries) {
    const bases = value.kind === "map" ? entryOf(value, "class")?.value : undefined;
    const isOne =
      bases?.kind === "list" &&
      bases.items.some((base) => base.kind === "scalar" && /(^|\.)BasePPOExpConfig$/.test(String(base.value)));
    if (isOne && value.kind === "map") return value;
  }
  return undefined;
}

const role = (name: string) => times(number(`${name}_num_nodes`), number(`${name}_num_gpus_per_node`));

/** The GPUs of a role, and those of a second one that is not on the same; a model that is not loaded has none. */
function beside(name: string, other: string, shared: string): Read<number> {
  const loaded = (one: string, config: Config) =>
    !config.has(`${one}_pretrain`) || !/^(none)?$/i.test(config.textAt(`${one}_pretrain`) ?? "");
  const apart = (config: Config) => loaded(other, config) && config.truth(shared) !== true;
  return when(
    (config) => loaded(name, config),
    plus(role(name), when(apart, role(other), constant(0, `no more for ${other}`))),
    constant(0, `no ${name} model`),
  );
}

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
  detect: (config) => (config.syntax === "python" && experimentClass(config.variant.root) ? 0.85 : 0),
  // The fields of the class are the config.
  experiments: (variant) => {
    const own = experimentClass(variant.root);
    return own ? [{ ...variant, root: own }] : [];
  },
  responseScope: "trajectory",
  lastPartialBatch: "kept",
  fields: {
    model: { help: "The policy that is trained.", read: text("pretrain") },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts per step, before each is rolled out `n_samples_per_prompt` times.",
      read: number("rollout_batch_size"),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt."),
      read: number("n_samples_per_prompt"),
    },
    epochs: {
      unit: "passes over the data",
      help: "`num_episodes` counts passes over the prompts.",
      read: number("num_episodes"),
    },
    environments: {
      unit: "environments",
      help: "The prompts with their rule-based reward are one environment.",
      read: () => assumedOne("one set of prompts"),
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: number("prompt_max_len") },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest answer.",
      read: number("generate_max_len"),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs of each, where all roles share them (`colocate_all`); else each role's, and the engines' on top.",
      read: when(
        (config) => config.truth("colocate_all") === true,
        role("actor"),
        when(
          (config) => config.truth("colocate_all") === false,
          plus(
            beside("actor", "ref", "colocate_actor_ref"),
            beside("critic", "reward", "colocate_critic_reward"),
            times(number("vllm_num_engines"), number("vllm_tensor_parallel_size")),
          ),
        ),
      ),
      otherwise: "which roles share GPUs is not stated",
    },
    algorithm: {
      help: "PPO with a critic, or GRPO where `use_grpo` is set.",
      read: mapped(text("use_grpo"), (value) => (/true/i.test(value) ? "grpo" : "ppo")),
    },
  },
  knobs: {
    duration: [{ paths: ["num_episodes"], counts: "epochs" }],
    groupSize: { paths: ["n_samples_per_prompt"] },
  },
};
