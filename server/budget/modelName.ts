import { known, unknown, type Fact } from "./budget";

export interface ModelSize {
  readonly parameters: Fact<number>;
  /** Parameters used per token; for a dense model the same. */
  readonly activeParameters: Fact<number>;
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, t: 1e12 };
/** `8B`, `0.6b`, `1_7b`, `500M`, `8x7B`: between separators, so that neither `v2b3` nor `a3b` counts. */
const SIZE = /(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:[._]\d+)?)([kmbt])(?![a-z0-9])/gi;
/** `A3B`, `a22b`: the part that is active per token. */
const ACTIVE = /(?<![a-z])a(\d+(?:[._]\d+)?)([mb])(?![a-z0-9])/i;
/** `30BA3B`, `235b_a22b` and the like, where both stand without a separator. */
const JOINED = /(?<![a-z0-9.])(\d+(?:\.\d+)?)b[-_]?a(\d+(?:\.\d+)?)b?(?![a-z0-9])/i;

/** `17B-16E`: the size is what is active, out of so many experts. A learning rate as in `7b-1e-6` is not that. */
const EXPERTS = /(?<![a-z0-9.])(\d+(?:\.\d+)?)b-\d+e(?![a-z0-9]|-\d)/i;

/** Families that are mixtures of experts: their total is not what is used per token. */
const SPARSE =
  /moe|mixtral|gpt-?oss|deepseek-?(v[23]|r1(?!.*distill)|moe)|kimi-?k|minimax-?m|glm-?(4\.[5-9]|5)|llama-?4|dbrx|grok|jamba|moonlight|qwen3(\.\d)?(-\w+)*?-(30|35|80|122|235|397|480)b/i;

/**
 * Parameters from a model's name, as people write them: `Qwen3-8B`, `Qwen3-30B-A3B` (3e9 active), `qwen2.5-0.5b-sft`.
 * The last part of a path that has a size counts. A name without one is unknown: nothing is looked up or guessed.
 */
export function modelSize(name: string): ModelSize {
  for (const part of name.split(/[/\\]/).filter(Boolean).reverse()) {
    const size = sizeIn(part);
    if (size) return size;
  }
  return neither(`the name ${JSON.stringify(name)} states no size`);
}

function neither(reason: string): ModelSize {
  return { parameters: unknown(reason), activeParameters: unknown(reason) };
}

function sizeIn(part: string): ModelSize | undefined {
  const note = `from the name ${JSON.stringify(part)}`;
  const joined = JOINED.exec(part);
  if (joined) {
    return {
      parameters: known(count(joined[1], "b"), "derived", { note }),
      activeParameters: known(count(joined[2], "b"), "derived", { note }),
    };
  }
  const experts = EXPERTS.exec(part);
  if (experts)
    return {
      parameters: unknown(`${JSON.stringify(part)} names the active part and the experts, not the total`),
      activeParameters: known(count(experts[1], "b"), "derived", { note }),
    };
  const sizes = [...part.matchAll(SIZE)].filter((match) => !/k/i.test(match[3]));
  if (sizes.length === 0) return onlyActive(part, note);
  const [size] = sizes;
  // Experts times size is not the total, for the experts share the attention layers.
  if (size[1]) return neither(`${JSON.stringify(part)} is a mixture of experts whose total its name does not state`);
  if (sizes.some((other) => count(other[2], other[3]) !== count(size[2], size[3])))
    return neither(`${JSON.stringify(part)} states several sizes`);
  const parameters = count(size[2], size[3]);
  const active = ACTIVE.exec(part);
  return {
    parameters: known(parameters, "derived", { note }),
    activeParameters: active
      ? known(count(active[1], active[2]), "derived", { note })
      : SPARSE.test(part)
        ? unknown(`${JSON.stringify(part)} is a mixture of experts, and its name does not state the active part`)
        : known(parameters, "derived", { note: `${note}; no active part is named, so all are taken as active` }),
  };
}

/** `MoE-A2.7B` names what is active, and not the total. */
function onlyActive(part: string, note: string): ModelSize | undefined {
  const active = /moe/i.test(part) ? ACTIVE.exec(part) : null;
  return active
    ? {
        parameters: unknown(`${JSON.stringify(part)} names the active part, not the total`),
        activeParameters: known(count(active[1], active[2]), "derived", { note }),
      }
    : undefined;
}

function count(digits: string, unit: string): number {
  return Number((Number(digits.replace("_", ".")) * UNITS[unit.toLowerCase()]).toPrecision(12));
}

/** A path without the home folder in front, which says nothing about the model: `/root/Qwen3-4B` → `Qwen3-4B`. */
export function withoutHome(name: string): string {
  return name.replace(/^\/(root|home\/[^/]+|Users\/[^/]+)\/(?=.)/, "");
}

/** `ref_model_path`, `/path/to/your/model`, `<model>`: something to fill in. A name with a size is never one. */
export function isPlaceholder(name: string): boolean {
  if (/^[<‹].*[>›]$/.test(name.trim())) return true;
  if (isKnownSize(name)) return false;
  return (
    /^\{.*\}$|^\.{3}$|^x{3,}$|^todo$/i.test(name.trim()) ||
    /(^|[/_-])(your|my|ref|base|hf|local)?[-_]?(model|checkpoint|ckpt)[-_]?(path|dir|name|id)$/i.test(name) ||
    /^path[-_]to[-_]\w+$/i.test(name) ||
    (/(^|\/)path[-_/]to[-_/]/i.test(name) && /(model|checkpoint|ckpt|policy|weights)s?\/?$/i.test(name)) ||
    /your[-_ ]?(hf[-_ ]?)?(model|path|checkpoint|username|org)/i.test(name)
  );
}

function isKnownSize(name: string): boolean {
  return modelSize(name).parameters.value !== null;
}
