/** A small store of what was worked out, by what it rests on; the oldest go first. */
export class Memo {
  readonly #kept = new Map<string, unknown>();
  readonly #most: number;

  constructor(most = 4000) {
    this.#most = most;
  }

  get<Value>(key: string, work: () => Value): Value {
    if (this.#kept.has(key)) return this.#kept.get(key) as Value;
    const value = work();
    if (this.#kept.size >= this.#most)
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    this.#kept.set(key, value);
    return value;
  }
}
