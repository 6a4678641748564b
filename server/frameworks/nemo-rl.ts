import { nemoRlCost } from "./cost/others";
import { known, unknown } from "../budget/budget";
import {
  because,
  byDefault,
  first,
  groupHelp,
  mapped,
  number,
  rules,
  text,
  times,
  toNumber,
  type Config,
  type Framework,
  type Read,
} from "./reading/read";
import { listAt } from "./sheet/lists";
import { entryOf } from "../syntax/nodes";
import { RECIPE_ENVIRONMENTS, recipeValues } from "./nemo-rl-recipes";

/** The algorithm's own section: `grpo`, and what shares its keys. */
const SECTIONS = ["grpo", "ppo", "distillation"] as const;
const section = (name: string): readonly string[] => SECTIONS.map((one) => `${one}.${name}`);
const GRPO = "nemo_rl/algorithms/grpo.py";

/** A base that nobody could follow: of `defaults: other.yaml`, of a base of it, or of a script's `--config`. */
function missingBase(config: Config): string | undefined {
  return config.variant.missingBases?.at(-1);
}

/** So large that it only stands for "until the epochs end". */
const endless = (steps: number): boolean => steps >= 1_000_000;

const OTHER_BASE = /(^|\/)(sft|dpo|rm|eval|convert)([-_.]|$)/;

/** NeMo-Gym servers other than the model's; else the environments that the training data name. */
const environments: Read<number> = (config) => {
  const gym = config.find("env.nemo_gym.config_paths")?.node;
  if (gym?.kind === "list") {
    const paths = gym.items.flatMap((item) => (item.kind === "scalar" ? [String(item.value)] : []));
    if (paths.length !== gym.items.length)
      return unknown("not every path of `env.nemo_gym.config_paths` is in the text");
    const count = paths.filter((path) => !/^responses_api_models\/|(^|\/)vllm_model[^/]*\.ya?ml$/.test(path)).length;
    return count === 0
      ? undefined
      : known(count, "config", {
          span: gym.span,
          ...(gym.file ? { file: gym.file } : {}),
          note: "`env.nemo_gym.config_paths` without the model's",
        });
  }
  const fallback = config.textAt("data.default.env_name") ?? config.textAt("data.env_name");
  const train = listAt(config, ["data.train"]);
  const names = (train?.items ?? []).map(
    (_, index) => config.textAt(train?.single ? "data.train.env_name" : `data.train.${index}.env_name`) ?? fallback,
  );
  const found = config.find("data.default.env_name") ?? config.find("data.env_name");
  const place = found ? { span: found.node.span, ...(found.node.file ? { file: found.node.file } : {}) } : {};
  if (names.length > 0 && names.every((name) => name !== undefined)) {
    return new Set(names).size === 1 && names[0] === "nemo_gym"
      ? undefined
      : known(new Set(names).size, "config", {
          ...place,
          note: `the training data name ${[...new Set(names)].join(", ")}`,
        });
  }
  if (config.shipped[RECIPE_ENVIRONMENTS]) return number(RECIPE_ENVIRONMENTS)(config);
  const listed = config.peek("env")?.node;
  const own =
    listed?.kind === "map"
      ? listed.entries.filter((entry) => entry.value.kind === "map" && entry.key !== "nemo_gym")
      : [];
  return own.length === 1 ? known(1, "config", { span: own[0].keySpan, note: `\`env.${own[0].key}\`` }) : undefined;
};

