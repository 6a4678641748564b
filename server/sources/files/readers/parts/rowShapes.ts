import { factColumn } from "../../../../runs/logFacts";
import type { JsonObject } from "../../../../records/json";
import type { ReadContext } from "../reader";

/** What the keys of a row mean. */
export interface RowShape {
  readonly keys: readonly string[];
  /** Keys that may hold a number wanted of a run. */
  readonly metrics: readonly string[];
  /** Keys that say something constant about the run. */
  readonly facts: readonly string[];
}

/** A log has a few shapes (a training step, an evaluation); one of ever new keys must not fill the memory. */
const MOST_SHAPES = 16;
const MOST_KEYS = 20_000;
/** To read rows of ever new names takes ten times as long as others: a log of so many more is given up. */
const MOST_BEYOND = 100_000;
const NO_MEANING = { metric: false, fact: false };

/** Rows of the same keys mean the same: a log of millions of rows is thought about a few times. */
export class RowShapes {
  readonly #known: RowShape[] = [];
  readonly #keys = new Map<string, { readonly metric: boolean; readonly fact: boolean }>();
  #beyond = 0;
  readonly #context: Pick<ReadContext, "wants" | "columns">;

  constructor(context: Pick<ReadContext, "wants" | "columns">) {
    this.#context = context;
  }

  /** Whether the log's names have no end. */
  get isEndless(): boolean {
    return this.#beyond > MOST_BEYOND;
  }

  of(row: JsonObject): RowShape {
    const keys = Object.keys(row);
    for (const shape of this.#known) if (sameNames(shape.keys, keys)) return shape;
    const shape: RowShape & { metrics: string[]; facts: string[] } = { keys, metrics: [], facts: [] };
    for (const key of keys) {
      const { metric, fact } = this.#meaning(key);
      if (metric) shape.metrics.push(key);
      if (fact) shape.facts.push(key);
    }
    if (this.#known.length < MOST_SHAPES) this.#known.push(shape);
    return shape;
  }

  /** Shapes may be without number — keys that come and go — where keys are few. */
  #meaning(key: string): { readonly metric: boolean; readonly fact: boolean } {
    const known = this.#keys.get(key);
    if (known) return known;
    // A log of more names than that makes them up as it goes; what they mean is not asked.
    if (this.#keys.size >= MOST_KEYS) {
      this.#beyond++;
      return NO_MEANING;
    }
    const meaning = { metric: this.#context.wants(key) !== undefined, fact: factColumn(key, this.#context.columns) };
    this.#keys.set(key, meaning);
    return meaning;
  }
}

export function sameNames(known: readonly string[], keys: readonly string[]): boolean {
  if (known.length !== keys.length) return false;
  for (let i = 0; i < keys.length; i++) if (known[i] !== keys[i]) return false;
  return true;
}
