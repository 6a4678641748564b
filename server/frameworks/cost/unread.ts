import type { MapNode, TreeNode } from "../../syntax/tree";
import type { Config } from "../sheet/config";

/** Names of keys, by their last part, that move what a run takes; whatever no sheet asked for among them is told. */
const COSTLY: readonly RegExp[] = [
  // How a model is split, and how much goes through it at once.
  /(tensor|pipeline|context|sequence|expert|ulysses|ring_attn)\w*(parallel|size|degree)/,
  /^(tp|pp|cp|sp|ep)(_size)?$/,
  /micro_?batch|max_token_len|max_tokens_per_|tokens_per_gpu|dynamic_bsz|dynamic_batch|num_minibatches/,
  /packing|remove_padding|pack_length|padding_free/,
  // Memory that is paid for in time, and kernels.
  /offload|(gradient|activation)_checkpoint|recompute|zero_stage|deepspeed_stage|^liger|use_liger|torch_compile/,
  /load_in_[48]bit|quantization|fp8|kv_cache_dtype|attn_implementation|flash_attn/,
  // Engines.
  /gpu_memory_utilization|mem_fraction|max_num_seqs|max_num_batched_tokens|max_running_requests|enforce_eager/,
  /cuda_graph|chunked_prefill|prefix_cach|speculative|draft_model|sleep_mode|free_cache_engine/,
  // What comes beside training.
  /^(save|ckpt|checkpoint)\w*(freq|steps|interval|every|period)|^(save|ckpt)_(freq|interval)/,
  /^(eval|val|test|validation)\w*(freq|interval|steps|every|period|samples|batch_size|num_examples|_n|max_tokens)$/,
  // Environments, tools, judges, and rollouts that are thrown away.
  /(tool|env|sandbox|retriev|search|judge|reward)\w*(timeout|concurren|workers)/,
  /max_concurrent|max_tool_response|max_obs_length|num_env_workers|env_worker/,
  /over_?sampl|max_num_gen_batches|num_gen_batches|batch_multiplier/,
];
/** Pools of other models: what stands in them says that there is one. */
const OTHER_MODELS = /(^|[._-])(judge|teacher|distill\w*|genrm)\b.*(model|path|model_name)$/;
/** How the last part of their keys ends. */
const MODEL_END = /(model|path|model_name)$/i;
/** Longer names are no keys of a framework. */
const MOST_CHARACTERS = 200;
/** What was found of names: the same ones are asked for with every key that is pressed. */
const MOST_KNOWN = 20_000;
const known = new Map<string, boolean>();

function isCostly(name: string): boolean {
  if (name.length > MOST_CHARACTERS) return false;
  let costly = known.get(name);
  if (costly === undefined) {
    const key = name.toLowerCase().replaceAll("-", "_");
    costly = COSTLY.some((pattern) => pattern.test(key));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, costly);
  }
  return costly;
}

function isOtherModel(name: string, path: string): boolean {
  return MODEL_END.test(name) && path.length <= 3 * MOST_CHARACTERS && OTHER_MODELS.test(path.toLowerCase());
}

const OFF = /^(false|no|off|none|null|0|-1)?$/i;

/** Keys that are stated, cost time, and that nothing read. */
export function unreadCosts(config: Config): readonly string[] {
  const found: string[] = [];
  const look = (node: TreeNode, path: string, name: string, shown: string): void => {
    if (node.kind === "map") return walk(node, `${path}.`, `${shown}.`);
    if (!isCostly(name) && !isOtherModel(name, path)) return;
    if (config.asked.has(node) || (node.kind === "scalar" && OFF.test(String(node.value ?? "")))) return;
    found.push(shown);
  };
  const walk = (map: MapNode, path: string, shown: string): void => {
    // Of a key that stands twice the last one counts.
    for (const { key, value } of new Map(map.entries.map((entry) => [entry.key, entry])).values())
      look(value, path + key, lastPart(key), shown + key);
  };
  walk(config.variant.root, "", "");
  walk(config.variant.flags, "", "--");
  return [...new Set(found)];
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1).replace(/^\++/, "");
}
