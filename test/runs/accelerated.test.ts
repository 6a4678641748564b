import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildDuckdbChild, hasDuckdb } from "../../scripts/native.mjs";
import { createDuckdbAccelerator } from "../../server/node/duckdb";
import { createNodeHost, toUri } from "../../server/node/host";
import { readRuns, type RunOptions, type TableAccelerator } from "../../server/sources/read";
import { lyingHost } from "./lyingHost";

const folder = join(import.meta.dirname, "../results/duckdb");
if (hasDuckdb) await buildDuckdbChild(join(folder, "duckdb.js"));
/** Writes what a query gives as a Parquet file. */
const parquet = (query: string) => async (path: string) => {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
};

const runsOfProperty = Number(process.env.ACCELERATED_RUNS ?? 150);

/** Values as they stand in a JSON file. */
const usual = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("0", "1", "0.1", "1e-3", "0.30000000000000004", "5e-324", "0.1234567890123456789"),
  },
);
const strange = fc.constantFrom(
  "null",
  '""',
  "true",
  '"0.5"',
  '"high"',
  "-0",
  "1e400",
  "NaN",
  "nan",
  "[0.5]",
  '{"x":1}',
  '"nan"',
  '" 0.5 "',
  '"1e-1"',
  "9007199254740993",
  "0.5,",
);
const runNames = fc.constantFrom(
  '"a"',
  '"b"',
  "1",
  "2",
  '"é"',
  '"\\u00e9"',
  '"run 1"',
  '"a\\nb"',
  '"2024-01-01"',
  '"9b2f0d3e-1111-4222-8333-123456789abc"',
  '"A"',
);
const strangeNames = fc.constantFrom(
  "1.0",
  "1.5",
  "1e3",
  "true",
  "null",
  '""',
  "12345678901234567890",
  '"007"',
  '"1.0"',
  '"true"',
  "[1]",
  '"\\ud800"',
  '" a"',
  "-0",
  '"NaN"',
  "1e21",
);
const facts = fc.constantFrom(
  '"tasks":100',
  '"tasks":200',
  '"tasks":1e2',
  '"seed":1',
  '"seed":1.0',
  '"seed":"x"',
  '"seed":true',
  '"seed":null',
  '"seed":""',
  '"model":"Qwen3-8B"',
  '"setting":3',
  '"environments":8.50',
  '"seed":12345678901234567890',
  '"trials":100',
  '"setting":{"a":1}',
);
const metrics = fc.constantFrom(
  "val/success_rate",
  "eval/accuracy",
  "val-core/A/acc/mean@1",
  "val-core/B/acc/mean@1",
  "val-core/C/acc/mean@1",
  "critic/score/mean",
  "successes",
  "Val/Success_Rate",
  "loss",
  "__proto__",
  "toString",
);
const extra = fc.constantFrom(
  '"pad":"x"',
  '"Step":7',
  '"STEP":3',
  '"note":"a \\"b\\" {c}"',
  '"run_id":"z"',
  '"t":1.5',
  '"list":[1,2]',
  '"nested":{"a":{"b":2}}',
  '"bad":nan',
  '"pad":"\\u0041"',
);
const whole = fc.constantFrom(
  "",
  " ",
  "null",
  "{}",
  "5",
  "not json",
  "[1]",
  '{"step":1}',
  '{"run":"a"}',
  '{"step":1,"val/success_rate":0.5',
  '{"event":"start"}',
  '{"run":"crashed","step":1,"critic/score/mean":0.5}',
  '\ufeff{"step":2}',
  '{"step":3,"metrics":{"val/success_rate":0.25}}',
  '{"step":"4","run":"a","val/success_rate":"0.5"}',
  '{"run":"a","step":5,"val":{"success_rate":0.75}}',
);

interface Row {
  readonly run: string | undefined;
  readonly step: string | undefined;
  readonly values: readonly (readonly [string, string])[];
  readonly facts: readonly string[];
  readonly extra: readonly string[];
  readonly order: number;
}

