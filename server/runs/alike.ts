/**
 * Finds names that differ from those asked for in their capitals only: spreadsheets and exporters write `Val/Success_Rate`.
 * A name that several of the present ones could stand for stands for none of them.
 */
export class AlikeNames {
  readonly #byLower = new Map<string, string | null>();

  constructor(present: Iterable<string>) {
    for (const name of present) {
      const lower = name.toLowerCase();
      this.#byLower.set(lower, this.#byLower.has(lower) ? null : name);
    }
  }

  /** The one present name that is this but for capitals. */
  of(name: string): string | undefined {
    return this.#byLower.get(name.toLowerCase()) ?? undefined;
  }

  /** Present names that no other is alike to. */
  get alone(): string[] {
    return [...this.#byLower.values()].filter((name) => name !== null);
  }
}
