import { ROLLOUT_NAMES, type RolloutField } from "../../rollouts/fields";
import { isTextType } from "./numbers";
import { tableName } from "./sql";
import type { StorePlace } from "./store";

/** What tells tasks without an id apart: their text, a signature of it, or one of it whatever its case and spacing. */
type TaskKey = "text" | "signature" | "normalised";

/** Texts of tasks beyond this many characters count by their beginning. */
const LONGEST_TEXT = 20_000;

interface Asked {
  readonly columns?: Readonly<Record<string, string>>;
  readonly solvedAt: number;
}

/**
 * What the statements of one measure are made of: the same text for every engine but for what its dialect states. Expressions are
 * null where the table has no column for them. An absent value is NULL, or an empty text.
 */
export class Expressions {
  readonly from: string;
  /** What tells tasks apart: the id, else the text by the key that was asked for (which comes before the id where it is normalised). */
  readonly task: string | null;
  readonly taskText: string | null;
  readonly taskId: string | null;
  readonly environment: string | null;
  readonly world: string | null;
  /** A number; NULL where it is absent or not finite. */
  readonly reward: string | null;
  /** 1 or 0; NULL where neither success nor reward is stated. */
  readonly solved: string | null;
  readonly group: string | null;
  readonly step: string | null;
  /** Steps in the environment, and those of them that carry a graded reward; NULL where they are not stated. */
  readonly turns: string | null;
  readonly graded: string | null;
  /** Columns that make the structure of an environment. */
  readonly structures: readonly string[];

  /**
   * @param there types of the table's columns by their names
   * @param key texts and their signatures are for tasks that are compared later
   */
  constructor(
    table: string,
    there: ReadonlyMap<string, string>,
    { dialect }: StorePlace,
    { columns = {}, solvedAt }: Asked,
    key: TaskKey = "signature",
  ) {
    const find = (field: RolloutField): { id: string; type: string } | null => {
      const name = columns[field] ?? ROLLOUT_NAMES[field].find((one) => there.has(one));
      return name === undefined || !there.has(name) ? null : { id: dialect.id(name), type: there.get(name) ?? "" };
    };
    const label = (field: RolloutField) => {
      const found = find(field);
      if (!found) return null;
      if (/^jsonb?$/i.test(found.type)) return `CAST(${found.id} AS text)`;
      return isTextType(found.type) ? `NULLIF(${found.id}, '')` : found.id;
    };
    const number = (field: RolloutField) => {
      const found = find(field);
      if (!found) return null;
      const value = isTextType(found.type) ? dialect.number(found.id) : found.id;
      return `CASE WHEN ${dialect.finite(value)} THEN ${value} END`;
    };
    this.from = tableName(dialect, table);
    this.taskId = label("task_id");
    const text = label("task");
    this.taskText = text && `SUBSTR(${text}, 1, ${LONGEST_TEXT})`;
    const words = this.taskText !== null && key === "normalised" ? dialect.normalised(this.taskText) : this.taskText;
    const byText = words !== null && key !== "text" ? dialect.signature(words) : words;
    this.task = key === "normalised" ? (byText ?? this.taskId) : (this.taskId ?? byText);
    [this.environment, this.world, this.group] = [label("environment"), label("world"), label("group")];
    this.reward = number("reward");
    this.step = number("step");
    const success = find("success");
    const truth = success && `CASE ${said(success.id, success.type, dialect.name)} END`;
    const byReward =
      this.reward && `CASE WHEN ${this.reward} >= ${solvedAt} THEN 1 WHEN ${this.reward} < ${solvedAt} THEN 0 END`;
    this.solved = truth && byReward ? `COALESCE(${truth}, ${byReward})` : (truth ?? byReward);
    const lists = find("rewards");
    const rewards = lists && dialect.steps(lists.id, lists.type, this.reward);
    const turns = number("turns");
    const stated = turns && `CASE WHEN ${turns} > 0 THEN ${turns} END`;
    this.turns = stated && rewards ? `COALESCE(${stated}, ${rewards.count})` : (stated ?? rewards?.count ?? null);
    const once = this.reward && `CASE WHEN ${this.reward} IS NOT NULL THEN 1 END`;
    this.graded = rewards ? `COALESCE(${rewards.graded}, ${once ?? "NULL"})` : once;
    this.structures = (["tools", "state", "verifier"] as const).flatMap((field) => find(field)?.id ?? []);
  }

  /** What an environment is told by. */
  get place(): string[] {
    const { world, environment } = this;
    if (world === null || environment === null) return [world, environment].filter((one) => one !== null);
    return [world, `CASE WHEN ${world} IS NULL THEN ${environment} END`];
  }

  /** What the signal of a group is read from. */
  get value(): string | null {
    return this.reward && this.solved ? `COALESCE(${this.reward}, ${this.solved})` : (this.reward ?? this.solved);
  }
}

/** Whether a rollout succeeded, as a column of booleans, of 0 and 1 or of texts says it. */
function said(id: string, type: string, dialect: string): string {
  if (dialect === "postgres" && /^bool/i.test(type)) return `${id} WHEN TRUE THEN 1 WHEN FALSE THEN 0`;
  if (isTextType(type) || dialect === "sqlite")
    return `LOWER(${dialect === "sqlite" ? `CAST(${id} AS TEXT)` : id}) WHEN '1' THEN 1 WHEN 'true' THEN 1 WHEN '0' THEN 0 WHEN 'false' THEN 0${dialect === "sqlite" ? " WHEN '1.0' THEN 1 WHEN '0.0' THEN 0" : ""}`;
  return `WHEN ${id} = 1 THEN 1 WHEN ${id} = 0 THEN 0`;
}
