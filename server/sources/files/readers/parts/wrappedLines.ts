import { isStepLine, withoutColours } from "./consoleText";

/** A part of a record that goes on: `- critic/score/max:1.0 - perf/…`, or `4 - val-core/x/acc/mean@1:0.5`. */
const GOES_ON = /^\s*(?:-\s+)?[^\s:]*(?::\s*\S+)?\s+-(?:\s+\S+:|\s*$)|^\s*-\s+\S+:\S+\s*$/;
/** What is left of a number or a name where the record's last line was cut. */
const FRAGMENT = /^[\w.+@/-]{1,60}(?::\S{1,40})?\s*$/;
/** Another log line: a worker's, one with a time or level, a progress bar, a traceback. */
const ANOTHER = /^\(|^\[|^\d{4}-\d\d|^(?:INFO|WARNING|ERROR|DEBUG|Traceback|wandb:)|\d+%\||^\s*$|^\s*[{}]/;

const WIDEST = 400;

interface Held {
  text: string;
  /** Visible length of its last line as it stands in the file. */
  last: number;
  readonly number: number;
  ended: boolean;
}

/**
 * Joins the step records that a terminal broke at its width (a pasted screen, `script`, a log collector): a record ends where
 * the next begins. Lines that begin no step record pass through.
 */
export class WrappedLines {
  readonly #give: (line: string, number: number, ended: boolean) => void;
  #held: Held | undefined;
  /** The width at which lines were broken, once it is seen. */
  #width = 0;

  constructor(give: (line: string, number: number, ended: boolean) => void) {
    this.#give = give;
  }

  take(raw: string, number: number, ended: boolean): void {
    const held = this.#held;
    if (held) {
      const line = raw.length <= 2 * WIDEST ? withoutColours(raw) : raw;
      if (this.#continues(held, line)) {
        held.text = glued(held, line, this.#width);
        held.last = line.length;
        held.ended = ended;
        return;
      }
      this.end();
    }
    if (raw.length <= WIDEST && raw.includes("step:") && isStepLine(withoutColours(raw))) {
      const text = withoutColours(raw);
      this.#held = { text, last: text.length, number, ended };
    } else this.#give(raw, number, ended);
  }

  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#give(held.text, held.number, held.ended);
  }

  #continues({ last }: Held, line: string): boolean {
    if (last < 20 || line.length > WIDEST || isStepLine(line) || ANOTHER.test(line)) return false;
    // A record's lines but its last are full, or broken at a space before that.
    const isFull = this.#width > 0 && last >= this.#width - 1 && line.length <= this.#width;
    if (GOES_ON.test(line) && (this.#width === 0 || last > this.#width / 2)) {
      this.#width = Math.max(this.#width, last);
      return true;
    }
    if (isFull && FRAGMENT.test(line)) return true;
    // The first record of the file may be of two lines, of which the second is the end of a number.
    return this.#width === 0 && last >= 60 && /^[\d.e+-]{1,20}\s*$/.test(line);
  }
}

/** Two lines as one: cut anywhere, they belong together as they are; cut at a space, the space may be gone. */
function glued({ text, last }: Held, line: string, width: number): string {
  if (/\s$/.test(text) || /^\s/.test(line)) return text + line;
  if (text.endsWith(" -") || /^-\s/.test(line)) return `${text} ${line}`;
  return last >= width - 1 ? text + line : `${text} ${line}`;
}