export const nemoRl: Framework = {
  id: "nemo-rl",
  name: "NeMo-RL",
  docs: { url: "https://docs.nvidia.com/nemo/rl/latest/guides/grpo.html", formats: ["YAML", "shell"] },
  signs: {
    words: {
      data: ["\\bnum_generations(_per_prompt)?\\b", "\\bnum_prompts_per_step\\b", "\\bnemo_gym\\b"],
      shell: ["\\bgrpo\\.num_", "\\bnemo[-_]?rl\\b"],
    },
    metrics: [
      { glob: "validation/accuracy", on: "evaluation", tells: "success" },
      { glob: "train/reward", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    // Supervised and preference training share the files' form but roll nothing out.
    if (["sft", "dpo", "rm"].some((one) => config.has(one)) && !SECTIONS.some((one) => config.has(one))) return 0;
    // Off-policy distillation reads texts, and rolls nothing out.
    if (config.has("loss_fn.xtoken_loss")) return 0;
    if (section("num_prompts_per_step").some((path) => config.has(path))) return 0.95;
    if (SECTIONS.some((one) => config.has(one)) && (config.has("policy") || config.has("loss_fn"))) return 0.85;
    const child = config.peek("defaults")?.node;
    const follows = child?.kind === "scalar" && typeof child.value === "string" && /\.ya?ml$/.test(child.value);
    const touches = [
      "policy.model_name",
      "policy.generation",
      "policy.megatron_cfg",
      "policy.dtensor_cfg",
      "env.nemo_gym",
      "data.train.dataset_name",
      "data._override_",
      "cluster.num_nodes",
      "cluster.gpus_per_node",
    ];
    // A base that is not here names its kind: supervised, preference or reward-model training, or evaluation.
    if (follows && OTHER_BASE.test(String(child.value))) return 0;
    return follows && touches.some((path) => config.has(path)) ? 0.75 : 0;
  },
  fragment: (config) => missingBase(config) !== undefined,
  shipped: (config) => {
    const base = missingBase(config);
    return base === undefined
      ? {}
      : recipeValues(base, {
          sequence: toNumber(config.textAt("policy.max_total_sequence_length") ?? null),
          replacesData: config.truth("data._override_") === true,
        });
  },
  cost: nemoRlCost,
  responseScope: "trajectory",
  fields: {
    model: { read: text("policy.model_name"), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Unique prompts per step; each is rolled out `num_generations_per_prompt` times. `policy.train_global_batch_size` counts samples of one update instead: prompts × rollouts makes one update per step.",
      read: first(number(section("num_prompts_per_step")), byDefault(32, GRPO)),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp("Rollouts of each prompt. `val_num_generations_per_prompt` is for validation only."),
      read: first(number(section("num_generations_per_prompt")), byDefault(16, GRPO)),
    },
    steps: {
      unit: "steps",
      help: "Most steps; the run ends earlier when `max_num_epochs` are over. 1,000,000 is the recipes' way to say: only the epochs count.",
      read: first(mapped(number(section("max_num_steps")), (steps) => (endless(steps) ? undefined : steps))),
      otherwise: "`max_num_steps` is so large that the epochs end the run, and the rows of the data are not known here",
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the training data. `ppo_epochs` is something else: updates per batch.",
      read: first(number(section("max_num_epochs"), { unless: (epochs) => epochs < 0 }), byDefault(1, GRPO)),
    },
    environments: {
      unit: "environments",
      help: "Environments of the run: the NeMo-Gym servers in `config_paths` (the model's own file is not one), or those that `data` names with `env_name`. A section under `env` that no data use does not count.",
      read: environments,
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt; longer ones are cut. The whole sequence is limited by `policy.max_total_sequence_length`.",
      read: number("data.max_input_seq_length"),
      otherwise: "`data.max_input_seq_length` is not set; only the whole sequence is limited",
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Most generated tokens. The whole sequence is limited by `policy.max_total_sequence_length`.",
      read: number("policy.generation.max_new_tokens"),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a rollout; an environment may end it earlier (`max_moves` and the like).",
      read: first(number(section("max_rollout_turns")), byDefault(1, GRPO)),
    },
    gpus: {
      unit: "GPUs",
      help: "Nodes × GPUs per node. Nodes for generation that is not colocated are among them.",
      read: times(number("cluster.num_nodes"), number("cluster.gpus_per_node")),
    },
    algorithm: {
      help: "The advantage estimator.",
      read: first(
        mapped(text(section("adv_estimator.name")), (name) => (name === "gae" ? "ppo" : name)),
        (config) =>
          config.has("distillation")
            ? because("on-policy distillation has no advantage estimator")(config)
            : config.has("ppo")
              ? known("ppo", "derived", { note: "the section is `ppo`" })
              : byDefault("grpo", GRPO)(config),
      ),
    },
  },
  trainFiles: (config) =>
    (listAt(config, ["data.train"])?.items ?? []).flatMap((item) => {
      const path = item.kind === "map" ? entryOf(item, "data_path")?.value : undefined;
      return path?.kind === "scalar" && path.value !== null ? [{ path: String(path.value) }] : [];
    }),
  knobs: {
    duration: [
      {
        paths: section("max_num_steps"),
        counts: "steps",
        when: (config) =>
          section("max_num_steps").some((path) => {
            const steps = toNumber(config.textAt(path) ?? null);
            return steps !== undefined && !endless(steps);
          }),
      },
      { paths: section("max_num_epochs"), counts: "epochs" },
    ],
    groupSize: { paths: section("num_generations_per_prompt") },
  },
  remainders: {
    environments: "add or remove NeMo-Gym servers in env.nemo_gym.config_paths, or the data that name an environment",
  },
  rules: (config) =>
    config.textAt("grpo.use_leave_one_out_baseline") === "false"
      ? []
      : [
          rules.groupAtLeastTwo(
            "num_generations_per_prompt must be at least 2: the baseline is the mean of the prompt's other rollouts",
          ),
        ],
};
