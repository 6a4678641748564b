import { assumedOneAt, combined, first, type Framework, groupHelp, mapped, number, text } from "./reading/read";

const group = first(number("models.policy.num_inference_per_prompt"), number("runtime_args.num_inference_per_prompt"));
const samples = number("runtime_args.sample_per_episode");

/** An episode is a step; its batch counts samples (rollouts). */
export const chatlearn: Framework = {
  id: "chatlearn",
  name: "ChatLearn",
  docs: { url: "https://github.com/alibaba/ChatLearn", formats: ["YAML", "shell"] },
  signs: {
    words: {
      data: ["\\bsample_per_episode\\b"],
      shell: ["\\bchatlearn\\b", "\\bsample_per_episode\\b"],
    },
    metrics: [
      { glob: "eval_reward_score", on: "evaluation", tells: "score" },
      { glob: "*eval*/reward_score", on: "evaluation", tells: "score" },
      { glob: "train_reward_score", on: "training", tells: "score" },
    ],
  },
  detect: (config) => (config.has("runtime_args.sample_per_episode") && config.has("models.policy") ? 0.85 : 0),
  fragment: () => true,
  responseScope: "trajectory",
  fields: {
    model: { help: "The policy that is trained.", read: text("models.policy_trainer.load") },
    promptsPerStep: {
      unit: "samples per episode",
      help: "`sample_per_episode` counts **samples**: prompts × `num_inference_per_prompt`.",
      read: combined([samples, group], ([all, n]) => (Number.isInteger(all / n) ? all / n : Number.NaN), " samples / "),
    },
    groupSize: { unit: "samples per prompt", help: groupHelp("Answers to each prompt."), read: group },
    steps: {
      unit: "episodes",
      help: "An episode is one step of rollouts and updates.",
      read: number("runtime_args.num_episode"),
    },
    environments: {
      unit: "environments",
      help: "The data with its reward is one environment.",
      read: assumedOneAt("runtime_args.data_path", "one set of prompts"),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt.",
      read: number("models.policy.max_prompt_tokens_length"),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest answer.",
      read: number("models.policy.max_response_tokens_length"),
    },
    gpus: {
      unit: "GPUs",
      help: "GPUs of the trainer, which the other models share.",
      read: number("models.policy_trainer.num_gpu"),
    },
    algorithm: {
      help: "GRPO; GSPO where `use_group_sequence_policy` is set.",
      read: mapped(
        first(text("models.policy_trainer.load"), text("runtime_args.exp_name")),
        (_, config) => (config.truth("models.policy_trainer.use_group_sequence_policy") ? "gspo" : "grpo"),
        "`chatlearn grpo`",
      ),
    },
  },
  knobs: {
    duration: [{ paths: ["runtime_args.num_episode"], counts: "steps" }],
    groupSize: { paths: ["models.policy.num_inference_per_prompt", "runtime_args.num_inference_per_prompt"] },
    batch: { paths: ["runtime_args.sample_per_episode"], counts: "rollouts" },
  },
};
