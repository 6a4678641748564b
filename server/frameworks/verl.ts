import { verlCost } from "./cost/verl";
import type { FrameworkRule } from "../budget/budget";
import { entryOf } from "../syntax/nodes";
import type { TreeNode } from "../syntax/tree";
import {
  because,
  byDefault,
  combined,
  type Config,
  count,
  type FieldSpec,
  first,
  type Framework,
  type FrameworkFields,
  groupHelp,
  itemsOf,
  mapped,
  number,
  one,
  oneSet,
  plus,
  type Read,
  rules,
  text,
  times,
  toNumber,
  type TrainFile,
  when,
} from "./reading/read";

const TRAINER = "verl/trainer/config/ppo_trainer.yaml";
const DATA = "verl/trainer/config/data/legacy_data.yaml";
const ROLLOUT = "actor_rollout_ref.rollout";
const TURNS = `${ROLLOUT}.multi_turn`;
const MINI = "actor_rollout_ref.actor.ppo_mini_batch_size";

/** verl calls PPO with a critic by its estimator. */
export const algorithmName = (value: string): string => (/^gae$/i.test(value) ? "ppo" : value.toLowerCase());

/** Forks with agents repeat each prompt themselves and limit turns in places of their own: Search-R1, SkyRL-v0, ZeroSearch, L0 and what grew from them. */
const AGENT_COPIES = [
  `${ROLLOUT}.n_agent`,
  `${ROLLOUT}.n_repeat`,
  `${ROLLOUT}.n_trajectories`,
  "agent_grpo.n",
  "rollout_manager.n_trajectory",
];
const FORK_TURNS = [
  "agent_task.generator.max_iterations",
  `${ROLLOUT}.max_iterations`,
  "trainer.max_turns",
  "rollout_manager.max_turns",
  "actor_rollout_ref.traj_sampler.agent.task_run.max_steps",
  `${TURNS}.max_turns`,
  "max_turns",
  "agent.max_turns",
  "agent.run_config.max_turns",
  "tool.max_turns",
  "actor_rollout_ref.agent.max_turns",
  `${ROLLOUT}.max_turns`,
  `${ROLLOUT}.agent.max_turns`,
  `${ROLLOUT}.agent.max_steps`,
];
/** The generators of SkyRL-Agent and AgentFly roll out each prompt by themselves, whatever `rollout.n` is. */
const OWN_GENERATORS = [
  "skyrl_agent.num_trajectories",
  "agent_task.generator.num_trajectories",
  "agent.num_chains",
  "agent.run_config.num_chains",
];
const hasAgentCopies = (config: Config): boolean => AGENT_COPIES.some((path) => config.has(path));
/** A project's own profile, with verl's sections moved to the top: its launcher translates them, so only what it states is known. */
const isTranslated = (config: Config): boolean =>
  !isFullyAsync(config) &&
  !config.has(`${ROLLOUT}.n`) &&
  config.has("rollout.n") &&
  config.has("actor") &&
  !config.has("actor_rollout_ref.actor");

/** Forks for games list environments where training files would stand: each with its seeds and its limit of turns. */
const LISTED_ENVS = "train_envs.envs";
const ofEach = (node: TreeNode, key: string): readonly (number | undefined)[] =>
  itemsOf(node).map((item) => {
    const value = item.kind === "map" ? entryOf(item, key)?.value : undefined;
    return value?.kind === "scalar" ? toNumber(value.value) : undefined;
  });
const alike = (node: TreeNode, key: string): number | undefined =>
  new Set(ofEach(node, key)).size === 1 ? ofEach(node, key)[0] : undefined;
const total = (node: TreeNode, key: string): number | undefined =>
  ofEach(node, key).reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

/** Rollouts and updates run on separate machines, and steps are counted in prompts. */
const isFullyAsync = (config: Config): boolean =>
  config.has("async_training.require_batches") ||
  /fully_async/.test(config.variant.command?.target ?? "") ||
  config.has("rollout.total_rollout_steps");
/** A pool of its own for rollouts, besides the trainer's. */
const hasRolloutPool = (config: Config): boolean =>
  config.has("rollout.n_gpus_per_node") || config.has("rollout.nnodes") || isFullyAsync(config);

