import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChdb, startClickhouse, startPostgres, type Clickhouse, type Postgres } from "../../scripts/services.mjs";
import { createNodeHost, toUri } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { type MeasureOptions, measureRollouts } from "../../server/sources/read";
import { writeSqlite } from "./sqlite";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-rollouts-"));
let postgres: Postgres | null = null;
let clickhouse: Clickhouse | null = null;
let current: Clickhouse | null = null;

type Kind = "text" | "integer" | "number" | "boolean" | "list";
type Value = string | number | boolean | null | readonly (number | null)[];

/** A set of rollouts, as a file and every store holds it. */
interface Case {
  readonly columns: Readonly<Record<string, Kind>>;
  readonly rows: readonly Readonly<Record<string, Value>>[];
}

const ROLLOUTS = 2000;
const rows = (of: (i: number) => Readonly<Record<string, Value>>) => Array.from({ length: ROLLOUTS }, (_, i) => of(i));
const WORDS = ["mail", "calendar", "invoice", "playlist", "contact", "note", "photo", "ticket", "order", "budget"];
const LONG = "word".repeat(4750);
const words = (task: number) => [1, 3, 7, 11, 13].map((k) => WORDS[(task * k + (task >> (k % 4))) % 10]).join(" and ");

const CASES: Readonly<Record<string, Case>> = {
  texts: {
    columns: { prompt: "text", environment: "text", score: "number", step: "integer" },
    rows: rows((i) => ({
      // Some tasks differ in case and spacing alone, and some in a word of many.
      prompt: `${i % 3 === 0 ? "Find  the" : "find the"} ${words((i * 7) % 80)} of person ${(i * 7) % 80} ${Math.floor(i / 80) % 2 === 0 ? "today" : "today."}`,
      environment: `env${((i * 7) % 80) % 20}`,
      score: (i * i * 31 + i) % 7 < (i * 7) % 8 ? 1 : 0.25,
      step: Math.floor(i / 500),
    })),
  },
  ids: {
    columns: {
      task_id: "text",
      world: "text",
      env_id: "integer",
      success: "boolean",
      reward: "number",
      uid: "text",
      num_turns: "integer",
    },
    rows: rows((i) => ({
      task_id: `task-${(i * 13) % 300}`,
      world: `w${((i * 13) % 300) % 7}`,
      env_id: ((i * 13) % 300) % 11,
      success: i % 5 === 0 ? null : (i * 13) % 300 < 40 ? true : (i * i) % 3 === 0,
      reward: (i * i * 7) % 11 < 4 ? 1 : ((i * 17) % 10) / 10,
      uid: `g${Math.floor(i / 8)}`,
      num_turns: 1 + ((i * 13) % 9),
    })),
  },
  "values that are absent": {
    columns: { task_id: "text", environment: "text", reward: "number", step: "integer" },
    rows: rows((i) => ({
      task_id: i % 50 === 3 ? null : `t${i % 40}`,
      environment: i % 70 === 9 ? null : `e${i % 5}`,
      reward: i % 90 === 11 ? null : i % 2,
      step: i % 4,
    })),
  },
  // More text than travels: the store tells tasks apart, whatever their case.
  "long texts": {
    columns: { prompt: "text", task_id: "text", environment: "text", success: "boolean" },
    rows: rows((i) => ({
      prompt: `${i < 430 ? "Task" : "task"} ${i % 430}: ${LONG}`,
      task_id: `t${i % 430}`,
      environment: `e${i % 7}`,
      success: (i % 430) % 3 === 0,
    })).slice(0, 450),
  },
  "rewards by step": {
    columns: { task_id: "text", environment: "text", reward: "number", step: "integer", step_rewards: "list" },
    rows: rows((i) => ({
      task_id: `t${i % 40}`,
      environment: `e${i % 5}`,
      reward: i % 2,
      step: 1 + (i % 4),
      step_rewards: i % 10 === 0 ? [null, null, null] : i % 3 === 0 ? [null, 0.5, 0] : [0, i % 5, 0.25, 0],
    })),
  },
};

const TYPES = {
  sqlite: { text: "TEXT", integer: "INTEGER", number: "REAL", boolean: "INTEGER", list: "TEXT" },
  postgres: {
    text: "TEXT",
    integer: "BIGINT",
    number: "DOUBLE PRECISION",
    boolean: "BOOLEAN",
    list: "DOUBLE PRECISION[]",
  },
  clickhouse: {
    text: "String",
    integer: "Nullable(Int64)",
    number: "Nullable(Float64)",
    boolean: "Nullable(UInt8)",
    list: "Array(Nullable(Float64))",
  },
} as const;

/** A value as SQL, of every dialect. */
function sql(value: Value, dialect: keyof typeof TYPES, kind: Kind): string {
  if (value === null) return dialect === "clickhouse" && kind === "text" ? "''" : "NULL";
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "boolean") return dialect === "postgres" ? String(value) : String(Number(value));
  if (typeof value === "number") return String(value);
  if (dialect === "sqlite") return `'${JSON.stringify(value)}'`;
  const items = value.map((each) => each ?? "NULL").join(", ");
  return dialect === "postgres" ? `ARRAY[${items}]::double precision[]` : `[${items}]`;
}

