import { unknown } from "../budget/budget";
import { entryOf } from "../syntax/nodes";
import type { MapEntry, MapNode, TreeNode } from "../syntax/tree";
import {
  because,
  byDefault,
  constant,
  first,
  groupHelp,
  number,
  over,
  rules,
  text,
  when,
  type Config,
  type Framework,
} from "./reading/read";

const BASE = "atroposlib/envs/base.py";
/** Models and servers of others: their rollouts can be written down, but nothing is trained. */
const HOSTED_URL = /^$|api\.openai\.com|openrouter\.ai|api\.anthropic\.com|googleapis\.com|\.x\.ai/;
const HOSTED_MODEL = /^(openai\/|google\/gemini|anthropic\/)?(gpt-[345]|gpt-4o|o[134](-|$)|claude|gemini)/i;
/** Environments that only evaluate are named so. */
const EVALUATION = /Eval|Benchmark|Bench|Arena|Judge?ment/;

/** Where the fields of the environment's config stand: under `env:`, at the top, or as flags. */
const at = (field: string): readonly string[] => [`env.${field}`, field, `--env.${field}`];

/** `env_config = BaseEnvConfig(group_size=…)` within `config_init`; what an environment serves with by default. */
function initCall(root: TreeNode): MapEntry | undefined {
  const calls = root.kind === "map" ? entryOf(root, "calls")?.value : undefined;
  return calls?.kind === "map"
    ? calls.entries.find(
        ({ value }) =>
          value.kind === "map" &&
          isInInit(value) &&
          entryOf(value, "group_size") !== undefined &&
          entryOf(value, "tokenizer_name") !== undefined,
      )
    : undefined;
}

/** The models of the servers that the environment asks, each as it is written. */
function servers(config: Config): readonly { readonly path: string; readonly map: MapNode }[] {
  const found: { path: string; map: MapNode }[] = [];
  const listed = config.peek("openai")?.node;
  if (listed?.kind === "map") found.push({ path: "openai.model_name", map: listed });
  if (listed?.kind === "list")
    listed.items.forEach((map, index) => map.kind === "map" && found.push({ path: `openai.${index}.model_name`, map }));
  const calls = config.syntax === "python" ? config.peek("calls")?.node : undefined;
  if (calls?.kind === "map")
    for (const { key, value } of calls.entries)
      if (/(APIServerConfig|ServerBaseline|OpenaiConfig)$/.test(key) && value.kind === "map" && isInInit(value))
        found.push({ path: `calls.${key}.model_name`, map: value });
  return found;
}

function isInInit(call: MapNode): boolean {
  const within = entryOf(call, "in")?.value;
  return within?.kind === "scalar" && /(^|\.)config_init$/.test(String(within.value));
}

function textIn(map: MapNode, key: string): string | undefined {
  const node = entryOf(map, key)?.value;
  return node?.kind === "scalar" ? String(node.value ?? "") : undefined;
}

function stated(config: Config, field: string): string | undefined {
  const texts = at(field).map((path) => config.textAt(path));
  const call = initCall(config.variant.root)?.value;
  return texts.find((value) => value !== undefined) ?? (call?.kind === "map" ? textIn(call, field) : undefined);
}
const own = (field: string) => number(at(field));
const group = first(own("group_size"), byDefault(4, BASE));

