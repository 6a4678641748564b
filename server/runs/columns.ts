import { KNOWN_AXES } from "../core/axes";
import type { JsonObject } from "./json";

/** Columns that describe a run and are no axis of a loss table. */
const DESCRIBING = new Set([
  "id", "run", "run_id", "run_name", "name", "experiment", "experiment_name", "table",
  "setting", "seed", "model", "algorithm", "domain", "reward_scheme", "reward_density",
  "successes", "trials", "success_rate", "loss", "step", "steps", "_step", "index",
]);

/** Names under which files say which run a row belongs to, the best first. */
export const RUN_COLUMNS = ["run", "run_id", "run_name", "Run", "Name", "experiment_name", "experiment"] as const;

/** Names under which files say the training step. */
export const STEP_COLUMNS = ["step", "_step", "Step", "global_step", "training/global_step", "trainer/global_step", "train/global_step", "training_step", "trainer/step", "iteration", "episode"] as const;

const OUTCOMES = ["success_rate", "successes", "trials"] as const;

/** Our column names in a file that may call them otherwise. */
export class Columns {
  readonly #mapping: Readonly<Record<string, string>>;

  constructor(mapping: Readonly<Record<string, string>> = {}) {
    this.#mapping = mapping;
  }

  /** The file's name of our column. */
  name(ours: string): string {
    return this.#mapping[ours] ?? ours;
  }

  /** Our name of a file's outcome column, or the name itself. */
  outcomeName(theirs: string): string {
    return OUTCOMES.find((ours) => this.#mapping[ours] === theirs) ?? theirs;
  }

  get(record: JsonObject, ours: string): unknown {
    return record[this.name(ours)];
  }

  /** The first of several names that the file has, in the file's own terms. */
  first(present: ReadonlySet<string>, ours: string, names: readonly string[]): string | undefined {
    const mapped = this.#mapping[ours];
    if (mapped !== undefined && present.has(mapped)) return mapped;
    return names.find((name) => present.has(name));
  }

  /** Whether a file with these columns holds one finished run a row. */
  isTable(present: ReadonlySet<string>): boolean {
    const has = (ours: string) => present.has(this.name(ours));
    if (STEP_COLUMNS.some((name) => present.has(name) && name !== "episode")) return false;
    if (has("loss") && !has("success_rate") && !has("successes")) return this.axes(present, true).length > 0;
    return (has("success_rate") || (has("successes") && has("trials"))) && this.axes(present, false).length > 0;
  }

  /** Axis columns, as [our name, the file's name]. A loss table's axes are whatever else is numeric in it. */
  axes(present: ReadonlySet<string>, loss: boolean): [string, string][] {
    const found: [string, string][] = KNOWN_AXES.filter((axis) => present.has(this.name(axis))).map((axis) => [axis, this.name(axis)]);
    // Compute alone is an axis of its own; beside the others it only follows from them.
    if (!loss) return found.length === 0 && present.has(this.name("compute")) ? [["compute", this.name("compute")]] : found;
    const taken = new Set(Object.values(this.#mapping));
    for (const name of present) {
      if (DESCRIBING.has(name) || taken.has(name) || found.some(([, theirs]) => theirs === name)) continue;
      if (/_(real|synthetic|method)$/.test(name)) continue;
      found.push([name, name]);
    }
    for (const [ours, theirs] of Object.entries(this.#mapping)) {
      if (!DESCRIBING.has(ours) && present.has(theirs) && !found.some(([axis]) => axis === ours)) found.push([ours, theirs]);
    }
    return found;
  }
}
