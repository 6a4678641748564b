import type { RunRow } from "../core/table";

/** What is longer is mostly a run's own. */
const LONGEST = 600;
const MOST = 5_000;

/** Parts that many rows have alike are held once: of a hundred thousand runs they would take most of the memory. */
export class SharedParts {
  readonly #held = new Map<string, unknown>();

  row(row: RunRow): RunRow {
    const { axes, levels, metric, stateReason, finalRule, timing } = row;
    return {
      ...row,
      axes: this.#of(axes),
      ...(levels && { levels: this.#of(levels) }),
      ...(metric && { metric: this.#of({ ...metric, keys: this.#of(metric.keys), reason: this.#of(metric.reason) }) }),
      ...(stateReason !== undefined && { stateReason: this.#of(stateReason) }),
      ...(finalRule !== undefined && { finalRule: this.#of(finalRule) }),
      ...(timing && { timing: this.#of(timing) }),
    };
  }

  #of<Part>(part: Part): Part {
    const key = JSON.stringify(part);
    if (key.length > LONGEST) return part;
    const held = this.#held.get(key);
    if (held !== undefined) return held as Part;
    if (this.#held.size < MOST) this.#held.set(key, part);
    return part;
  }
}
