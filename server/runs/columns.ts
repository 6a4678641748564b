import { KNOWN_AXES } from "../core/axes";
import { AlikeNames } from "./alike";
import type { JsonObject } from "../records/json";

/** Columns that describe a run and are no axis of a loss table. */
const DESCRIBING = new Set([
  "id",
  "run",
  "run_id",
  "run_name",
  "name",
  "experiment",
  "experiment_name",
  "table",
  "setting",
  "seed",
  "model",
  "algorithm",
  "domain",
  "reward_scheme",
  "reward_density",
  "successes",
  "trials",
  "success_rate",
  "loss",
  "step",
  "steps",
  "_step",
  "index",
]);

/** Names under which files say which run a row belongs to, the best first. */
export const RUN_COLUMNS = ["run", "run_id", "run_name", "Run", "Name", "experiment_name", "experiment"] as const;

/** Names under which files say the training step. */
export const STEP_COLUMNS = [
  "step",
  "_step",
  "Step",
  "global_step",
  "training/global_step",
  "trainer/global_step",
  "train/global_step",
  "training_step",
  "trainer/step",
  "iteration",
  "episode",
] as const;

const OUTCOMES = ["success_rate", "successes", "trials"] as const;

/** Columns that say something constant about a run. */
export const FACTS: readonly string[] = [
  "setting",
  "seed",
  "model",
  "algorithm",
  "domain",
  "reward_scheme",
  "reward_density",
  "tokens_per_trajectory",
  ...KNOWN_AXES.flatMap((axis) => [axis, `${axis}_real`, `${axis}_synthetic`, `${axis}_method`]),
];

const OURS: readonly string[] = [...FACTS, ...OUTCOMES, "loss", "compute", "tokens", "steps", "gpu_hours", "simulated"];

/** Our column names in a file that may call them otherwise. */
export class Columns {
  /** Ours to theirs, as the user says. */
  readonly #mapping: Readonly<Record<string, string>>;
  /** Ours to theirs, where they differ in capitals only. */
  readonly #alike: ReadonlyMap<string, string>;

  constructor(mapping: Readonly<Record<string, string>> = {}, alike: ReadonlyMap<string, string> = new Map()) {
    this.#mapping = mapping;
    this.#alike = alike;
  }

  /**
   * The same for a file with these columns: a column that it lacks may be there in other capitals.
   * @param looked our columns that are looked for, besides those that the user has mapped
   */
  within(present: ReadonlySet<string>, looked = OURS): Columns {
    const names = new AlikeNames(present);
    const mapped = new Set(Object.values(this.#mapping));
    const alike = new Map<string, string>();
    for (const ours of [...looked, ...Object.keys(this.#mapping)]) {
      const theirs = this.#mapping[ours] ?? ours;
      const near = present.has(theirs) ? undefined : names.of(theirs);
      // A column that the user gave a meaning has no other.
      if (near !== undefined && !mapped.has(near)) alike.set(ours, near);
    }
    return alike.size > 0 ? new Columns(this.#mapping, alike) : this;
  }

  /** The file's name of our column. */
  name(ours: string): string {
    return this.#alike.get(ours) ?? this.#mapping[ours] ?? ours;
  }

  /** Our name of a file's outcome column, or the name itself. */
  outcomeName(theirs: string): string {
    return OUTCOMES.find((ours) => this.name(ours) === theirs) ?? theirs;
  }

  get(record: JsonObject, ours: string): unknown {
    return record[this.name(ours)];
  }

  /** The first of several names that the file has, in the file's own terms. */
  first(present: ReadonlySet<string>, ours: string, names: readonly string[]): string | undefined {
    const mapped = this.name(ours);
    if (mapped !== ours && present.has(mapped)) return mapped;
    const exact = names.find((name) => present.has(name));
    if (exact !== undefined) return exact;
    const alike = new AlikeNames(present);
    return names.map((name) => alike.of(name)).find((name) => name !== undefined);
  }

  /** Whether the user has given columns of this file a meaning that makes a log of it: its metric, or its success rate and step. */
  isMapped(present: ReadonlySet<string>): boolean {
    const mapped = (ours: string) => this.#mapping[ours] !== undefined && present.has(this.#mapping[ours]);
    return mapped("metric") || (mapped("step") && mapped("success_rate"));
  }

  /** Whether any file may be a log by its columns alone. */
  get mapsLogs(): boolean {
    return (
      this.#mapping.metric !== undefined ||
      (this.#mapping.step !== undefined && this.#mapping.success_rate !== undefined)
    );
  }

  /**
   * Whether a file with these columns holds one finished run a row.
   * @param joined whether `facts` may give the axes that its columns do not
   */
  isTable(present: ReadonlySet<string>, joined = false): boolean {
    const columns = this.within(present);
    const has = (ours: string) => present.has(columns.name(ours));
    if (
      this.first(
        present,
        "step",
        STEP_COLUMNS.filter((name) => name !== "episode"),
      ) !== undefined
    )
      return false;
    if (has("loss") && !has("success_rate") && !has("successes")) return columns.axes(present, true).length > 0;
    const isOutcome = has("success_rate") || (has("successes") && has("trials"));
    return (
      isOutcome &&
      (columns.axes(present, false).length > 0 || (joined && this.first(present, "run", RUN_COLUMNS) !== undefined))
    );
  }

  /** Axis columns, as [our name, the file's name]. A loss table's axes are whatever else is numeric in it. */
  axes(present: ReadonlySet<string>, loss: boolean): [string, string][] {
    const found: [string, string][] = KNOWN_AXES.filter((axis) => present.has(this.name(axis))).map((axis) => [
      axis,
      this.name(axis),
    ]);
    // Compute alone is an axis of its own; beside the others it only follows from them.
    if (!loss)
      return found.length === 0 && present.has(this.name("compute")) ? [["compute", this.name("compute")]] : found;
    const taken = new Set(Object.values(this.#mapping));
    for (const name of present) {
      if (DESCRIBING.has(name.toLowerCase()) || taken.has(name) || found.some(([, theirs]) => theirs === name))
        continue;
      if (/_(real|synthetic|method)$/i.test(name)) continue;
      found.push([name, name]);
    }
    for (const [ours, theirs] of Object.entries(this.#mapping)) {
      if (!DESCRIBING.has(ours) && present.has(theirs) && !found.some(([axis]) => axis === ours))
        found.push([ours, theirs]);
    }
    return found;
  }
}
