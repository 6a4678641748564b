import {
  assumedOneAt,
  byDefault,
  constant,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  rules,
  text,
  when,
} from "./reading/read";

const ARGS = "oat/args.py";
const TURNS = ["--max_turns", "--max_env_steps"];
/** The programs of oat itself that ask once. */
const ONE_ANSWER = /^oat\.experiment\.run_(math_rl|ppo)$/;

/** Actors and learners in one program; online preference learning and RL with verifiable rewards share its flags. */
export const oat: Framework = {
  id: "oat",
  name: "oat",
  docs: { url: "https://github.com/sail-sg/oat", formats: ["shell"] },
  signs: {
    words: { shell: ["\\boat\\.experiment\\b", "\\bnum_prompt_epoch\\b", "\\brollout_batch_size_per_device\\b"] },
    metrics: [
      { glob: "eval/*/accuracy", on: "evaluation", tells: "success" },
      { glob: "eval/average/accuracy", on: "evaluation", tells: "success" },
      { glob: "actor/rewards", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    const target = config.variant.command?.target ?? "";
    // Online preference learning (DPO, SimPO, …) shares the flags, and draws pairs, not groups.
    if (/sft|offline|eval/.test(target) || config.has("--preference_oracle") || config.has("--dap_algo")) return 0;
    if (/dpo|ipo|slic|simpo|xpo/i.test(config.textAt("--algo") ?? "")) return 0;
    const own = config.has("--rollout_batch_size_per_device") || config.has("--num_prompt_epoch");
    return own && config.has("--num_samples") && config.has("--pretrain") ? 0.8 : 0;
  },
  responseScope: (config) => (TURNS.some((flag) => config.has(flag)) ? "turn" : "trajectory"),
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text("--pretrain") },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Prompts over all devices, before each is answered `num_samples` times. `train_batch_size` counts answers per update.",
      read: first(number("--rollout_batch_size"), byDefault(128, ARGS)),
    },
    groupSize: {
      unit: "answers per prompt",
      help: groupHelp("Answers to each prompt (`num_samples`). `eval_n` is for evaluation only."),
      read: first(number("--num_samples"), byDefault(2, ARGS)),
    },
    epochs: {
      unit: "passes over the prompts",
      help: "Passes over the prompts. `max_epochs` and `num_ppo_epochs` are updates of one batch.",
      read: first(number("--num_prompt_epoch"), byDefault(1, ARGS)),
    },
    tasks: {
      unit: "prompts",
      help: "At most so many prompts of the data are used.",
      read: number("--max_train", { unless: (value) => value >= 999_999 }),
    },
    environments: {
      unit: "environments",
      help: "The prompts with their oracle are one environment.",
      read: assumedOneAt("--prompt_data", "one set of prompts"),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt.",
      read: first(number("--prompt_max_length"), byDefault(1024, ARGS)),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest answer.",
      read: first(number("--generate_max_length"), byDefault(512, ARGS)),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a trajectory, where the script's environment has such a flag.",
      read: first(
        number(TURNS),
        when(
          (config) => ONE_ANSWER.test(config.variant.command?.target ?? ""),
          constant(1, "one answer to each prompt"),
        ),
      ),
      otherwise: "the script's environment decides",
    },
    gpus: {
      unit: "GPUs",
      help: "All GPUs, actors and learners together.",
      read: first(number("--gpus"), byDefault(8, ARGS)),
    },
    algorithm: {
      help: "`critic_type`: ppo with a critic, grpo, or drgrpo (its unbiased form).",
      read: first(
        mapped(text("--critic_type"), (value) => value.toLowerCase()),
        byDefault("drgrpo", ARGS),
      ),
    },
  },
  trainFiles: (config) => {
    const path = config.textAt("--prompt_data");
    return path !== undefined && /\.(parquet|jsonl?)$/.test(path) ? [{ path }] : [];
  },
  knobs: {
    duration: [{ paths: ["--num_prompt_epoch"], counts: "epochs" }],
    groupSize: { paths: ["--num_samples"] },
    taskLimit: { paths: ["--max_train"] },
  },
  rules: () => [rules.groupAtLeastTwo("answers to a prompt are compared: `num_samples` must be at least 2")],
};
