import { type Ending, endingOf } from "../../../../runs/state";

const MOST_LINES = 300;
const LONGEST = 400;

/** The lines since the last logged step, the latest few hundred of them: they say how a run ended. */
export class Tail {
  readonly #lines: { readonly text: string; readonly number: number }[] = [];
  #next = 0;

  take(line: string, number: number): void {
    const kept = { text: line.length > LONGEST ? line.slice(0, LONGEST) : line, number };
    if (this.#lines.length < MOST_LINES) this.#lines.push(kept);
    else this.#lines[this.#next] = kept;
    this.#next = (this.#next + 1) % MOST_LINES;
  }

  clear(): void {
    this.#lines.length = 0;
    this.#next = 0;
  }

  /** What these lines say of the run's end, in their order. */
  endings(): Ending[] {
    const from = this.#lines.length < MOST_LINES ? 0 : this.#next;
    return [...this.#lines.slice(from), ...this.#lines.slice(0, from)].flatMap(({ text, number }) => {
      const ending = endingOf(text.trimStart(), number);
      return ending ? [ending] : [];
    });
  }
}