/** Environments that serve scored groups to a trainer: what the environment says of the run. */
export const atropos: Framework = {
  id: "atropos",
  name: "Atropos",
  docs: { url: "https://github.com/NousResearch/atropos", formats: ["YAML", "Python", "shell"] },
  signs: {
    words: {
      data: ["\\brollout_server_url\\b", "\\bmax_batches_offpolicy\\b"],
      shell: ["--env[.](group_size|rollout_server_url|total_steps|batch_size)"],
      python: ["\\batroposlib\\b"],
    },
    metrics: [
      { glob: "eval/percent_correct", on: "evaluation", tells: "success" },
      { glob: "train/percent_correct", on: "training", tells: "success" },
    ],
  },
  detect: (config) => {
    if (config.variant.command && !/_server|_env|environment/.test(config.variant.command.target ?? "")) return 0;
    if (isRolloutsOnly(config)) return 0;
    const size = stated(config, "group_size") !== undefined;
    const server =
      stated(config, "rollout_server_url") ?? stated(config, "max_batches_offpolicy") ?? initCall(config.variant.root);
    const length = stated(config, "batch_size") ?? stated(config, "total_steps");
    return size && server !== undefined && length !== undefined ? 0.85 : 0;
  },
  // What `config_init` makes is the `env` of a file.
  experiments: (variant) => {
    const call = initCall(variant.root);
    return call && variant.root.kind === "map"
      ? [{ ...variant, root: { ...variant.root, entries: [...variant.root.entries, { ...call, key: "env" }] } }]
      : [];
  },
  // The trainer registers a batch and a number of steps of its own where it has them.
  fragment: () => false,
  responseScope: () => null,
  fields: {
    model: {
      help: "The policy that the environment asks, and the trainer trains.",
      read: (config) => {
        const tokenizer = at("tokenizer_name");
        const asked = [
          ...servers(config).map(({ map }) => textIn(map, "model_name")),
          config.textAt("--openai.model_name"),
        ].filter((name) => name !== undefined && name !== "");
        const names = new Set([...asked, ...tokenizer.flatMap((path) => config.textAt(path) ?? [])]);
        if (names.size > 1) return unknown(`several models are named: ${[...names].join(", ")}`);
        return text([...tokenizer, ...servers(config).map(({ path }) => path), "--openai.model_name"])(config);
      },
    },
    promptsPerStep: {
      unit: "sequences per step",
      help: "`batch_size` counts **sequences** (rollouts): groups × `group_size`. A trainer that registers a batch of its own wins.",
      read: when(
        hasTrainer,
        because("the trainer of this script states its own batch"),
        over(own("batch_size"), group),
      ),
      otherwise: "the trainer registers its batch with the server",
    },
    groupSize: { unit: "rollouts per group", help: groupHelp("Rollouts that are scored together."), read: group },
    steps: {
      unit: "steps",
      help: "Steps that the environment serves; the trainer may end before.",
      read: when(hasTrainer, because("the trainer of this script states its own steps"), own("total_steps")),
      otherwise: "the trainer decides",
    },
    environments: {
      unit: "environments",
      help: "One environment; several may serve one trainer at once, each started by itself.",
      read: constant(1, "one environment"),
    },
    maxResponseTokens: {
      unit: "tokens",
      help: "Longest generation that the environment keeps.",
      read: own("max_token_length"),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns, where the environment has such a field.",
      read: own("max_turns"),
      otherwise: "the environment decides",
    },
    gpus: { unit: "GPUs", help: "The trainer's and the inference server's.", read: because("the trainer decides") },
    algorithm: { help: "The trainer's.", read: because("the trainer decides") },
  },
  knobs: {
    duration: [{ paths: ["env.total_steps", "total_steps", "--env.total_steps"], counts: "steps" }],
    groupSize: { paths: ["env.group_size", "group_size", "--env.group_size"] },
    batch: { paths: ["env.batch_size", "batch_size", "--env.batch_size"], counts: "rollouts" },
  },
  remainders: { environments: "each environment is a server of its own: start another one beside it" },
  rules: () => [rules.groupAtLeastTwo("rollouts of a group are compared: `group_size` must be at least 2")],
};

/** A script that starts the trainer too: that one decides. */
function hasTrainer(config: Config): boolean {
  return config.variant.command !== null && /--training[-_]steps/.test(config.text);
}

/** `process` and `evaluate` write rollouts down; a hosted model cannot be trained; an environment may only evaluate. */
function isRolloutsOnly(config: Config): boolean {
  if (EVALUATION.test(initCall(config.variant.root)?.key ?? "")) return true;
  const hosted = servers(config).some(
    ({ map }) => HOSTED_URL.test(textIn(map, "base_url") ?? "-") || HOSTED_MODEL.test(textIn(map, "model_name") ?? ""),
  );
  if (hosted || HOSTED_MODEL.test(stated(config, "tokenizer_name") ?? "")) return true;
  const saved = stated(config, "data_path_to_save_groups") ?? "";
  return stated(config, "group_size") === "1" && (saved !== "" || stated(config, "total_steps") === "1");
}
