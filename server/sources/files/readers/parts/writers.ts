import { inOneRun } from "../../../../runs/joined";
import type { RunMetrics } from "../../../../runs/series";
import type { ReadContext } from "../reader";
import { FlatRows } from "./flat";
import { type Ending, endingOf } from "../../../../runs/state";
import { unprefixed } from "./printedBlocks";

const MOST_WRITERS = 64;
const MOST_LINES = 300;
const LONGEST = 400;

/** What one process writes into a log. */
export interface Writer {
  readonly name: string;
  readonly rows: FlatRows;
  /** First and last line with a logged step, 1-based. */
  first: number;
  last: number;
  readonly steps: Set<number>;
}

/** `(TaskRunner pid=11, ip=10.0.0.1)`, `[pid 11]`, `pid=11:` at the beginning of a line; "" where no process is named. */
export function processOf(line: string): string {
  if (line.charCodeAt(0) > 64 && !line.startsWith("pid")) return "";
  const found = /^[^\w]{0,4}(?:[\w.:-]{0,60}\s+){0,3}?pid[ =:]+(\d+)(?:,\s*ip=([\w.:]+))?/.exec(line.slice(0, 200));
  return found ? `pid ${found[1]}${found[2] ? ` at ${found[2]}` : ""}` : "";
}

/** The processes of one log, told apart by what begins their lines. */
export class Writers {
  readonly #byName = new Map<string, Writer>();
  readonly #context: ReadContext;
  /** The latest lines without metrics, in a ring. */
  readonly #tail: { readonly text: string; readonly number: number }[] = [];
  #next = 0;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  of(name: string): Writer {
    const known = this.#byName.get(name) ?? (this.#byName.size >= MOST_WRITERS ? this.#byName.get("") : undefined);
    if (known) return known;
    const at = this.#byName.size >= MOST_WRITERS ? "" : name;
    const made = { name: at, rows: new FlatRows(this.#context), first: 0, last: 0, steps: new Set<number>() };
    this.#byName.set(at, made);
    return made;
  }

  get all(): readonly Writer[] {
    return [...this.#byName.values()];
  }

  logged(writer: Writer, step: number | undefined, line: number): void {
    writer.first ||= line;
    writer.last = line;
    if (step !== undefined && writer.steps.size < 10_000) writer.steps.add(step);
  }

  /** Rows without a step were no metrics of the run, where it logs its steps otherwise. */
  forgetStepless(): void {
    for (const { rows } of this.#byName.values()) rows.forgetStepless();
  }

  /**
   * The runs in the log. Processes that log the same steps at the same time are runs of their own; one that goes on where
   * another ended (a restart), or that logs beside it, belongs to the same run.
   */
  runs(): RunMetrics[] {
    const groups: Writer[][] = [];
    for (const writer of this.all.filter(({ first }) => first > 0).sort((a, b) => a.first - b.first)) {
      const group = groups.find((each) => !each.some((other) => areApart(other, writer)));
      if (group) group.push(writer);
      else groups.push([writer]);
    }
    return groups.flatMap((group) => {
      const runs = group.flatMap(({ rows }) => rows.runs);
      const whole = group.length > 1 && runs.length === group.length ? [inOneRun(runs, this.#context.wants)] : runs;
      const names = group.map(({ name }) => name);
      const last = Math.max(...group.map((writer) => writer.last));
      const ends = this.#endings(last, groups.length > 1 ? names : undefined);
      for (const run of whole) {
        if (groups.length > 1 && names[0] !== "") run.name ??= names[0];
        for (const ending of ends) run.end(ending);
      }
      return whole;
    });
  }

  /** A line that holds no metrics: the last of them say how a run ended. */
  told(line: string, number: number): void {
    const kept = { text: line.length > LONGEST ? line.slice(0, LONGEST) : line, number };
    if (this.#tail.length < MOST_LINES) this.#tail.push(kept);
    else this.#tail[this.#next] = kept;
    this.#next = (this.#next + 1) % MOST_LINES;
  }

  /** What the lines after the last step of some processes (undefined: of all) say. */
  #endings(after: number, processes: readonly string[] | undefined): Ending[] {
    const from = this.#tail.length < MOST_LINES ? 0 : this.#next;
    return [...this.#tail.slice(from), ...this.#tail.slice(0, from)].flatMap(({ text, number }) => {
      if (number <= after || (processes && !["", ...processes].includes(processOf(text)))) return [];
      const said = unprefixed(text);
      const ending = endingOf(said.text.trimStart(), number, said.writer);
      return ending ? [ending] : [];
    });
  }
}

function areApart(a: Writer, b: Writer): boolean {
  if (a.last < b.first || b.last < a.first) return false;
  let shared = 0;
  for (const step of b.steps) if (a.steps.has(step)) shared++;
  return shared >= Math.min(2, a.steps.size, b.steps.size) && shared > 0;
}