/** verl's own defaults; other entry points bring base configs of their own, which usually keep them. */
export const verlFields: FrameworkFields &
  Required<Pick<FrameworkFields, "model" | "groupSize" | "epochs" | "gpus" | "maxTurns" | "environments">> = {
  model: {
    help: "The policy that is trained (`actor_rollout_ref.model.path`).",
    read: first(
      text("actor_rollout_ref.model.path"),
      when(isTranslated, text("model_path")),
      byDefault("~/models/deepseek-llm-7b-chat", "verl/trainer/config/model/hf_model.yaml"),
    ),
  },
  promptsPerStep: {
    unit: "prompts per step",
    help: "Prompts (tasks) per step, **before** each is rolled out `rollout.n` times: a step has train_batch_size × n rollouts. `ppo_mini_batch_size` counts prompts too; `val_batch_size` and `gen_batch_size` are something else.",
    read: when(
      isFullyAsync,
      combined(
        [
          first(number(MINI), byDefault(256, "verl/trainer/config/actor/actor.yaml")),
          first(number("async_training.require_batches"), byDefault(1, "fully_async_ppo_trainer.yaml")),
        ],
        ([mini, batches]) => mini * batches,
        " (mini batch) × ",
      ),
      first(number("data.train_batch_size", { unless: (value) => value === 0 }), byDefault(1024, DATA)),
    ),
  },
  groupSize: {
    unit: "rollouts per prompt",
    help: groupHelp("Rollouts of each prompt (`actor_rollout_ref.rollout.n`). `val_kwargs.n` is for validation only."),
    read: groupRead(),
  },
  steps: {
    unit: "steps",
    help: "Ends the run after so many steps, even when `total_epochs` would go on. In fully-async training `rollout.total_rollout_steps` counts **prompts**.",
    read: first(number("trainer.total_training_steps"), when(isFullyAsync, asyncSteps())),
  },
  epochs: {
    unit: "passes over the data",
    help: "Passes over the training data. `ppo_epochs` is something else: updates per batch, which add no trajectories.",
    read: first(
      when(isFullyAsync, number("rollout.total_epochs")),
      number("trainer.total_epochs"),
      byDefault(30, TRAINER),
    ),
  },
  tasks: {
    unit: "rows",
    help: "At most so many rows of the training files are used (-1: all).",
    read: first(
      number("data.train_max_samples", { unless: (value) => value < 0 }),
      count(LISTED_ENVS, (node) => total(node, "n_envs")),
    ),
  },
  environments: {
    help: "A tool set, an interaction or an agent loop makes one environment; without them each `data_source` of the rows is one.",
    otherwise: "no tools, interaction or agent loop are named, and the data sources are in the rows",
    read: environmentsRead(),
  },
  maxPromptTokens: {
    unit: "tokens",
    help: "Longest prompt; longer ones are dropped or cut (`truncation`).",
    read: when(
      (config) => isNemoGym(config),
      because("the NeMo-Gym agent loop does not enforce a prompt limit"),
      first(number("data.max_prompt_length"), byDefault(512, DATA)),
    ),
  },
  maxResponseTokens: {
    unit: "tokens per rollout",
    help: "Longest response: the **whole rollout**, all assistant turns and tool results together.",
    read: when(
      (config) => isNemoGym(config),
      because("the NeMo-Gym agent loop does not enforce a response limit"),
      first(
        number("data.max_response_length"),
        when((config) => config.variant.command !== null, number(`${ROLLOUT}.response_length`)),
        byDefault(512, DATA),
      ),
    ),
  },
  maxTurns: {
    unit: "assistant turns",
    help: "Most assistant turns in a trajectory; `max_user_turns` limits replies from tools or users.",
    otherwise: "no limit on turns is set",
    read: first(
      number(`${TURNS}.max_assistant_turns`),
      number(`${TURNS}.max_user_turns`),
      count(LISTED_ENVS, (node) => alike(node, "max_turns")),
      when(isTranslated, number("rollout.max_assistant_turns")),
      number(FORK_TURNS, { unless: (value) => value < 1 }),
    ),
  },
  gpus: {
    unit: "GPUs",
    help: "Nodes × GPUs per node of the trainer, plus those of pools beside it: rollouts on machines of their own, a reward model (`enable_resource_pool`), the teachers of a distillation.",
    read: when(
      (config) => config.has("async_resources"),
      because("`async_resources` gives every role GPUs of its own"),
      withSidePools(
        when(
          hasRolloutPool,
          combined(
            [
              number4("trainer.nnodes", 1),
              number4("trainer.n_gpus_per_node", 8),
              number4("rollout.nnodes", 1),
              number4("rollout.n_gpus_per_node", 8),
            ],
            ([a, b, c, d]) => a * b + c * d,
            ", ",
          ),
          times(number4("trainer.nnodes", 1), number4("trainer.n_gpus_per_node", 8)),
        ),
      ),
    ),
  },
  algorithm: {
    help: "The advantage estimator; `gae` is PPO with a critic.",
    read: first(
      mapped(text(["algorithm.adv_estimator", "algorithm.step_level_adv_estimator"]), algorithmName),
      when(
        hasOwnTrainer,
        because("the recipe or fork brings its own trainer, and no `algorithm.adv_estimator` is stated"),
        byDefault("ppo", `${TRAINER} (gae)`),
      ),
    ),
  },
};

