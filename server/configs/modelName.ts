import { known, unknown, type Fact } from "./budget";

export interface ModelSize {
  readonly parameters: Fact<number>;
  /** Parameters used per token; for a dense model the same. */
  readonly activeParameters: Fact<number>;
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, t: 1e12 };
/** `8B`, `0.6b`, `1_7b`, `500m`; not part of a longer word and not a version such as `v0.2`. */
const SIZE = /(?:^|[-_/.\s])(?:(\d+)x)?(\d+(?:[._]\d+)?)([kmbt])(?=$|[-_/.\s])/gi;
const ACTIVE = /(?:^|[-_/.\s])a(\d+(?:[._]\d+)?)([mb])(?=$|[-_/.\s])/i;

/**
 * Parameters from a model's name, as people write them: `Qwen3-8B`, `Qwen3-30B-A3B` (3e9 active), `qwen2.5-0.5b-sft`.
 * The last directory that has a size counts. A name without one is unknown: nothing is looked up or guessed.
 */
export function modelSize(name: string): ModelSize {
  for (const part of name.split(/[/\\]/).filter(Boolean).reverse()) {
    const size = sizeIn(part);
    if (size) return size;
  }
  const reason = `the name ${JSON.stringify(name)} states no size`;
  return { parameters: unknown(reason), activeParameters: unknown(reason) };
}

function sizeIn(part: string): ModelSize | undefined {
  const active = ACTIVE.exec(part);
  // Experts times size (`8x7B`) is not the total, for the experts share the attention layers.
  const sizes = [...part.matchAll(SIZE)];
  const size = sizes[0];
  if (!size) return undefined;
  if (size[1]) {
    const reason = `${JSON.stringify(part)} is a mixture of experts whose total its name does not state`;
    return { parameters: unknown(reason), activeParameters: unknown(reason) };
  }
  const parameters = toNumber(size[2], size[3]);
  const note = `from the name ${JSON.stringify(part)}`;
  return {
    parameters: known(parameters, "derived", { note }),
    activeParameters: active
      ? known(toNumber(active[1], active[2]), "derived", { note })
      : known(parameters, "derived", { note: `${note}; no active part is named, so all are taken as active` }),
  };
}

function toNumber(digits: string, unit: string): number {
  return Number((Number(digits.replace("_", ".")) * UNITS[unit.toLowerCase()]).toPrecision(12));
}
