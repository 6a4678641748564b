import {
  assumedOneAt,
  byDefault,
  type Config,
  first,
  type Framework,
  groupHelp,
  mapped,
  number,
  rules,
  text,
  times,
} from "./reading/read";

const CONFIG = "RL2/trainer/config/ppo.yaml";
// Newest names first; a settings file keeps those of the day it was written.
const PROMPTS = ["rollout.train.prompts_per_rollout", "train_data.prompts_per_rollout", "data.prompts_per_rollout"];
const ANSWERS = ["rollout.train.responses_per_prompt", "train_data.responses_per_prompt", "data.responses_per_prompt"];
const DATA = ["rollout.train.path", "train_data.path", "data.train_data_path"];
const perNode = number(["--launcher.nproc-per-node", "--launcher.nproc_per_node"]);
const nodes = number(["--launcher.nnodes"]);

/** One program for all algorithms (`RL2.trainer.ppo`), started by torchrun; its settings are Hydra's. */
export const rl2: Framework = {
  id: "rl2",
  name: "RL2",
  docs: { url: "https://github.com/ChenmienTan/RL2", formats: ["shell", "Hydra YAML"] },
  signs: {
    words: { data: ["\\bprompts_per_rollout\\b"], shell: ["\\bRL2\\.trainer\\b"] },
    metrics: [
      { glob: "reward/test", on: "evaluation", tells: "reward" },
      { glob: "reward/train", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    if (config.truth("trainer.eval_only") === true) return 0;
    return PROMPTS.some((path) => config.has(path)) && config.has("actor") && config.has("trainer") ? 0.85 : 0;
  },
  stepsOverrideEpochs: true,
  responseScope: (config) => (turns(config) === undefined ? null : "turn"),
  lastPartialBatch: "dropped",
  fields: {
    model: { help: "The policy that is trained.", read: text("actor.model_name") },
    promptsPerStep: {
      unit: "prompts per rollout",
      help: "Prompts per step, before each is answered `responses_per_prompt` times.",
      read: number(PROMPTS),
    },
    groupSize: {
      unit: "responses per prompt",
      help: groupHelp("Responses to each prompt; those under `test` are for evaluation only."),
      read: first(number(ANSWERS), byDefault(1, CONFIG)),
    },
    steps: { unit: "steps", help: "Ends the run.", read: number("trainer.total_steps") },
    epochs: { unit: "passes over the data", help: "Passes over the data.", read: number("trainer.n_epochs") },
    environments: {
      unit: "environments",
      help: "The training set with its environment file is one environment.",
      read: assumedOneAt([...DATA, "rollout.env_path"], "one training set with its environment file"),
    },
    maxResponseTokens: {
      unit: "tokens per reply",
      help: "Longest reply of one call of the model.",
      read: number(["rollout.train.sampling_params.max_new_tokens", "rollout.train_sampling_params.max_new_tokens"]),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a trajectory.",
      read: turns,
      otherwise: "the environment decides",
    },
    gpus: {
      unit: "GPUs",
      help: "The launcher's processes.",
      read: first(times(perNode, nodes), perNode),
      otherwise: "the launcher decides",
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: mapped(first(text("adv.estimator"), byDefault("reinforce", CONFIG)), (value) =>
        value === "gae" ? "ppo" : value,
      ),
    },
  },
  trainFiles: (config) => {
    const path = DATA.map((one) => config.textAt(one)).find((value) => value !== undefined);
    return path !== undefined && /\.(parquet|jsonl?)$/.test(path) ? [{ path }] : [];
  },
  knobs: {
    duration: [
      { paths: ["trainer.total_steps"], counts: "steps" },
      { paths: ["trainer.n_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ANSWERS },
  },
  rules: () => [rules.promptsAtLeast("rl2-prompts", "`prompts_per_rollout` must be at least 1", 1)],
};

function turns(config: Config) {
  return number(["rollout.train.max_turns", "rollout.max_turns"])(config);
}
