/** A small store of what was worked out, by what it rests on; what was not asked for longest goes first. */
export class Memo {
  readonly #kept = new Map<string, unknown>();
  readonly #most: number;

  constructor(most = 4000) {
    this.#most = most;
  }

  get<Value>(key: string, work: () => Value): Value {
    if (this.#kept.has(key)) {
      const known = this.#kept.get(key) as Value;
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
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