const row = (dirt: number): fc.Arbitrary<Row> => {
  const seldom = <T>(often: fc.Arbitrary<T>, rarely: fc.Arbitrary<T>): fc.Arbitrary<T> =>
    fc.oneof({ weight: Math.max(1, 200 - 40 * dirt), arbitrary: often }, { weight: dirt, arbitrary: rarely });
  return fc.record({
    run: seldom<string | undefined>(runNames, fc.option(strangeNames, { nil: undefined })),
    step: seldom<string | undefined>(
      fc.constant("next"),
      fc.option(fc.constantFrom("3", "2.5", '"4"', "null", '"x"', "1e1", "-1", "0", "true", '""'), { nil: undefined }),
    ),
    values: fc.array(fc.tuple(metrics, seldom(usual, strange)), { maxLength: 3 }),
    facts: fc.array(facts, { maxLength: dirt > 0 ? 2 : 0 }),
    extra: seldom<string[]>(fc.constant([]), fc.array(extra, { maxLength: 2 })),
    order: fc.nat(5),
  });
};

const plainer = (row: Row): Row => ({
  ...row,
  values: row.values
    .map(([key, value]) => [/^[cs]/.test(key) ? "critic/score/mean" : "val/success_rate", value] as const)
    .slice(0, 1),
  facts: [],
  extra: [],
});

/** A run's steps begin at 0, as they do in logs: by the first of them a run is seen that never comes to an evaluation. */
function linesOf(rows: readonly Row[], hasRun: boolean): string[] {
  const steps = new Map<string, number>();
  return rows.map((row) => {
    const key = hasRun ? (row.run ?? "") : "";
    const at = steps.get(key) ?? 0;
    steps.set(key, at + 1);
    return line(at === 0 && row.step !== undefined ? { ...row, step: "next" } : row, at, hasRun);
  });
}

function line({ run, step, values, facts: own, extra: more, order }: Row, at: number, hasRun: boolean): string {
  const parts = [
    ...(hasRun && run !== undefined ? [`"run":${run}`] : []),
    ...(step === undefined ? [] : [`"step":${step === "next" ? at : step}`]),
    ...values.map(([key, value]) => `"${key}":${value}`),
    ...own,
    ...more,
  ];
  const turned = [
    ...parts.slice(order % Math.max(1, parts.length)),
    ...parts.slice(0, order % Math.max(1, parts.length)),
  ];
  return `{${(order === 5 ? turned : parts).join(",")}}`;
}

const file = fc.record({
  rows: fc.constantFrom(0, 0, 1, 3).chain((dirt) => fc.array(row(dirt), { minLength: 1, maxLength: 30 })),
  hasRun: fc.boolean(),
  inserted: fc.array(fc.tuple(fc.nat(40), whole), { maxLength: 1 }),
  end: fc.constantFrom("\n", "\n", "\n", "\r\n", ""),
  mark: fc.constantFrom("", "", "", "", "\ufeff"),
  seen: fc.constantFrom(Infinity, Infinity, 400),
  options: fc.constantFrom<RunOptions>(
    {},
    {},
    { metric: "critic/score/mean" },
    { metric: "val*" },
    { columns: { run: "run_id" } },
    { columns: { success_rate: "eval/accuracy", step: "t" } },
    { metric: "*" },
  ),
});

