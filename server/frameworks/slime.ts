import { slimeCost } from "./cost/others";
import {
  assumedOneAt,
  because,
  byDefault,
  combined,
  type Config,
  first,
  type Framework,
  groupHelp,
  number,
  one,
  type Read,
  rules,
  text,
  times,
  toNumber,
  when,
} from "./reading/read";
import { isKnown } from "../budget/budget";

const ARGUMENTS = "slime/utils/arguments.py";

const training = times(
  first(number("--actor-num-nodes"), byDefault(1, ARGUMENTS)),
  first(number("--actor-num-gpus-per-node"), byDefault(8, ARGUMENTS)),
);
const rollouts = number("--rollout-num-gpus");

/** Colocated rollouts share the trainer's GPUs; others come on top. */
const gpus: Read<number> = (config) => {
  if (!config.has("--rollout-num-gpus"))
    return config.truth("--colocate") === true
      ? training(config)
      : because("`--rollout-num-gpus` is not set, and rollouts are not colocated with training")(config);
  const colocated = config.truth("--colocate") === true;
  return combined(
    [training, rollouts],
    ([a, b]) => (colocated ? Math.max(a, b) : a + b),
    colocated ? " (training), shared with " : " + ",
  )(config);
};

const steps: Read<number> = number("--num-rollout");

export const slime: Framework = {
  id: "slime",
  name: "slime",
  docs: { url: "https://thudm.github.io/slime/", formats: ["shell", "Python"] },
  signs: {
    words: {
      data: ["\\brollout_batch_size\\b"],
      shell: ["\\bn[-_]samples[-_]per[-_]prompt\\b", "\\brollout[-_.]batch[-_]size\\b", "\\bslime\\b"],
      python: ["\\bn_samples_per_prompt\\b"],
    },
  },
  detect: (config) => {
    if (/sft/.test(config.textAt("--loss-type") ?? "") || /sft/.test(config.textAt("--rollout-function-path") ?? ""))
      return 0;
    const known = [
      "--rollout-batch-size",
      "--n-samples-per-prompt",
      "--num-rollout",
      "--hf-checkpoint",
      "--actor-num-gpus-per-node",
      "--prompt-data",
      "--rollout-max-response-len",
    ].filter((flag) => config.has(flag)).length;
    if (known >= 3 && (config.has("--hf-checkpoint") || config.has("--prompt-data"))) return 0.9;
    // A line without its `\` may cut off all but the first arguments.
    return config.has("--shell.cut-off") &&
      config.has("--actor-num-nodes") &&
      config.has("--actor-num-gpus-per-node") &&
      /(^|\/)train(_async)?\.py$/.test(config.variant.command?.target ?? "")
      ? 0.8
      : 0;
  },
  cost: slimeCost,
  responseScope: "turn",
  lastPartialBatch: "dropped",
  fields: {
    model: {
      help: "The policy (`--hf-checkpoint`); the sourced model script gives its architecture.",
      read: text("--hf-checkpoint"),
    },
    promptsPerStep: {
      unit: "prompts per rollout step",
      help: "Prompts per rollout step; each is sampled `--n-samples-per-prompt` times. `--global-batch-size` counts **samples**: prompts × samples / updates per rollout.",
      read: number("--rollout-batch-size"),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Samples of each prompt. `--n-samples-per-eval-prompt` is for evaluation."),
      read: first(number("--n-samples-per-prompt"), byDefault(1, ARGUMENTS)),
    },
    steps: {
      unit: "rollout steps",
      help: "Rollout steps in all (`--num-rollout`); it beats `--num-epoch`.",
      read: steps,
    },
    epochs: {
      unit: "passes over the prompts",
      help: "Passes over the prompts; only without `--num-rollout`.",
      otherwise: "`--num-rollout` counts steps",
      read: when(
        (config) => !config.has("--num-rollout"),
        number("--num-epoch"),
        because("`--num-rollout` is set, so `--num-epoch` does not count"),
      ),
    },
    environments: {
      help: "One environment: what `--custom-generate-function-path` plays on the prompts.",
      read: first(
        one(["--custom-generate-function-path", "--rollout-function-path"]),
        assumedOneAt("--prompt-data", "one set of prompts"),
      ),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt (`--rollout-max-prompt-len`).",
      otherwise: "`--rollout-max-prompt-len` is not set",
      read: number("--rollout-max-prompt-len"),
    },
    maxResponseTokens: {
      unit: "tokens per reply",
      help: "Longest reply; `--rollout-max-context-len` bounds prompt and replies together.",
      read: number("--rollout-max-response-len"),
    },
    maxTurns: {
      unit: "turns",
      help: "slime leaves the number of turns to the generate function.",
      otherwise: "the generate function decides on the turns",
      read: number(["--max-turns", "--rollout-max-turns", "--generate-max-turns"]),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs of the trainer; rollout GPUs come on top unless they are colocated.",
      read: gpus,
    },
    algorithm: {
      help: "The advantage estimator.",
      read: first(text("--advantage-estimator"), byDefault("grpo", ARGUMENTS)),
    },
  },
  trainFiles: (config) => {
    const path = config.textAt("--prompt-data");
    const cut = path === undefined ? null : /^(.*?)@\[(\d*):(\d+)\]$/.exec(path);
    if (path === undefined) return [];
    return cut ? [{ path: cut[1], limit: Number(cut[3]) - Number(cut[2] || 0) }] : [{ path }];
  },
  knobs: {
    duration: [
      { paths: ["--num-rollout"], counts: "steps" },
      { paths: ["--num-epoch"], counts: "epochs", when: (config) => !config.has("--num-rollout") },
    ],
    groupSize: { paths: ["--n-samples-per-prompt"] },
    batch: { paths: ["--global-batch-size"], counts: "rollouts", when: oneUpdate },
  },
  remainders: {
    tasks: "the tasks are the rows of `--prompt-data`; a slice can be named as `file.jsonl@[0:1000]`",
    environments: "the generate function plays one environment on the prompts",
  },
  rules: (config) => {
    const global = toNumber(config.textAt("--global-batch-size") ?? null);
    const updates = toNumber(config.textAt("--num-steps-per-rollout") ?? null);
    const estimator = config.textAt("--advantage-estimator") ?? "grpo";
    return [
      ...(global === undefined || updates !== undefined
        ? []
        : [
            rules.rolloutsDivideBy(
              "slime-global-batch",
              `\`--rollout-batch-size\` × \`--n-samples-per-prompt\` must be a multiple of \`--global-batch-size\` (${global} samples)`,
              () => global,
            ),
          ]),
      ...(/grpo|gspo|rloo/.test(estimator)
        ? [
            rules.groupAtLeastTwo(
              `\`${estimator}\` compares samples of the same prompt: \`--n-samples-per-prompt\` must be at least 2`,
            ),
          ]
        : []),
    ];
  },
};

/** The global batch is one whole rollout step, so it follows the group size. */
function oneUpdate(config: Config): boolean {
  const batch = number("--rollout-batch-size")(config);
  const group = number("--n-samples-per-prompt")(config);
  const global = toNumber(config.textAt("--global-batch-size") ?? null);
  return (
    batch !== undefined &&
    group !== undefined &&
    isKnown(batch) &&
    isKnown(group) &&
    global === batch.value * group.value
  );
}
