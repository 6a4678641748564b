import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  type Config,
  first,
  type Framework,
  groupHelp,
  number,
  type Read,
  rules,
  text,
} from "./reading/read";
import { callsOf, calledName, imports, withParts } from "./sheet/pythonData";
import { entryOf } from "../syntax/nodes";
import type { ConfigVariant, MapNode, TreeNode } from "../syntax/tree";

const TRAIN = "tinker_cookbook/rl/train.py";

function mapIn(node: TreeNode | undefined): MapNode | undefined {
  return node?.kind === "map" ? node : undefined;
}

/** The training config and the builder of its groups: a `Config(…)` call, a dict for a blueprint, or one class with all fields. */
function tinkerExperiments(variant: ConfigVariant): readonly ConfigVariant[] {
  const dicts = entryOf(variant.root, "dicts")?.value;
  const configs = [
    ...callsOf(variant, "Config", "RLConfig", "TrainConfig"),
    ...(dicts?.kind === "list" ? dicts.items : []),
  ].flatMap((node) => (node.kind === "map" && entryOf(node, "dataset_builder") ? [node] : []));
  const found = configs.map((config) => ({ config, builder: builderOf(config, variant) }));
  const options = classWithGroups(variant);
  if (found.length > 0) {
    return found.map(({ config, builder }, index) =>
      withParts(
        variant,
        { config, ...(builder ? { builder } : {}), ...(options ? { options } : {}) },
        found.length === 1 ? variant.name : `config ${index + 1}`,
      ),
    );
  }
  const whole = classWithGroups(variant);
  return whole ? [withParts(variant, { config: whole, builder: whole }, variant.name)] : [];
}

/** The builder that the config holds; where only a run decides which, the class of options that feeds it. */
function builderOf(config: MapNode, variant: ConfigVariant): MapNode | undefined {
  const builder = mapIn(entryOf(config, "dataset_builder")?.value);
  if (builder && builder.entries.length > 0) return builder;
  return classWithGroups(variant);
}

function classWithGroups(variant: ConfigVariant): MapNode | undefined {
  const classes = mapIn(entryOf(variant.root, "classes")?.value);
  const fits = (classes?.entries ?? []).flatMap(({ value }) => {
    const has = (name: string): boolean => value.kind === "map" && entryOf(value, name) !== undefined;
    return value.kind === "map" &&
      (has("group_size") || has("train_group_size")) &&
      (has("batch_size") || has("groups_per_batch"))
      ? [value]
      : [];
  });
  return fits.length === 1 ? fits[0] : undefined;
}

const either = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`builder.${name}`, `config.${name}`]);

const environments: Read<number> = (config) => {
  const node = config.find("config.dataset_builder")?.node;
  const name = calledName(node);
  if (name) return known(1, "config", { span: node?.span, note: `\`${name}\`` });
  return config.has("config") ? assumedOne("one dataset builder") : undefined;
};

const groupSize = number([...either("group_size", "train_group_size"), "options.group_size"]);
/** Where nothing says how many rollouts a group has, `batch_size` may count players or environments. */
const prompts: Read<number> = first(
  number(["builder.groups_per_batch", "config.groups_per_batch"]),
  (config) =>
    groupSize(config) === undefined && either("batch_size").some((path) => config.has(path))
      ? unknown("`batch_size` may count players here: no group size is stated")
      : undefined,
  number(["builder.batch_size", "config.batch_size"]),
);

const stated = number(["config.max_steps", ...either("n_batches", "num_batches")], { unless: (steps) => steps < 1 });

export const tinker: Framework = {
  id: "tinker",
  name: "tinker-cookbook",
  docs: { url: "https://tinker-docs.thinkingmachines.ai/", formats: ["Python", "shell"] },
  signs: {
    words: {
      data: ["\\bgroups_per_batch\\b"],
      shell: ["\\bgroups_per_batch\\b", "\\btinker\\b"],
      python: ["\\btinker(_cookbook)?\\b", "\\bgroups_per_batch\\b", "\\bgroup_size\\s*="],
    },
    metrics: [
      { glob: "test/env/all/correct", on: "evaluation", tells: "success" },
      { glob: "test/env/all/reward/total", on: "evaluation", tells: "reward" },
      { glob: "env/all/correct", on: "training", tells: "success" },
      { glob: "env/all/reward/total", on: "training", tells: "reward" },
    ],
  },
  detect: (config: Config) =>
    config.syntax === "python" &&
    imports(config.variant, /^tinker(_cookbook)?\b/) &&
    !imports(config.variant, /\.supervised\b|\.preference\.train_dpo\b/) &&
    tinkerExperiments(config.variant).length > 0
      ? 0.85
      : 0,
  experiments: tinkerExperiments,
  responseScope: "turn",
  fields: {
    model: { read: text("config.model_name"), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "groups per step",
      help: "`batch_size` (or `groups_per_batch`) counts **groups**: each is one task with its rollouts.",
      read: prompts,
    },
    groupSize: { unit: "rollouts per group", help: groupHelp("Rollouts of each task."), read: groupSize },
    steps: {
      unit: "steps",
      help: "Most steps; without it the dataset is gone through once.",
      read: stated,
      otherwise: "`max_steps` is not set: the dataset, whose size is not in the file, ends the run",
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes over the dataset, where its builder has them.",
      read: first(number(either("num_epochs", "n_epochs")), byDefault(1, `${TRAIN}: the dataset is gone through once`)),
    },
    environments: { help: "The dataset builder makes the environment's groups.", read: environments },
    maxPromptTokens: {
      help: "Only the whole trajectory is limited, where the builder says so.",
      read: () => unknown("no limit on the prompt is set"),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Most tokens that the model writes in **one turn**; `max_trajectory_tokens` limits the whole trajectory.",
      read: number("config.max_tokens"),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a trajectory.",
      read: number(either("max_turns")),
      otherwise: "the environment decides",
    },
    gpus: { help: "Training and sampling are a hosted service.", read: () => unknown("tinker is a hosted service") },
    algorithm: {
      help: "The loss; advantages are centred within each group.",
      read: text("config.loss_fn"),
      otherwise: "advantages are centred within each group; no estimator is named",
    },
  },
  knobs: {
    duration: [
      {
        paths: ["config.max_steps"],
        counts: "steps",
        when: (config) => {
          const steps = stated(config);
          return steps !== undefined && isKnown(steps);
        },
      },
      { paths: either("num_epochs"), counts: "epochs" },
    ],
    groupSize: { paths: [...either("group_size", "train_group_size"), "options.group_size"] },
  },
  remainders: { tasks: "the dataset builder makes the tasks" },
  rules: () => [rules.groupAtLeastTwo("group_size must be at least 2: advantages are centred within each group")],
};
