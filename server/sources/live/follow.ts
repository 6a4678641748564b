import type { CurvePoint, RunRow } from "../../core/table";
import type { Host } from "../../host";
import { type Ending, laterEnding, stateOf } from "../../runs/state";
import { told } from "./points";
import { Tail } from "./tail";

/** What a look at a followed run came to. */
export type Look = "same" | "changed" | "restarted";

/** Points that are kept of a curve: beyond it every second of the older half goes. */
const MOST_POINTS = 2000;

/**
 * A run that is on, kept up to date from what its log appends: the table's row with a longer curve, a later step and its
 * state. What a plain tail cannot follow is told as restarted, and is read again whole.
 */
export class FollowedRun {
  row: RunRow;
  readonly #tails: readonly Tail[];
  readonly #keys: readonly string[];
  readonly #scale: ((value: number) => number | undefined) | undefined;
  #ending: Ending | undefined;
  #modified = 0;
  #isFirst = true;

  private constructor(row: RunRow, tails: readonly Tail[]) {
    this.row = row;
    this.#tails = tails;
    this.#keys = row.metric?.keys ?? [];
    this.#scale = scaleOf(row.metric?.scale);
  }

  /** Undefined where the logs are none that can be read line by line. */
  static async of(row: RunRow, host: Host): Promise<FollowedRun | undefined> {
    const logs = row.files.filter((uri) => LINES.test(uri) && !/\.(gz|zst)$|\/run\.json$/i.test(uri));
    if (logs.length === 0 || (row.metric?.keys.length ?? 0) === 0 || scaleOf(row.metric?.scale) === undefined)
      return undefined;
    const tails: Tail[] = [];
    for (const uri of logs) {
      const about = await host.stat(uri);
      if (!about || about.kind !== "file") return undefined;
      tails.push(new Tail(host, uri, Math.max(0, about.size - CATCH_UP)));
    }
    return new FollowedRun(row, tails);
  }

  /** Bytes read of the logs. */
  get bytes(): number {
    return this.#tails.reduce((sum, tail) => sum + tail.bytes, 0);
  }

  /** @param now milliseconds since 1970 */
  async look(now: number): Promise<Look> {
    const points: CurvePoint[] = [];
    let last = this.row.steps;
    let isChanged = false;
    for (const tail of this.#tails) {
      const growth = await tail.look();
      if (growth.kind === "restarted") return "restarted";
      if (growth.kind === "same") continue;
      this.#modified = Math.max(this.#modified, growth.modified);
      for (const line of growth.lines) {
        const said = told(line, this.#keys);
        if (!said) continue;
        if (said.ending) {
          isChanged = true;
          this.#ending = laterEnding(this.#ending, said.ending);
        }
        if (said.step === undefined) continue;
        this.#ending = undefined;
        const measured = this.row.curve?.at(-1)?.step ?? -Infinity;
        if (this.#isFirst) {
          // What the whole reading has already.
          if (said.step <= measured) continue;
        } else if (said.step < measured) return "restarted";
        isChanged = true;
        last = Math.max(last ?? said.step, said.step);
        const rate = said.value === undefined ? undefined : this.#scale?.(said.value);
        if (rate !== undefined && rate >= 0 && rate <= 1) points.push({ step: said.step, rate });
      }
    }
    this.#isFirst = false;
    return this.#update(points, last, isChanged, now);
  }

  #update(points: readonly CurvePoint[], last: number | undefined, isChanged: boolean, now: number): Look {
    const { row } = this;
    const { state, reason } = stateOf(
      {
        ...(last !== undefined && { lastStep: last }),
        ...(row.plannedSteps !== undefined && { plannedSteps: row.plannedSteps }),
        modified: this.#modified > 0 ? this.#modified : now,
        ...(this.#ending && { ending: this.#ending }),
      },
      now,
    );
    if (!isChanged && state === row.state) return "same";
    const curve = merged(row.curve ?? [], points);
    const grown = row.steps !== undefined && row.steps > 0 && last !== undefined ? last / row.steps : 1;
    this.row = {
      ...row,
      curve,
      state,
      stateReason: reason,
      ...(last !== undefined && { steps: last }),
      // Rolled out so far, as a table's row has it: what the run will have at its end does not change.
      ...(row.axes.trajectories !== undefined && {
        axes: { ...row.axes, trajectories: row.axes.trajectories * grown },
      }),
      // Hours are measured where the whole log is read; between, they grow with the steps.
      ...(row.gpuHours !== undefined && { gpuHours: row.gpuHours * grown }),
    };
    return "changed";
  }
}

/** What may have been appended between the reading of the whole log and the first look, in bytes. */
const CATCH_UP = 64 * 1024;

/** Logs whose lines stand by themselves. */
const LINES = /\.(jsonl|ndjson|log|txt|out|err)(\.\d+)?$|\/(nohup|stdout|stderr|output|console|log)$/i;

/** How logged values become rates; undefined for a scale that is not known here. */
function scaleOf(scale: string | undefined): ((value: number) => number) | undefined {
  if (scale === undefined) return (value) => value;
  if (scale === "percent") return (value) => value / 100;
  if (scale === "plus-minus-one") return (value) => (value + 1) / 2;
  const top = /^0…([\d.]+)$/.exec(scale);
  return top ? (value) => value / Number(top[1]) : undefined;
}

function merged(curve: readonly CurvePoint[], points: readonly CurvePoint[]): readonly CurvePoint[] {
  if (points.length === 0) return curve;
  const all = [...curve];
  for (const point of points) {
    while (all.length > 0 && all[all.length - 1].step >= point.step) all.pop();
    all.push(point);
  }
  return all.length > MOST_POINTS ? all.filter((_, i) => i % 2 === 0 || i > all.length / 2) : all;
}
