import type { JsonObject } from "../../../../records/json";
import { STEP_COLUMNS } from "../../../../runs/columns";

/** tqdm's bar of the training itself: it has no name before it, as those of loading and sampling have. */
const BAR = /(?:^|\])\s*\d{1,3}%\|[^|]{0,300}\|\s*(\d+)\/(\d+) \[/g;

/** Rows that are held until the log's end; with more of them the order of the lines counts as steps. */
const MOST_HELD = 20_000;

/** A row that states no step. */
export interface SteplessRow {
  readonly values: JsonObject;
  readonly line: number;
  readonly writer: string;
}

/** What a trainer's progress bar says of the rows that it prints without their steps, as Hugging Face's trainers do. */
export class ProgressBar {
  #total: number | undefined;
  #at = 0;
  #held: (SteplessRow & { readonly at: number })[] = [];

  /** A line, or what stands between two carriage returns. The first bar is the training's: evaluations have theirs later. */
  see(line: string): void {
    if (!line.includes("%|")) return;
    for (const [, at, total] of line.matchAll(BAR)) {
      this.#total ??= Number(total);
      if (Number(total) === this.#total) this.#at = Number(at);
    }
  }

  /** Whether the row is held; it is not where there is no bar, and rows are given back where they are too many. */
  hold(row: SteplessRow): boolean {
    if (this.#total === undefined || this.#held.length >= MOST_HELD) return false;
    this.#held.push({ ...row, at: this.#at });
    return true;
  }

  /**
   * The rows that are held, each with the bar's step where that tells them apart, and what the bar plans then. Rows that came
   * together, since their output is buffered and the bar is not, are spread evenly over the steps since those before.
   */
  release(): Released {
    const rows = this.#held;
    this.#held = [];
    const steps = stepsOf(rows);
    if (!steps) return { rows, spread: 0 };
    return {
      rows: rows.map(({ at: _, values, ...row }, i) => ({ ...row, values: { ...values, step: steps[i] } })),
      planned: this.#total,
      reached: this.#at,
      spread: rows.filter(({ at }, i) => at !== steps[i]).length,
    };
  }
}

interface Released {
  readonly rows: readonly SteplessRow[];
  readonly planned?: number;
  readonly reached?: number;
  /** Rows whose step is not the bar's own. */
  readonly spread: number;
}

function stepsOf(rows: readonly { readonly values: JsonObject; readonly at: number }[]): number[] | undefined {
  if (rows.length === 0) return undefined;
  const steps: number[] = [];
  const kinds = new Map<string, number[]>();
  for (const [i, { values }] of rows.entries()) {
    const names = Object.keys(values);
    if (names.some((name) => (STEP_COLUMNS as readonly string[]).includes(name))) return undefined;
    const kind = names.join();
    const same = kinds.get(kind);
    if (same) same.push(i);
    else kinds.set(kind, [i]);
  }
  for (const kind of kinds.values()) {
    let before = 0;
    for (let from = 0; from < kind.length;) {
      const { at } = rows[kind[from]];
      let to = from;
      while (to < kind.length && rows[kind[to]].at === at) to++;
      if (at - before < to - from) return undefined;
      for (let k = from; k < to; k++)
        steps[kind[k]] = before + Math.round(((at - before) * (k - from + 1)) / (to - from));
      [before, from] = [at, to];
    }
  }
  return steps;
}