/** Pools of GPUs beside the trainer's, each with the switch that makes it. */
const SIDE_POOLS: readonly { readonly at: string; readonly on: (config: Config) => boolean }[] = [
  ...["reward_model", "reward.reward_model"].map((at) => ({
    at,
    on: (config: Config) =>
      config.truth(`${at}.enable_resource_pool`) === true && config.truth(`${at}.enable`) !== false,
  })),
  {
    at: "distillation",
    on: (config) =>
      config.truth("distillation.enabled") === true && config.truth("distillation.colocate_with_actor") !== true,
  },
];

function withSidePools(own: Read<number>): Read<number> {
  return (config) => {
    const pools = SIDE_POOLS.filter(({ on }) => on(config)).map(({ at }) =>
      times(
        first(number(`${at}.nnodes`), because(`\`${at}\` has GPUs of its own, and does not say how many nodes`)),
        first(number(`${at}.n_gpus_per_node`), because(`\`${at}\` has GPUs of its own, and does not say how many`)),
      ),
    );
    return pools.length === 0 ? own(config) : plus(own, ...pools)(config);
  };
}

function trainerGpus(config: Config): number | null {
  return times(number4("trainer.nnodes", 1), number4("trainer.n_gpus_per_node", 8))(config)?.value ?? null;
}

/** A distillation without task rewards compares nothing within a group. */
const onlyDistils = (config: Config): boolean =>
  config.truth("distillation.enabled") === true &&
  config.truth("distillation.distillation_loss.use_task_rewards") === false;

function groupRead(): Read<number> {
  const own = first(number(`${ROLLOUT}.n`), byDefault(1, "verl/trainer/config/rollout/rollout.yaml"));
  return first(
    number(OWN_GENERATORS),
    when(
      (config) => config.has("skyrl_agent.task_yaml"),
      because("`skyrl_agent.task_yaml` states the rollouts of each prompt"),
    ),
    when(isTranslated, number("rollout.n")),
    when(
      (config) => config.truth(`${ROLLOUT}.tree_search`) === true,
      because("a tree search branches each prompt by itself, whatever `rollout.n` is"),
    ),
    when(hasAgentCopies, times(number(AGENT_COPIES), own), own),
  );
}

/** Recipes and forks besides verl's own entry points choose their own default estimator. */
function hasOwnTrainer(config: Config): boolean {
  const target = config.variant.command?.target;
  if (hasAgentCopies(config) || config.has("max_turns")) return true;
  return target != null && !/^verl\./.test(target) && !/main_(ppo|dapo)/.test(target);
}

/** A trainer of its own starts from a config of its own, which is not here: verl's defaults say nothing about the run. */
function startsElsewhere(config: Config): boolean {
  const target = config.variant.command?.target;
  if (target == null || /^verl[./]/.test(target) || /main_(ppo|dapo|entropy|flowrl|dynamo|atropos)/.test(target))
    return false;
  const fromFile = (node: TreeNode, depth: number): boolean =>
    node.file !== undefined ||
    (depth > 0 && node.kind === "map" && node.entries.some((entry) => fromFile(entry.value, depth - 1)));
  return !fromFile(config.variant.root, 4);
}

function number4(path: string, value: number): Read<number> {
  return first(number(path), byDefault(value, TRAINER));
}

function isNemoGym(config: Config): boolean {
  return config.textAt("data.custom_cls.name")?.includes("NeMoGym") === true && !config.has("data.max_response_length");
}

function asyncSteps(): Read<number> {
  const prompts = combined(
    [number(MINI), number("async_training.require_batches")],
    ([mini, batches]) => mini * batches,
    " × ",
  );
  const steps = combined(
    [number("rollout.total_rollout_steps", { unit: "prompts in all" }), prompts],
    ([all, each]) => Math.floor(all / each),
    " prompts / ",
  );
  return mapped(steps, (value) => (value < 1 ? undefined : value));
}

function environmentsRead(): FieldSpec<number>["read"] {
  const listed = count(["nemo_gym.config_paths", "agent_loop_config.nemo_gym.config_paths"], (node) => {
    if (node.kind !== "list") return undefined;
    const paths = itemsOf(node).map((item) => (item.kind === "scalar" ? String(item.value) : ""));
    return paths.filter((path) => !/responses_api_models|_model\/|vllm_model/.test(path)).length;
  });
  return first(
    listed,
    count(LISTED_ENVS),
    when(isNemoGym, because("the environments are listed in the NeMo-Gym config")),
    one([
      `${TURNS}.tool_config_path`,
      `${TURNS}.interaction_config_path`,
      `${ROLLOUT}.agent.agent_loop_config_path`,
      "data.tool_config_path",
    ]),
    oneSet("data.train_files"),
  );
}

