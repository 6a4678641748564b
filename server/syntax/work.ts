/** What reading one document may cost in all, in small steps; a large launch script takes a tenth. */
const MOST_WORK = 600_000;

/**
 * The bound on what reading one document costs, whoever does it: compositions of bases, nodes that are copied, words and
 * characters that are made. A document can ask for any amount of work in a few lines; what is beyond the bound is left out and said.
 */
export class Work {
  #left: number;
  #exhausted = false;

  constructor(most = MOST_WORK) {
    this.#left = most;
  }

  /** Takes some of what is left; false where there is not so much, and from then on. */
  spend(amount = 1): boolean {
    if (!this.#exhausted && amount <= this.#left) {
      this.#left -= amount;
      return true;
    }
    this.#exhausted = true;
    return false;
  }

  /** Whether anything had to be left out. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  get left(): number {
    return this.#exhausted ? 0 : this.#left;
  }
}
