import { appendFileSync } from "node:fs";

/** Processor time in ms: whatever else the machine does, `npm run fuzz` holds to two seconds. */
export const HANG = Number(process.env.SCALING_LENS_FUZZ_HANG ?? 5_000);
/** Another seed is another fifty thousand. */
export const SEED = Number(process.env.SCALING_LENS_FUZZ_SEED ?? 20261128);
export const MOST_GROWTH = 300e6;

/** What a long run adds to memory, and a line on each thousand inputs where `SCALING_LENS_FUZZ_LOG` names a file. */
export class Growth {
  #first: number | undefined;
  #last = 0;
  #most = 0;
  #spent = 0;

  constructor(private readonly name: string) {}

  after(index: number, took: number): void {
    this.#most = Math.max(this.#most, took);
    this.#spent += took;
    if (index % 100 !== 99) return;
    this.#last = process.memoryUsage().rss;
    // The first inputs load what all of them need.
    this.#first ??= this.#last;
    const file = process.env.SCALING_LENS_FUZZ_LOG;
    if (file && index % 500 === 499)
      appendFileSync(
        file,
        `${this.name} ${index + 1}: ${(this.#spent / 1000).toFixed(0)} s CPU, the slowest ${this.#most.toFixed(0)} ms, ${(this.bytes / 1e6).toFixed(0)} MB more than at first\n`,
      );
  }

  /** Above what was resident after the first hundred. */
  get bytes(): number {
    return this.#last - (this.#first ?? this.#last);
  }
}