export function verlRules(config: Config): FrameworkRule[] {
  const mini = toNumber(config.textAt(MINI) ?? null);
  const dynamic = config.truth("actor_rollout_ref.actor.use_dynamic_bsz") === true;
  const estimator = config.textAt("algorithm.adv_estimator") ?? "";
  return [
    ...(isFullyAsync(config) || mini === undefined
      ? []
      : [
          rules.promptsAtLeast(
            "verl-mini-batch",
            `\`data.train_batch_size\` must be at least \`ppo_mini_batch_size\` (${mini} prompts)`,
            mini,
          ),
        ]),
    ...(dynamic || isFullyAsync(config)
      ? []
      : [
          rules.rolloutsDivideBy("verl-gpus", "`train_batch_size` × `rollout.n` must divide by the GPUs", ({ gpus }) =>
            SIDE_POOLS.some(({ on }) => on(config)) ? trainerGpus(config) : gpus,
          ),
        ]),
    ...(/grpo|rloo|gigpo/i.test(estimator) && !onlyDistils(config)
      ? [
          rules.groupAtLeastTwo(
            `\`${estimator}\` compares rollouts of the same prompt: the group size must be at least 2`,
          ),
        ]
      : []),
  ];
}

/** Training files as verl takes them: one path or a list. */
export function verlTrainFiles(config: Config): TrainFile[] {
  return itemsOf(config.peek("data.train_files")?.node).flatMap((node) =>
    node.kind === "scalar" && typeof node.value === "string" ? [{ path: node.value }] : [],
  );
}

/** Modules of verl that generate, evaluate or fine-tune: not RL runs. */
const NOT_RL = /sft|main_generation|main_eval|model_merger|data_preprocess|infer|gkd|merge|agent_proxy|(^|[./])eval/i;

export function looksLikeVerl(config: Config): number {
  const target = config.variant.command?.target ?? "";
  if (
    (config.variant.command && NOT_RL.test(target)) ||
    config.truth("trainer.val_only") === true ||
    config.textAt("trainer.total_training_steps") === "0"
  )
    return 0;
  // RAGEN's files state parts of verl's: whether they train, its own sheet knows.
  if (config.has("es_manager") && config.has("agent_proxy")) return 0;
  // EasyR1 has verl's modules, and a schema of its own.
  if (!config.has("actor_rollout_ref") && (config.has("worker.actor") || config.has("worker.rollout"))) return 0;
  const own = config.has("actor_rollout_ref") || config.has("algorithm.adv_estimator");
  if (/(^|\.)verl(_\w+)?\.|^recipe\.|main_(ppo|dapo|grpo)/.test(target.replaceAll("/", ".")))
    return own ||
      (config.has("data.train_batch_size") && !config.has("model.path")) ||
      /main_ppo|main_dapo/.test(target)
      ? 0.75
      : 0;
  if (config.has("nemo_gym.config_paths") && config.has("nemo_gym.agent_ref") === false && config.syntax === "yaml")
    return 0.5;
  const parts = ["data", "trainer", "actor_rollout_ref.rollout", "actor_rollout_ref.actor"];
  return config.has("actor_rollout_ref") && parts.some((part) => config.has(part)) ? 0.7 : 0;
}

/** Base configs of verl itself: what they state is known here as its defaults. */
const OWN_BASES =
  /^((\w+_)?(ppo|dapo)(_megatron)?_trainer|config|(dp|megatron|veomni|torchtitan)_\w+|actor|critic|ref|rollout|reward(_\w+)?|model|data|legacy_data|hf_model|algorithm|rollout_correction|profiler|\w*_engine|fsdp|engine|optim)$/;

