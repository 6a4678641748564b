import { known } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  type Config,
  first,
  type Framework,
  groupHelp,
  itemsOf,
  mapped,
  number,
  type Read,
  rules,
  text,
  times,
  toNumber,
} from "./reading/read";

const CONFIG = "trinity/common/config.py";
const TASKSET = "buffer.explorer_input.taskset";
const algorithm = text(["algorithm.algorithm_type", "trainer.algorithm_type"]);
const NOT_RL = /^(sft|dpo|.*_dpo)$/i;

const listed = (config: Config): number => itemsOf(config.peek("buffer.explorer_input.tasksets")?.node).length;

/** Explorer and trainer share a buffer; a batch counts tasks, each run `repeat_times`. */
export const trinity: Framework = {
  id: "trinity-rft",
  name: "Trinity-RFT",
  docs: { url: "https://modelscope.github.io/Trinity-RFT/", formats: ["YAML"] },
  signs: {
    words: { data: ["\\bexplorer_input\\b", "\\brepeat_times\\b"] },
    metrics: [
      { glob: "eval/*/accuracy/mean", on: "evaluation", tells: "success" },
      { glob: "eval/*/reward/mean", on: "evaluation", tells: "reward" },
      { glob: "rollout/accuracy/mean", on: "training", tells: "success" },
      { glob: "rollout/reward/mean", on: "training", tells: "reward" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
    ],
  },
  detect: (config) => {
    if (NOT_RL.test(config.textAt("algorithm.algorithm_type") ?? config.textAt("trainer.algorithm_type") ?? ""))
      return 0;
    if (/^(train|bench|serve)$/.test(config.textAt("mode") ?? "")) return 0;
    const buffer = config.has("buffer.explorer_input") || config.has("buffer.train_dataset");
    return buffer && config.has("explorer") && (config.has("synchronizer") || config.has("cluster")) ? 0.85 : 0;
  },
  stepsOverrideEpochs: true,
  responseScope: (config) => (turns(config) === undefined ? "trajectory" : "turn"),
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text("model.model_path") },
    promptsPerStep: {
      unit: "tasks per step",
      help: "Tasks that the explorer runs per step, each `repeat_times`. `train_batch_size` counts experiences.",
      read: first(number(["buffer.batch_size", "data.batch_size"]), byDefault(1, CONFIG)),
    },
    groupSize: {
      unit: "runs per task",
      help: groupHelp("Runs of each task (`algorithm.repeat_times`)."),
      read: first(
        number(["algorithm.repeat_times", `${TASKSET}.rollout_args.n`, "explorer.repeat_times"]),
        byDefault(1, CONFIG),
      ),
    },
    steps: {
      unit: "steps",
      help: "Ends the run; `total_epochs` is then not used.",
      read: number("buffer.total_steps"),
    },
    epochs: {
      unit: "passes over the tasks",
      help: "Passes over the tasks.",
      read: first(number(["buffer.total_epochs", "data.total_epochs"]), byDefault(1, CONFIG)),
    },
    environments: {
      unit: "task sets",
      help: "Task sets that the explorer draws from.",
      read: (config) => {
        const several = listed(config);
        const one = config.has(TASKSET) || config.has("data.dataset_path");
        if (several > 0) return known(several, "derived", { note: "task sets listed" });
        return one ? assumedOne("one task set") : undefined;
      },
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt of a call.",
      read: first(number("model.max_prompt_tokens"), rest("model.max_response_tokens", Math.floor)),
      otherwise: "no limit is set",
    },
    maxResponseTokens: {
      unit: "tokens per reply",
      help: "Longest reply of one call of the model.",
      read: first(number("model.max_response_tokens"), rest("model.max_prompt_tokens", Math.ceil)),
      otherwise: "no limit is set",
    },
    maxTurns: {
      unit: "steps of the environment",
      help: "Most steps of a workflow with several.",
      read: (config) => turns(config),
      otherwise: "the workflow decides",
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs of each, explorer and trainer together.",
      read: times(
        first(number("cluster.node_num"), byDefault(1, CONFIG)),
        first(number("cluster.gpu_per_node"), byDefault(8, CONFIG)),
      ),
    },
    algorithm: {
      help: "`algorithm_type`.",
      read: first(
        mapped(algorithm, (value) => value.toLowerCase()),
        byDefault("ppo", CONFIG),
      ),
    },
  },
  trainFiles: (config) => {
    const path = config.textAt(`${TASKSET}.path`);
    return path !== undefined && /\.(parquet|jsonl?)$/.test(path) ? [{ path }] : [];
  },
  knobs: {
    duration: [
      {
        paths: ["buffer.total_steps"],
        counts: "steps",
        when: (config) => number("buffer.total_steps")(config) !== undefined,
      },
      { paths: ["buffer.total_epochs", "data.total_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["algorithm.repeat_times", `${TASKSET}.rollout_args.n`, "explorer.repeat_times"] },
  },
  remainders: { environments: "environments are task sets with their workflow: list another under `tasksets`" },
  rules: (config) =>
    /^(grpo|rloo|gspo)/i.test(config.textAt("algorithm.algorithm_type") ?? "")
      ? [rules.groupAtLeastTwo("runs of a task are compared: `algorithm.repeat_times` must be at least 2")]
      : [],
};

/** What the model's length leaves beside the other part; half of it where neither is stated. */
function rest(other: string, half: (value: number) => number): Read<number> {
  return (config) => {
    const all = toNumber(config.textAt("model.max_model_len") ?? null);
    const taken = toNumber(config.textAt(other) ?? null);
    if (all === undefined || (taken === undefined && config.has(other))) return undefined;
    const left = taken === undefined ? half(all / 2) : Math.max(1, all - taken);
    const what = taken === undefined ? "half of it" : `less \`${other}\` (${taken})`;
    return known(left, "derived", { note: `\`model.max_model_len\` (${all}), ${what}` });
  };
}

function turns(config: Config) {
  return number(["max_turns", "max_steps", "max_env_steps"].map((name) => `${TASKSET}.workflow_args.${name}`))(config);
}