function statements(table: string, { columns, rows }: Case, dialect: keyof typeof TYPES): string[] {
  const kinds = Object.entries(columns);
  const made = kinds.map(([name, kind]) => `${name} ${TYPES[dialect][kind]}`).join(", ");
  const values = rows.map((row) => `(${kinds.map(([name, kind]) => sql(row[name], dialect, kind)).join(", ")})`);
  return [
    `CREATE TABLE ${table} (${made})${dialect === "clickhouse" ? " ENGINE = MergeTree() ORDER BY tuple()" : ""}`,
    `INSERT INTO ${table} VALUES ${values.join(", ")}`,
  ];
}

const table = (name: string) => name.replaceAll(" ", "_");

beforeAll(async () => {
  [postgres, clickhouse, current] = await Promise.all([startPostgres(), startClickhouse(), startChdb()]);
  if (postgres) process.env.PGPASSWORD = postgres.password;
  const server = clickhouse ?? current;
  if (server) [process.env.CLICKHOUSE_USER, process.env.CLICKHOUSE_PASSWORD] = [server.user, server.password];
  for (const [name, one] of Object.entries(CASES)) {
    writeFileSync(join(top, `${table(name)}.jsonl`), one.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    writeSqlite(join(top, "rollouts.db"), statements(table(name), one, "sqlite"));
    await postgres?.run(statements(table(name), one, "postgres").join("; "));
    for (const each of [clickhouse, current])
      for (const statement of statements(table(name), one, "clickhouse")) await each?.run(statement);
  }
}, 120_000);
afterAll(async () => {
  await Promise.all([postgres?.stop(), clickhouse?.stop(), current?.stop()]);
  rmSync(top, { recursive: true, force: true });
}, 60_000);

/** All that is measured, but for where, and for what a store does not read. */
async function measured(uri: string, options: MeasureOptions) {
  const { files, notes, reasons, structures, neverSolved, alwaysSolved, ...rest } = await measureRollouts(
    createNodeHost(),
    [uri],
    { ...options, stores: storeQuery },
  );
  expect(files).toEqual([uri]);
  expect(structures).toBeNull();
  expect(notes.filter(({ severity }) => severity === "error")).toEqual([]);
  // Which of some tasks alike gives its name depends on the order of the rows, which a store need not have.
  const named = (task: string) => task.toLowerCase().replace(/\s+/g, " ").replace(/\.$/, "");
  const sorted = ({ tasks, environments }: typeof neverSolved) => [tasks.map(named).sort(), [...environments].sort()];
  // A table lacks a column where a row of a file lacks a value.
  const { structures: _, ...why } = reasons;
  const known = Object.entries(why).map(([what, reason]) => [
    what,
    reason.replace(/^\S+ has no column for /, "no rollout states "),
  ]);
  return {
    ...rest,
    reasons: Object.fromEntries(known) as unknown,
    never: sorted(neverSolved),
    always: sorted(alwaysSolved),
  };
}

const STORES: Readonly<Record<string, () => string | undefined>> = {
  SQLite: () => `sqlite:${pathToFileURL(join(top, "rollouts.db")).href}`,
  Postgres: () => postgres?.uri,
  "ClickHouse of 2018": () => clickhouse?.uri,
  "a current ClickHouse": () => current?.uri,
};

describe.each(Object.keys(STORES))("%s", (store) => {
  test.for([
    ...Object.keys(CASES).map((name) => [name, name === "long texts" ? "exact" : "char-tfidf"] as const),
    ["texts", "exact"] as const,
  ])("gives all that the file gives: %s, repeats by %s", async ([name, duplicates], { skip }) => {
    const uri = STORES[store]();
    if (uri === undefined) return skip(`Not here: ${store}; npm run services says why.`);
    const file = await measured(toUri(join(top, `${table(name)}.jsonl`)), { duplicates });
    const stored = await measured(`${uri}?rollouts=${table(name)}`, { duplicates });
    // Texts that are too many to travel are told apart in the store, which knows no templates.
    const travels = name !== "long texts";
    expect(stored).toEqual({
      ...file,
      templates: travels ? file.templates : null,
      duplicates: { ...file.duplicates, complete: travels },
    });
  });
});

test("the cases hold what they are for", async () => {
  const of = (name: string, options: MeasureOptions = {}) =>
    measured(toUri(join(top, `${table(name)}.jsonl`)), options);
  const [near, exact] = [await of("texts"), await of("texts", { duplicates: "exact" })];
  expect(near.tasks).toBeLessThan(exact.tasks ?? 0);
  expect((await of("ids")).rewardDensity).toBeGreaterThan(0);
  expect((await of("values that are absent")).tasks).toBeNull();
  expect((await of("rewards by step")).rewardDensity).toBeGreaterThan(0.3);
});

test("by the servers' own logs, nothing but SELECT was sent to them", async ({ skip }) => {
  if (!postgres || !clickhouse) return skip("no servers on this machine");
  const ofCurrent = current ? [await current.statements(current.user)] : [];
  for (const sent of [
    postgres.statements("scaling-lens"),
    await clickhouse.statements(clickhouse.user),
    ...ofCurrent,
  ]) {
    // Five tables, each asked for its columns, its figures and its texts.
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter((sql) => !sql.startsWith("SELECT "))).toEqual([]);
  }
});