/** It starts from a config that is neither here nor known: that may state anything, so defaults are not assumed. */
function hidesBase(config: Config): boolean {
  const known = Object.keys(shippedByName(config)).length > 0;
  return (
    !known &&
    (config.variant.missingBases ?? []).some(
      (name) => !OWN_BASES.test(name.replace(/\.ya?ml$/, "").replace(/^.*\//, "")),
    )
  );
}

export const verl: Framework = {
  id: "verl",
  name: "verl",
  docs: { url: "https://verl.readthedocs.io/en/latest/examples/config.html", formats: ["Hydra YAML", "shell"] },
  signs: {
    words: {
      data: [
        "\\bactor_rollout_ref\\b",
        "\\badv_estimator\\b",
        "\\btrain_batch_size\\b",
        "\\brollouts?\\b",
        "\\b(grpo|gspo|dapo|rloo|gigpo)\\b",
      ],
      shell: [
        "\\bactor_rollout_ref\\.",
        "\\bmain_ppo\\b",
        "\\btrain_batch_size\\s*=",
        "\\bverl\\b",
        "grpo",
        "\\brloo\\b",
      ],
      python: ["\\bactor_rollout_ref\\b"],
    },
    parts: [
      { key: "actor_rollout_ref.rollout.agent.agent_loop_config_path", under: "agent_loop_config" },
      { key: "data.train_files", under: "train_envs", only: "\\.ya?ml$" },
    ],
    metrics: [
      { glob: "val-core/*/acc/mean@*", on: "evaluation", tells: "success" },
      { glob: "val-core/*/score/mean@*", on: "evaluation", tells: "score" },
      { glob: "val-core/*/reward/mean@*", on: "evaluation", tells: "reward" },
      { glob: "val/test_score/*", on: "evaluation", tells: "score" },
      { glob: "critic/score/mean", on: "training", tells: "score" },
      { glob: "critic/rewards/mean", on: "training", tells: "reward" },
    ],
  },
  detect: looksLikeVerl,
  fragment: (config) =>
    hidesBase(config) ||
    isTranslated(config) ||
    startsElsewhere(config) ||
    (config.variant.command === null &&
      !config.has("defaults") &&
      !(config.has("actor_rollout_ref.model.path") && config.has("data.train_batch_size"))),
  shipped: shippedByName,
  // Where observations or trajectories have a limit of their own, the response limit is that of one turn.
  cost: verlCost,
  responseScope: (config) =>
    config.has("data.max_obs_length") || config.has("data.max_trajectory_length") ? "turn" : "trajectory",
  lastPartialBatch: "dropped",
  fields: verlFields,
  trainFiles: verlTrainFiles,
  knobs: {
    duration: [
      { paths: ["trainer.total_training_steps"], counts: "steps" },
      { paths: ["rollout.total_rollout_steps"], counts: "prompts", when: isFullyAsync },
      { paths: ["rollout.total_epochs"], counts: "epochs", when: isFullyAsync },
      { paths: ["trainer.total_epochs"], counts: "epochs", when: (config) => !isFullyAsync(config) },
    ],
    groupSize: [
      { paths: OWN_GENERATORS, when: (config) => OWN_GENERATORS.some((path) => config.has(path)) },
      { paths: AGENT_COPIES, when: hasAgentCopies },
      { paths: ["rollout.n"], when: isTranslated },
      { paths: [`${ROLLOUT}.n`] },
    ],
    taskLimit: { paths: ["data.train_max_samples"] },
  },
  remainders: {
    environments:
      "environments are the tool and interaction configs and the `data_source` of the rows: add rows of other sources, or another tool config",
    trajectories: "set `trainer.total_epochs` on the command line: the file states no duration of its own",
  },
  rules: verlRules,
  groupSizeAlso: ["rollout.n"],
};

const MULTI_TURN = "examples/sglang_multiturn/config";

/** Base configs of verl's own examples, for scripts read without the repository around them. */
function shippedByName(config: Config) {
  const name = (config.textAt("--config-name") ?? "").replace(/\.ya?ml$/, "");
  const from = (file: string) => `${MULTI_TURN}/${file}.yaml`;
  const lengths = (tokens: number) => ({
    "data.max_prompt_length": { value: tokens, from: from(name) },
    "data.max_response_length": { value: tokens, from: from(name) },
    "data.train_batch_size": { value: 256, from: from(name) },
  });
  if (/^gsm8k_multiturn_grpo_w_interaction$/.test(name))
    return { ...lengths(1024), [`${TURNS}.max_user_turns`]: { value: 5, from: from(name) } };
  if (/^(gsm8k|retool)_multiturn(_megatron)?_grpo(_server)?$/.test(name))
    return { ...lengths(1024), [`${TURNS}.max_assistant_turns`]: { value: 5, from: from(name) } };
  if (/^geo3k_multiturn(_megatron)?_grpo$/.test(name))
    return { ...lengths(2048), [`${TURNS}.max_assistant_turns`]: { value: 5, from: from(name) } };
  if (/^search_multiturn_grpo(_one_step_off)?$/.test(name))
    return { ...lengths(1024), [`${TURNS}.max_assistant_turns`]: { value: 2, from: from(name) } };
  return {};
}
