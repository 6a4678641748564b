import { known } from "../budget/budget";
import { assumedOne, type Config, first, type Framework, groupHelp, mapped, number, plus, text } from "./reading/read";

const TRAINERS = ["RLColocateTrainerConfig", "RLDisaggregatedTrainerConfig", "RLTrainerConfig"].map(
  (name) => `calls.${name}`,
);
const at = (...paths: readonly string[]): readonly string[] =>
  TRAINERS.flatMap((trainer) => paths.map((path) => `${trainer}.${path}`));
const TASKS = "agent_loop_manager_cfg.tasks";
const several = (config: Config): boolean => at(TASKS).some((path) => config.peek(path)?.node.kind === "list");

/** RL of xtuner v1: a config in Python, made of objects. */
export const xtuner: Framework = {
  id: "xtuner",
  name: "xtuner",
  docs: { url: "https://xtuner.readthedocs.io", formats: ["Python"] },
  signs: {
    words: { python: ["\\bxtuner\\.v1\\b"] },
    metrics: [{ glob: "eval/accuracy", on: "evaluation", tells: "success" }],
  },
  detect: (config) => (config.syntax === "python" && TRAINERS.some((path) => config.has(path)) ? 0.85 : 0),
  responseScope: (config) =>
    at(`${TASKS}.agent_loop_config`).some((path) => /SingleTurn/.test(calleeAt(config, path))) ? "trajectory" : null,
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text(at("load_from", "train_worker_cfg.load_from")) },
    promptsPerStep: {
      unit: "groups per step",
      help: "Groups (prompts) that a step trains on, each of `prompt_repeat_k` rollouts.",
      read: number(at("train_batch_size")),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp(
        "Rollouts of each prompt (`prompt_repeat_k` of the training sampler; the one for evaluation is another).",
      ),
      read: number(at(`${TASKS}.sampler_config.prompt_repeat_k`, "dataflow_config.prompt_repeat_k")),
    },
    steps: { unit: "steps", help: "Ends the run.", read: number(at("total_train_steps")) },
    epochs: { unit: "passes over the data", help: "Passes over the data.", read: number(at("total_epochs")) },
    environments: {
      unit: "task sets",
      help: "Task sets that are listed; one where it is not a list.",
      read: (config) => {
        const node = at(TASKS)
          .map((path) => config.peek(path)?.node)
          .find((one) => one !== undefined);
        if (!node) return undefined;
        return several(config) && node.kind === "list"
          ? known(node.items.length, "config", { span: node.span, note: "tasks listed" })
          : assumedOne("one task set");
      },
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt.",
      read: number(at(`${TASKS}.sampler_config.dataloader_cfg.dataset_config_list.0.tokenize_fn.max_length`)),
    },
    maxResponseTokens: {
      unit: "tokens per reply",
      help: "Longest answer.",
      read: number(at(`${TASKS}.agent_loop_config.sample_params.max_tokens`)),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of an agent loop with tools.",
      read: number(at(`${TASKS}.agent_loop_config.max_turns`)),
      otherwise: "the agent loop decides",
    },
    gpus: {
      unit: "accelerators",
      help: "Workers of the resources that rollouts and training share, or of both where each has its own.",
      read: first(
        number(at("resources.num_workers")),
        plus(number(at("train_resources.num_workers")), number(at("rollout_resources.num_workers"))),
      ),
    },
    algorithm: {
      help: "From the advantage estimator.",
      read: first(
        mapped(text(at("advantage_estimator_config.class")), () => "grpo"),
        (config) =>
          at("advantage_estimator_config", "train_worker_cfg.loss_cfg").some((path) =>
            /GRPO/.test(calleeAt(config, path)),
          )
            ? known("grpo", "derived", { note: "GRPO's advantage or loss" })
            : undefined,
      ),
    },
  },
  knobs: {
    duration: [
      { paths: at("total_train_steps"), counts: "steps" },
      { paths: at("total_epochs"), counts: "epochs" },
    ],
    groupSize: { paths: at(`${TASKS}.sampler_config.prompt_repeat_k`) },
  },
};

function calleeAt(config: Config, path: string): string {
  const node = config.peek(path)?.node;
  return node?.kind === "map" ? (node.callee ?? "") : "";
}
