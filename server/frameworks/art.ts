import { isKnown, known, unknown, type Fact } from "../budget/budget";
import {
  byDefault,
  first,
  groupHelp,
  number,
  rules,
  text,
  type Config,
  type Framework,
  type Read,
} from "./reading/read";
import { argumentOf, calledName, callsOf, countOf, imports, withParts } from "./sheet/pythonData";
import { entryOf } from "../syntax/nodes";
import type { ConfigVariant, MapNode, TreeNode } from "../syntax/tree";

/** The calls that train: `model.train(groups)`, `backend.train(model, groups)`. */
function trainCalls(variant: ConfigVariant): readonly MapNode[] {
  return callsOf(variant, "train").filter((call) => argumentOf(call, "0", "trajectory_groups") !== undefined);
}

function isModel(node: TreeNode | undefined): node is MapNode {
  return node?.kind === "map" && calledName(node) === "TrainableModel";
}

/** Each trainable model is an experiment, unless the training call says which it trains. */
function artExperiments(variant: ConfigVariant): readonly ConfigVariant[] {
  const [train] = trainCalls(variant);
  const trained =
    train && [entryOf(train, "from")?.value, argumentOf(train, "0"), argumentOf(train, "model")].find(isModel);
  const named = entryOf(variant.root, "names")?.value;
  const models: { model: MapNode; name: string | null }[] = trained
    ? [{ model: trained, name: variant.name }]
    : (named?.kind === "map" ? named.entries : []).flatMap((entry) =>
        isModel(entry.value) ? [{ model: entry.value, name: entry.key }] : [],
      );
  if (models.length === 0)
    models.push(...callsOf(variant, "TrainableModel").map((model) => ({ model, name: variant.name })));
  return models.map(({ model, name }) =>
    withParts(variant, { model, ...(train ? { train } : {}) }, models.length === 1 ? variant.name : name),
  );
}

/** The groups that a training step takes: the argument of the training call, through what gathers them. */
function groupsOf(config: Config): TreeNode | undefined {
  const train = config.peek("train")?.node;
  if (train?.kind !== "map") return undefined;
  const given = [argumentOf(train, "0"), argumentOf(train, "1"), argumentOf(train, "trajectory_groups")].find(
    (node) => node?.kind === "map" || node?.kind === "list",
  );
  return given?.kind === "map" && /^gather_trajectory_groups/.test(calledName(given) ?? "")
    ? argumentOf(given, "0", "groups")
    : given;
}

/** One group: the rollouts of a task. Where the groups are collected elsewhere, the only one that the file makes. */
function groupOf(config: Config): MapNode | undefined {
  const groups = groupsOf(config);
  const inner =
    groups?.kind === "list" ? groups.items[0] : groups?.kind === "map" ? entryOf(groups, "each")?.value : undefined;
  if (inner?.kind === "map" && calledName(inner) === "TrajectoryGroup") return inner;
  const all = callsOf(config.variant, "TrajectoryGroup");
  return all.length === 1 ? all[0] : undefined;
}

function counted(node: TreeNode | undefined, note: string): Fact<number> | undefined {
  const value = countOf(node);
  return node && value !== undefined && value > 0 ? known(value, "config", { span: node.span, note }) : undefined;
}

/** Settings that the model carries, or that the script keeps in one dict. */
const SETTINGS = [
  "model.config.training_config",
  "model.config",
  "names.training_config",
  "names.config",
  "locals.main.training_config",
];
const setting = (...names: readonly string[]): readonly string[] =>
  SETTINGS.flatMap((place) => names.map((name) => `${place}.${name}`));

/** What the loop around the training call goes over: `iterate_dataset(…, groups_per_step=…)`. */
function loopArgument(config: Config, name: string): Fact<number> | undefined {
  for (const call of callsOf(config.variant, "iterate_dataset")) {
    const node = argumentOf(call, name);
    if (node?.kind === "scalar" && typeof node.value === "number")
      return known(node.value, "config", { span: node.span, ...(node.via ? { note: node.via } : {}) });
  }
  return undefined;
}

const groupSize: Read<number> = (config) => {
  const group = groupOf(config);
  return (
    counted(group && argumentOf(group, "0", "trajectories"), "rollouts of a group") ??
    number(setting("trajectories_per_group", "rollouts_per_group", "group_size"))(config)
  );
};

const prompts: Read<number> = (config) => {
  const groups = groupsOf(config);
  return (
    (groups?.kind === "list" ? counted(groups, "groups of a step") : undefined) ??
    loopArgument(config, "groups_per_step") ??
    number(setting("groups_per_step"))(config)
  );
};

