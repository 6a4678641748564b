import { verlCost } from "./cost/verl";
import {
  byDefault,
  first,
  groupHelp,
  mapped,
  number,
  one,
  rules,
  text,
  type Config,
  type Framework,
  type Read,
} from "./reading/read";
import { isKnown, known } from "../budget/budget";
import { algorithmName, looksLikeVerl, verlFields } from "./verl";

const CONFIG = "verl/trainer/config/ppo_trainer.yaml";
/** The one environment whose rows are real tasks. */
const hasRealRows = (config: Config): boolean => /search/i.test(config.textAt("env.env_name") ?? "");

/** verl's recipes have trainers of their own: below the fork's base config they still play no environment, unless they name one. */
function playsEnvironment(config: Config): boolean {
  const name = config.peek("env.env_name")?.node;
  return name !== undefined && (name.file === undefined || !/^recipe[./]/.test(config.variant.command?.target ?? ""));
}

const bare = (text: string): string => text.replace(/[{}"']/g, "");

/** A number, or the number that the script gives the variable. */
function rowsIn(text: string, script: string): number | undefined {
  const name = /^\$(\w+)$/.exec(text)?.[1];
  const given =
    name === undefined
      ? [text]
      : [...script.matchAll(new RegExp(`^\\s*(?:export\\s+)?${name}=(\\S+)`, "gm"))].map((one) => bare(one[1]));
  return given.length === 1 && /^\d+$/.test(given[0]) ? Number(given[0]) : undefined;
}

/** The prepared parquet has as many rows as a batch, or several times as many: an epoch is one step or several. */
function placeholderSteps(): Read<number> {
  return (config) => {
    if (hasRealRows(config)) return undefined;
    const epochs = first(number("trainer.total_epochs"), byDefault(30, CONFIG))(config);
    if (!epochs || epochs.value === null) return epochs;
    const batch = first(number("data.train_batch_size"), byDefault(1024, CONFIG))(config);
    const prepared = /--train_data_size[= ]+(\S+)/.exec(config.text)?.[1];
    if (prepared === undefined || !batch || !isKnown(batch) || !isKnown(epochs)) return undefined;
    const same = bare(prepared) === bare(/data\.train_batch_size=(\S+)/.exec(config.text)?.[1] ?? "");
    const rows = same ? batch.value : rowsIn(bare(prepared), config.text);
    if (rows === undefined || rows < batch.value) return undefined;
    const perEpoch = Math.floor(rows / batch.value);
    return known(perEpoch * epochs.value, "derived", {
      note:
        perEpoch === 1
          ? `the placeholder data has one batch of rows, so each of the ${epochs.value} epochs is one step`
          : `${rows} placeholder rows / ${batch.value} tasks × ${epochs.value} epochs`,
    });
  };
}

export const verlAgent: Framework = {
  id: "verl-agent",
  name: "verl-agent",
  docs: { url: "https://github.com/langfengQ/verl-agent", formats: ["Hydra YAML", "shell"] },
  signs: {
    words: { data: ["\\bactor_rollout_ref\\b"], shell: ["\\bactor_rollout_ref\\."] },
    metrics: [
      { glob: "val/success_rate", on: "evaluation", tells: "success" },
      { glob: "val/*_success_rate", on: "evaluation", tells: "success" },
      { glob: "episode/success_rate", on: "training", tells: "success" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
    ],
  },
  detect: (config) => (playsEnvironment(config) && looksLikeVerl(config) > 0 ? 0.95 : 0),
  cost: { ...verlCost, independentTurns: () => known(true, "derived", { note: "each turn is a prompt of its own" }) },
  responseScope: "turn",
  lastPartialBatch: "dropped",
  fields: {
    ...verlFields,
    promptsPerStep: {
      unit: "parallel tasks per step",
      help: "Tasks that are played in parallel in each step; each is played by `env.rollout.n` agents. The rows of the parquet only set the batch: the tasks themselves are inside the environment.",
      read: first(number("data.train_batch_size"), byDefault(1024, CONFIG)),
    },
    groupSize: {
      unit: "rollouts per task",
      help: groupHelp(
        "Agents that play the same task: `env.rollout.n`, **not** `actor_rollout_ref.rollout.n`, which must stay 1.",
      ),
      read: first(number("env.rollout.n"), byDefault(1, CONFIG)),
    },
    steps: {
      unit: "steps",
      help: "Steps. With the placeholder parquet (one batch of rows) every epoch is one step, so `total_epochs=150` means 150 steps.",
      read: first(number("trainer.total_training_steps"), placeholderSteps()),
    },
    epochs: {
      unit: "passes over the placeholder rows",
      help: "With the placeholder parquet each epoch is **one step**; the tasks are drawn inside the environment.",
      read: first(number("trainer.total_epochs"), byDefault(30, CONFIG)),
    },
    environments: { help: "One environment, named by `env.env_name`.", read: one("env.env_name") },
    maxPromptTokens: {
      unit: "tokens per turn",
      help: "Longest prompt of a turn, history included (`env.history_length`).",
      read: first(number("data.max_prompt_length"), byDefault(512, CONFIG)),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Longest reply of **one turn**, not of the trajectory.",
      read: first(number("data.max_response_length"), byDefault(512, CONFIG)),
    },
    maxTurns: {
      unit: "environment steps",
      help: "Most steps in an episode; each is one reply of the model.",
      read: first(number("env.max_steps"), byDefault(50, CONFIG)),
    },
    algorithm: {
      help: "The advantage estimator; `gigpo` also compares steps that start from the same state.",
      read: first(mapped(text("algorithm.adv_estimator"), algorithmName), byDefault("ppo", `${CONFIG} (gae)`)),
    },
  },
  rowsAreNotTasks: (config) =>
    hasRealRows(config) ? undefined : "the parquet is a placeholder: the tasks are inside the environment",
  knobs: {
    duration: [
      { paths: ["trainer.total_training_steps"], counts: "steps" },
      { paths: ["trainer.total_epochs"], counts: "steps", when: (config) => !hasRealRows(config) },
      { paths: ["trainer.total_epochs"], counts: "epochs", when: hasRealRows },
    ],
    groupSize: { paths: ["env.rollout.n"] },
  },
  remainders: {
    tasks: "the tasks are inside the environment, not in a dataset with a limit",
    environments: "`env.env_name` names one environment; several need several runs",
  },
  rules: (config) => {
    const estimator = config.textAt("algorithm.adv_estimator") ?? "";
    return /grpo|gigpo|rloo/i.test(estimator)
      ? [
          rules.groupAtLeastTwo(
            `\`${estimator}\` compares agents on the same task: \`env.rollout.n\` must be at least 2`,
          ),
        ]
      : [];
  },
  traps: (config) => {
    const other = config.peek("actor_rollout_ref.rollout.n");
    if (other?.node.kind !== "scalar" || Number(other.node.value) <= 1) return [];
    return [
      {
        span: other.node.span,
        severity: "warning",
        code: "group.disagree",
        message: "The group size of verl-agent is `env.rollout.n`; `actor_rollout_ref.rollout.n` must stay 1.",
      },
    ];
  },
};
