import type { ShippedValues } from "./reading/read";

/** What a recipe that others build on states, for when it is not in the workspace. Lengths of `null` are the sequence length. */
interface Recipe {
  readonly section: "grpo" | "ppo" | "distillation";
  readonly model: string | null;
  readonly sequence: number;
  readonly prompts: number;
  readonly rollouts: number;
  readonly steps: number;
  readonly epochs: number;
  readonly estimator: string | null;
  /** Longest prompt: a number, the sequence length, or unset. */
  readonly input: number | "sequence" | null;
  readonly output: number | "sequence";
  readonly nodes: number;
  readonly gpus: number;
  /** NeMo-Gym servers besides the model's; 1 where the data name one environment. */
  readonly environments: number;
}

const MATHS: Recipe = {
  section: "grpo",
  model: "Qwen/Qwen2.5-1.5B",
  sequence: 512,
  prompts: 32,
  rollouts: 16,
  steps: 1_000_000,
  epochs: 1,
  estimator: "grpo",
  input: "sequence",
  output: "sequence",
  nodes: 1,
  gpus: 1,
  environments: 1,
};
const MATHS_8B: Recipe = {
  ...MATHS,
  model: "meta-llama/Llama-3.1-8B-Instruct",
  sequence: 4096,
  prompts: 64,
  rollouts: 32,
  gpus: 8,
};
const PPO: Recipe = {
  ...MATHS,
  section: "ppo",
  sequence: 16_384,
  steps: 100_000,
  epochs: 100_000,
  estimator: "gae",
  input: 2048,
};
const VISION: Recipe = {
  ...MATHS,
  model: "Qwen/Qwen2.5-VL-3B-Instruct",
  sequence: 2048,
  prompts: 8,
  output: 1024,
  gpus: 2,
};
const GYM: Recipe = { ...MATHS, model: null, prompts: 128, input: null, gpus: 8 };

/** By file name, in `examples/configs` and `examples/nemo_gym`. */
const RECIPES: Readonly<Record<string, Recipe>> = {
  grpo_math_1B: MATHS,
  grpo_math_1B_megatron: MATHS,
  grpo_math_8B: MATHS_8B,
  grpo_math_8B_megatron: MATHS_8B,
  grpo_math_70B_megatron: { ...MATHS_8B, model: "meta-llama/Llama-3.3-70B-Instruct", nodes: 8 },
  grpo_math_qwen30ba3b_megatron: { ...MATHS_8B, model: "Qwen/Qwen3-30B-A3B", nodes: 8 },
  ppo_math_1B: PPO,
  ppo_math_1B_megatron: PPO,
  distillation_math: {
    ...MATHS,
    section: "distillation",
    model: "Qwen/Qwen3-1.7B-Base",
    sequence: 8192,
    prompts: 128,
    rollouts: 1,
    steps: 1000,
    epochs: 10,
    estimator: null,
    gpus: 8,
  },
  vlm_grpo_3B: VISION,
  vlm_grpo_3B_megatron: VISION,
  grpo_nanov3: { ...GYM, sequence: 49_152, nodes: 32, environments: 6 },
  grpo_qwen3_30ba3b_instruct: {
    ...GYM,
    model: "Qwen/Qwen3-30B-A3B-Instruct-2507",
    sequence: 32_768,
    prompts: 4096,
    epochs: 10,
  },
  grpo_workplace_assistant_nemotron_nano_v2_9b: {
    ...GYM,
    model: "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    sequence: 8192,
    prompts: 64,
  },
  stage1_rlvr: { ...GYM, sequence: 65_536, prompts: 256, nodes: 176, environments: 22 },
  stage2_swe1: { ...GYM, sequence: 131_072, prompts: 64, epochs: 100, nodes: 64 },
  stage2_swe2: { ...GYM, sequence: 196_608, prompts: 16, rollouts: 32, epochs: 100, nodes: 64 },
  stage3_rlhf: { ...GYM, sequence: 49_152, nodes: 96, environments: 2 },
};

/** The key under which a recipe's environments are shipped: they stand in several places of the file itself. */
export const RECIPE_ENVIRONMENTS = "recipe.environments";

/**
 * Values of the recipe that `base` names; nothing for files of other names. `sequence` is the child's own sequence length,
 * which the recipe's lengths follow; where the child replaces `data`, nothing of the recipe's data holds.
 */
export function recipeValues(
  base: string,
  child: { readonly sequence: number | undefined; readonly replacesData: boolean },
): ShippedValues {
  const name = /([^/\\]+)\.ya?ml$/.exec(base)?.[1] ?? "";
  const recipe = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  if (!recipe) return {};
  const length = (value: number | "sequence"): number =>
    value === "sequence" ? (child.sequence ?? recipe.sequence) : value;
  const values: Record<string, string | number | null> = {
    "policy.model_name": recipe.model,
    [`${recipe.section}.num_prompts_per_step`]: recipe.prompts,
    [`${recipe.section}.num_generations_per_prompt`]: recipe.rollouts,
    [`${recipe.section}.max_rollout_turns`]: 1,
    [`${recipe.section}.max_num_steps`]: recipe.steps,
    [`${recipe.section}.max_num_epochs`]: recipe.epochs,
    [`${recipe.section}.adv_estimator.name`]: recipe.estimator,
    "policy.generation.max_new_tokens": length(recipe.output),
    "cluster.num_nodes": recipe.nodes,
    "cluster.gpus_per_node": recipe.gpus,
    ...(child.replacesData
      ? {}
      : {
          "data.max_input_seq_length": recipe.input === null ? null : length(recipe.input),
          [RECIPE_ENVIRONMENTS]: recipe.environments,
        }),
  };
  const stated = Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] !== null);
  return Object.fromEntries(stated.map(([path, value]) => [path, { value, from: `the recipe ${name}.yaml` }]));
}
