import { known } from "../budget/budget";
import {
  assumedOne,
  because,
  type Config,
  constant,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  plus,
  text,
  times,
  when,
} from "./reading/read";

const isAsync = (config: Config): boolean => config.has("orchestration.num_steps");
const processes = number(["--launcher.nproc-per-node", "--nproc-per-node"]);
const component = text("model._component_");

/** The GRPO recipes of torchtune; its other recipes are no RL. */
export const torchtune: Framework = {
  id: "torchtune",
  name: "torchtune",
  docs: { url: "https://github.com/meta-pytorch/torchtune", formats: ["YAML", "shell"] },
  signs: {
    words: { data: ["\\bgrpo_samples\\b", "\\btorchtune\\.dev\\.(grpo|rl)\\b"], shell: ["\\btune run\\b"] },
    metrics: [{ glob: "rewards/successes", on: "training", tells: "success" }],
  },
  detect: (config) => {
    if (config.has("grpo_samples") && (config.has("num_steps") || config.has("ppo_epochs"))) return 0.85;
    return isAsync(config) && config.has("inference.group_size") ? 0.85 : 0;
  },
  responseScope: "trajectory",
  fields: {
    model: {
      help: "The folder of weights that training starts from.",
      read: first(
        text("base_model_path"),
        text(["checkpointer.checkpoint_dir", "training.checkpointer.checkpoint_dir"]),
      ),
    },
    parameters: {
      unit: "parameters",
      help: "From the model's builder (`llama3_2_3b`).",
      read: (config) => {
        const name = component(config);
        const size = name?.value ? /_(0_5|1_5|\d+)b$/i.exec(name.value)?.[1] : undefined;
        return size === undefined
          ? undefined
          : known(Number(size.replace("_", ".")) * 1e9, "derived", { note: `\`${name?.value}\`` });
      },
    },
    promptsPerStep: {
      unit: "prompts per step",
      help: "`batch_size` counts prompts **on each device**, before each is rolled out `grpo_samples` times.",
      read: when(
        isAsync,
        because("the workers of the asynchronous recipe decide it together"),
        first(
          times(number("batch_size"), processes),
          because("`batch_size` is per device, and the launcher sets the devices"),
        ),
      ),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt."),
      read: when(isAsync, number("inference.group_size"), number("grpo_samples")),
    },
    steps: {
      unit: "steps",
      help: "Ends the run.",
      read: when(isAsync, number("orchestration.num_steps"), number("num_steps")),
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the data, unless the steps end first.",
      read: number("epochs"),
    },
    environments: {
      unit: "environments",
      help: "The dataset with its rewards is one environment.",
      read: (config) => (config.has("dataset._component_") ? assumedOne("one dataset") : undefined),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest answer.",
      read: when(isAsync, number("inference.max_generated_tokens"), number("max_generated_tokens")),
    },
    gpus: {
      unit: "GPUs",
      help: "The launcher's processes; in the asynchronous recipe the workers for inference (× `tensor_parallel_dim`), postprocessing and training.",
      read: when(
        isAsync,
        plus(
          times(
            number("orchestration.num_inference_workers"),
            first(number("inference.tensor_parallel_dim"), constant(1, "one GPU each")),
          ),
          plus(number("orchestration.num_postprocessing_workers"), number("orchestration.num_training_workers")),
        ),
        processes,
      ),
      otherwise: "the launcher decides",
    },
    algorithm: { help: "These recipes are GRPO.", read: mapped(component, () => "grpo", "a GRPO recipe") },
  },
  knobs: {
    duration: [
      { paths: ["orchestration.num_steps"], counts: "steps", when: isAsync },
      { paths: ["num_steps"], counts: "steps" },
    ],
    groupSize: [{ paths: ["inference.group_size"], when: isAsync }, { paths: ["grpo_samples"] }],
  },
};
