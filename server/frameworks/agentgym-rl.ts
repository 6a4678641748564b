import { verlCost } from "./cost/verl";
import {
  because,
  byDefault,
  first,
  itemsOf,
  mapped,
  number,
  one,
  text,
  toNumber,
  type Framework,
} from "./reading/read";
import { algorithmName, verlFields, verlRules } from "./verl";

const CONFIG = "AgentGym-RL/verl/agent_trainer/config/ppo_trainer.yaml";

export const agentgymRl: Framework = {
  id: "agentgym-rl",
  name: "AgentGym-RL",
  docs: { url: "https://github.com/WooooDyy/AgentGym-RL", formats: ["Hydra YAML", "shell"] },
  signs: {
    words: { data: ["\\bactor_rollout_ref\\b"], shell: ["\\bagentgym\\b"] },
  },
  detect: (config) =>
    config.has("actor_rollout_ref.agentgym") ||
    (/agent_trainer/.test(config.variant.command?.target ?? "") && config.has("algorithm.rounds_ctrl"))
      ? 0.95
      : 0,
  fragment: (config) => config.variant.command === null && !config.has("data.train_batch_size"),
  cost: verlCost,
  responseScope: "trajectory",
  lastPartialBatch: "dropped",
  fields: {
    ...verlFields,
    epochs: {
      unit: "passes over the items",
      help: "Passes over the item ids. `actor.ppo_epochs` is something else: updates per batch.",
      read: first(number("trainer.total_epochs"), byDefault(30, CONFIG)),
    },
    environments: {
      help: "One environment server, named by `agentgym.task_name`.",
      read: one("actor_rollout_ref.agentgym.task_name"),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest response: the whole trajectory. `rollout.max_tokens` is the limit of one turn.",
      read: first(number("data.max_response_length"), byDefault(512, CONFIG)),
    },
    maxTurns: {
      unit: "rounds",
      help: "Rounds with the environment: one number, or a list that grows during training (ScalingInter-RL), of which the last is the largest.",
      read: (config) => {
        const found = config.find("algorithm.rounds_ctrl.rounds");
        if (found?.node.kind !== "list")
          return first(number("algorithm.rounds_ctrl.rounds"), number("actor_rollout_ref.agentgym.max_rounds"))(config);
        const rounds = itemsOf(found.node).map((item) => (item.kind === "scalar" ? toNumber(item.value) : undefined));
        const known = rounds.filter((value) => value !== undefined);
        if (known.length !== rounds.length || known.length === 0)
          return because("the list of rounds cannot be read")(config);
        return {
          value: Math.max(...known),
          source: "config",
          span: found.node.span,
          note: `grows during training: ${known.join(", ")}`,
        };
      },
    },
    algorithm: {
      help: "The advantage estimator; `gae` is PPO with a critic.",
      read: first(mapped(text("algorithm.adv_estimator"), algorithmName), byDefault("ppo", `${CONFIG} (gae)`)),
    },
  },
  trainFiles: (config) => {
    const path = config.textAt("data.train_file");
    return path === undefined ? [] : [{ path }];
  },
  knobs: {
    duration: [
      { paths: ["trainer.total_training_steps"], counts: "steps" },
      { paths: ["trainer.total_epochs"], counts: "epochs" },
    ],
    groupSize: { paths: ["actor_rollout_ref.rollout.n"] },
  },
  remainders: {
    tasks: "the tasks are the item ids in `data.train_file`: shorten or extend that file",
    environments: "`agentgym.task_name` names one environment; several need several runs",
  },
  rules: (config) => verlRules(config).filter((rule) => rule.id !== "verl-mini-batch"),
};