describe.skipIf(!hasDuckdb)(
  "large files, plainly and through DuckDB (skipped where the optional package is not installed)",
  () => {
    const real = createDuckdbAccelerator({ folder, cores: 8 }) as TableAccelerator;
    let top: string;
    beforeAll(() => {
      top = mkdtempSync(join(tmpdir(), "scaling-lens-"));
    });
    afterAll(() => rmSync(top, { recursive: true, force: true }));

    /** How both read a file; `scans` counts those that the accelerator gave to their end. */
    async function both(
      name: string,
      content: string | ((path: string) => Promise<void>),
      options: RunOptions = {},
      seen = Infinity,
    ) {
      const path = join(top, name);
      mkdirSync(dirname(path), { recursive: true });
      if (typeof content === "string") writeFileSync(path, content);
      else await content(path);
      utimesSync(path, 1, 1);
      const host = lyingHost(createNodeHost(), seen);
      let scans = 0;
      const accelerator: TableAccelerator = {
        ...real,
        async *scan(request) {
          yield* real.scan(request);
          scans++;
        },
      };
      const plain = await readRuns(host, [toUri(path)], options);
      expect(await readRuns(host, [toUri(path)], { ...options, accelerator })).toEqual(plain);
      return { ...plain, scans };
    }

    const steps = (count: number, row: (step: number) => string | undefined) =>
      `${Array.from({ length: count }, (_, step) => row(step))
        .filter((text) => text !== undefined)
        .join("\n")}\n`;
    const clean = (rate: number) =>
      steps(5, (step) => `{"run":"a","tasks":100,"step":${step},"val/success_rate":${rate}}`);

    it("are the file that is named, not one that its name stands for as a pattern", async () => {
      await both("log1.jsonl", clean(0.1));
      for (const name of ["log[1].jsonl", "log?.jsonl", "l*.jsonl", "[ab]/it's [x].jsonl"]) {
        const { rows, scans } = await both(name, clean(0.9));
        expect([rows[0].outcome, scans]).toEqual([{ kind: "rate", rate: 0.9 }, 1]);
      }
    });

    it("take no column from the names of folders", async () => {
      const { rows, scans } = await both("step=7/tasks=999/run=z/log.jsonl", clean(0.5));
      expect([rows[0].axes, rows[0].steps, scans]).toEqual([{ tasks: 100 }, 4, 1]);
      await both("step=7/log.csv", `run,step,val/success_rate\n${steps(5, (step) => `a,${step},0.5`)}`);
      await both(
        "step=7/log.parquet",
        parquet(`SELECT 'a' AS run, i::DOUBLE AS step, 0.5::DOUBLE AS "val/success_rate" FROM range(5) r(i)`),
      );
    });

    it("tell columns apart by their capitals, and lines that begin as comments do from those", async () => {
      await both(
        "capitals.csv",
        `Step,step,run,val/success_rate\n${steps(5, (step) => `${100 - step},${step},a,0.5`)}`,
      );
      await both("marks.csv", `run,step,val/success_rate\n${steps(200, (step) => `#${step % 3},${step},0.5`)}`);
      await both("marks.csv", `# made by hand\nrun,step,val/success_rate\n${steps(200, (step) => `a,${step},0.5`)}`);
    });

    it("hold the runs that never came to an evaluation", async () => {
      const { notes } = await both(
        "crashed.jsonl",
        `${clean(0.5)}{"run":"b","step":0,"loss":1}\n{"run":"b","step":1,"loss":1}\n`,
      );
      expect(notes.map(({ code, message }) => `${code} ${message}`)).toContainEqual(
        expect.stringMatching(/^run.no-success-metric crashed.jsonl#b/),
      );
    });

    it("have the evaluations that no sample of the file meets, and not the training rollouts instead", async () => {
      const text = steps(
        2000,
        (step) =>
          `{"run":"a","step":${step},"critic/score/mean":0.9${step === 1500 ? ',"val/success_rate":0.25' : ""}}`,
      );
      const { rows, notes } = await both("rare.jsonl", text, {}, 4000);
      expect(rows[0].outcome).toEqual({ kind: "rate", rate: 0.25 });
      expect(notes.map(({ code }) => code)).not.toContain("run.training-reward");
    });

    it("name the line where a log goes back", async () => {
      const { notes } = await both(
        "restart.jsonl",
        clean(0.5) + steps(4, (step) => `{"run":"a","tasks":100,"step":${step + 2},"val/success_rate":0.75}`),
      );
      expect(notes).toContainEqual(expect.objectContaining({ code: "log.restart", line: 6 }));
    });

    it("write names as they are: 1 for 1.0, and none for true", async () => {
      for (const seed of ["3.0", "1e3", "true", "12345678901234567890", '"007"', '{"a":1}']) {
        await both(
          "names.jsonl",
          steps(5, (step) => `{"run":"a","seed":${step === 0 ? seed : 3},"step":${step},"val/success_rate":0.5}`),
        );
        await both(
          "names.jsonl",
          steps(5, (step) => `{"exp":${seed},"step":${step},"val/success_rate":0.5}`),
          { columns: { run: "exp" } },
        );
      }
    });

    it("give the same of Parquet's kinds of columns", async () => {
      const kinds = [
        "i::INTEGER",
        "i::BIGINT + 9007199254740993",
        "i::DECIMAL(9,2)",
        "i::FLOAT",
        "i::DOUBLE",
        "make_timestamp(i)",
        "DATE '2024-01-01' + i::INTEGER",
        "i % 2 = 0",
        "uuid()",
        "i::VARCHAR",
        "'e' || i::VARCHAR",
        "i::UTINYINT",
        "[i]",
        "{'a': i}",
        "i::HUGEINT",
        "'b'::BLOB",
        "(i % 3)::VARCHAR::ENUM('0','1','2')",
        "NULL::INTEGER",
        "TIME '12:00:00'",
      ];
      for (const kind of kinds) {
        await both(
          "kinds.parquet",
          parquet(`SELECT ${kind} AS run, i AS step, 0.5::DOUBLE AS "val/success_rate" FROM range(8) r(i)`),
        );
        await both(
          "kinds.parquet",
          parquet(
            `SELECT 'a' AS run, ${kind} AS seed, ${kind} AS tasks, i AS step, i::FLOAT / 10 AS "val/success_rate" FROM range(8) r(i)`,
          ),
        );
        await both(
          "kinds.parquet",
          parquet(
            `SELECT 'a' AS run, ${kind} AS step, i / 10 AS "val/success_rate", ${kind} AS trials FROM range(8) r(i)`,
          ),
        );
      }
    }, 180_000);

    it("begin with headings, or come to a step or a run late", async () => {
      const heading = `{"event":"start","version":3}\n`;
      expect((await both("late/metrics.jsonl", heading + clean(0.5))).notes).toEqual([]);
      expect((await both("late/metrics.jsonl", heading.repeat(80) + clean(0.5))).rows[0]).toMatchObject({
        axes: { tasks: 100 },
        steps: 4,
      });
      const early = await both("late/metrics.jsonl", `{"val/success_rate":0.9}\n`.repeat(3) + clean(0.5));
      expect(early.rows.map(({ outcome }) => outcome)).toEqual([{ kind: "rate", rate: 0.5 }]);
      expect(early.notes).toContainEqual(expect.objectContaining({ code: "log.no-step", line: 1 }));
      const late = await both(
        "late/metrics.jsonl",
        steps(3, (step) => `{"step":${step},"loss":1}`) + clean(0.5) + clean(0.75).replaceAll('"a"', '"b"'),
      );
      expect(late.rows.map(({ id }) => id)).toEqual(["metrics.jsonl#a", "metrics.jsonl#b"]);
    });

    it("give the same table and the same notes, whatever stands in them", async () => {
      let given = 0;
      let number = 0;
      const accelerator: TableAccelerator = {
        ...real,
        async *scan(request) {
          yield* real.scan(request);
          given++;
        },
      };
      await fc.assert(
        fc.asyncProperty(file, async ({ rows, hasRun, inserted, end, mark, seen, options }) => {
          // What is seen of columns decides: beyond the samples stand evaluations, and no other columns than before.
          const lines = linesOf(seen === Infinity ? rows : rows.map(plainer), hasRun);
          const asked = seen === Infinity ? options : {};
          if (seen === Infinity) for (const [at, text] of inserted) lines.splice(at % (lines.length + 1), 0, text);
          const path = join(top, `metrics-${number++}.jsonl`);
          writeFileSync(path, mark + lines.join(end === "" ? "\n" : end) + end);
          utimesSync(path, 1, 1);
          const host = lyingHost(createNodeHost(), seen);
          const plain = await readRuns(host, [toUri(path)], asked);
          const fast = await readRuns(host, [toUri(path)], { ...asked, accelerator });
          rmSync(path);
          expect(fast).toEqual(plain);
        }),
        {
          numRuns: runsOfProperty,
          ...(process.env.ACCELERATED_SEED && { seed: Number(process.env.ACCELERATED_SEED) }),
        },
      );
      expect(given).toBeGreaterThan(runsOfProperty / 20);
    }, 120_000);

    it("give the same of CSV, whatever stands in its cells", async () => {
      const seldom = (often: fc.Arbitrary<string>, ...rarely: string[]) =>
        fc.oneof({ weight: 60, arbitrary: often }, { weight: 1, arbitrary: fc.constantFrom(...rarely) });
      const cells = fc.record({
        run: seldom(
          fc.constantFrom("a", "b", "1.0", "true", "2024-01-01", "é", '"x, y"', '"q""r"', '"two\nlines"', "#c"),
          "",
          " a",
          "NULL",
          '"a" b',
          'a"b',
          '"a',
        ),
        value: seldom(
          fc.double({ min: 0, max: 1, noNaN: true }).map(String),
          "",
          " 0.5 ",
          "nan",
          "n/a",
          "1e400",
          "true",
          "0,5",
          '"0.5"',
          "1_0",
          "+0.5",
          ".5",
          "0x1",
          "50%",
        ),
        seed: seldom(fc.constantFrom("1", "1.0", "x"), "", " ", "NULL"),
        more: seldom(fc.constant(""), ",9", "\n", "\r"),
      });
      const table = fc.record({
        rows: fc.array(cells, { minLength: 1, maxLength: 20 }),
        end: fc.constantFrom("\n", "\n", "\r\n"),
        mark: fc.constantFrom("", "", "\ufeff"),
        last: fc.boolean(),
        header: fc.constantFrom(
          "run,step,val/success_rate,seed",
          "run,step,val/success_rate,seed",
          "Run,Step,Val/Success_Rate,Seed",
          "run,step,val/success_rate,Step",
          '"run","step","val/success_rate","se,ed"',
          "run, step ,val/success_rate,seed",
          "run,step,critic/score/mean,tasks",
        ),
      });
      let given = 0;
      let number = 0;
      const accelerator: TableAccelerator = {
        ...real,
        async *scan(request) {
          yield* real.scan(request);
          given++;
        },
      };
      await fc.assert(
        fc.asyncProperty(table, async ({ rows, end, mark, last, header }) => {
          const steps = new Map<string, number>();
          const lines = rows.map(({ run, value, seed, more }) => {
            const at = steps.get(run) ?? 0;
            steps.set(run, at + 1);
            return `${run},${at},${value},${seed}${more}`;
          });
          const path = join(top, `metrics-${number++}.csv`);
          writeFileSync(path, mark + [header, ...lines].join(end) + (last ? end : ""));
          utimesSync(path, 1, 1);
          const host = lyingHost(createNodeHost());
          const plain = await readRuns(host, [toUri(path)]);
          const fast = await readRuns(host, [toUri(path)], { accelerator });
          rmSync(path);
          expect(fast).toEqual(plain);
        }),
        { numRuns: runsOfProperty },
      );
      expect(given).toBeGreaterThan(runsOfProperty / 20);
    }, 120_000);
  },
);