/** `for i in range(await model.get_step(), 100)`. */
const steps: Read<number> = (config) => {
  const loops = config.peek("train.for")?.node;
  for (const loop of loops?.kind === "list" ? loops.items : []) {
    if (loop.kind === "list" && loop.count !== undefined)
      return known(loop.count, "config", { span: loop.span, note: "turns of the training loop" });
    const end = loop.kind === "map" && calledName(loop) === "range" ? argumentOf(loop, "1") : undefined;
    if (end?.kind === "scalar" && typeof end.value === "number")
      return known(end.value, "config", { span: end.span, note: "end of the training loop" });
  }
  return number(setting("max_steps"))(config);
};

/** The one call that asks the policy in this file. */
const responseTokens: Read<number> = (config) => {
  const asks = callsOf(config.variant, "create").filter(
    (call) => /completions\.create$/.test(call.callee ?? "") && !isNamed(argumentOf(call, "model")),
  );
  const limits = asks.map((call) => argumentOf(call, "max_completion_tokens", "max_tokens"));
  const [limit] = limits;
  return asks.length === 1 && limit?.kind === "scalar" && typeof limit.value === "number"
    ? known(limit.value, "config", { span: limit.span, ...(limit.via ? { note: limit.via } : {}) })
    : undefined;
};

/** A model that is named by a text of its own is not the policy, which is asked by its `name`. */
function isNamed(node: TreeNode | undefined): boolean {
  return node?.kind === "scalar" && !/\.name`$/.test(node.via ?? "");
}

const isStated =
  (read: Read<number>) =>
  (config: Config): boolean => {
    const fact = read(config);
    return fact !== undefined && isKnown(fact);
  };

export const art: Framework = {
  id: "art",
  name: "ART",
  docs: { url: "https://art.openpipe.ai/", formats: ["Python"] },
  signs: {
    words: {
      python: [
        "\\bTrajectoryGroup\\b",
        "\\bgather_trajectory_groups\\b",
        "\\btrajectory_groups\\b",
        "\\btrajectories_per_group\\b",
        "\\bgroups_per_step\\b",
      ],
    },
    metrics: [
      { glob: "val/reward", on: "evaluation", tells: "reward" },
      { glob: "train/reward", on: "training", tells: "reward" },
    ],
  },
  detect: (config) =>
    config.syntax === "python" &&
    imports(config.variant, /^art(\.|$)/) &&
    artExperiments(config.variant).length > 0 &&
    trainCalls(config.variant).length > 0
      ? 0.85
      : 0,
  experiments: artExperiments,
  responseScope: "turn",
  fields: {
    model: { read: text("model.base_model"), help: "The model that is trained." },
    promptsPerStep: {
      unit: "groups per step",
      help: "Groups that one training step takes; each is one task with its trajectories.",
      read: prompts,
      otherwise: "how many groups a step takes is only known in a run",
    },
    groupSize: {
      unit: "trajectories per group",
      help: groupHelp("Trajectories of each group, whose rewards are compared with each other."),
      read: groupSize,
      otherwise: "how many trajectories a group has is only known in a run",
    },
    steps: {
      unit: "steps",
      help: "The end of the training loop; a run that starts again goes on from its last step.",
      read: steps,
      otherwise: "the loop over the data ends the run, and its rows are not in the file",
    },
    epochs: {
      unit: "passes over the data",
      help: "Passes of `iterate_dataset`.",
      read: first((config) => loopArgument(config, "num_epochs"), number(setting("num_epochs"))),
      otherwise: "the training loop counts steps",
    },
    environments: {
      help: "One rollout function over one project.",
      read: (config) => (config.has("model") ? known(1, "derived", { note: "one project" }) : undefined),
    },
    maxPromptTokens: { help: "Only the context is limited.", read: () => unknown("no limit on the prompt is set") },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Most tokens of one completion in the rollout.",
      read: responseTokens,
      otherwise: "the rollout is in another file, or sets no limit",
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of a rollout.",
      read: number(setting("max_turns")),
      otherwise: "the rollout decides",
    },
    gpus: { help: "The backend's machine.", read: () => unknown("the backend decides") },
    algorithm: { help: "ART trains with GRPO.", read: byDefault("grpo", "ART's README") },
  },
  knobs: {
    duration: [
      { paths: setting("max_steps"), counts: "steps" },
      { paths: setting("num_epochs"), counts: "epochs", when: (config) => !isStated(steps)(config) },
    ],
    groupSize: { paths: setting("trajectories_per_group", "rollouts_per_group", "group_size") },
  },
  remainders: {
    tasks: "the script chooses its tasks",
    trajectories: "the training loop's range sets the steps: change it in the code",
  },
  rules: () => [
    rules.groupAtLeastTwo("a group needs at least 2 trajectories: their rewards are compared with each other"),
  ],
};
