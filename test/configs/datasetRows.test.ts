import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../server/configs/read";
import { datasetRows } from "../../server/configs/datasetRows";
import { memoryHost } from "./memoryHost";

const data = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/configs/data/${name}`, import.meta.url)));
const count = (name: string, content: string | Uint8Array) =>
  datasetRows(memoryHost({ [`file:///w/${name}`]: content }), [{ places: [`file:///w/${name}`] }]);

describe("rows of a training file", () => {
  test("Parquet: rows from the footer, environments and repeated tasks from their columns", async () => {
    expect(await count("train.parquet", data("rows.parquet"))).toEqual({
      rows: 250,
      environments: 3,
      note: "250 rows in train.parquet, instances of 1 template: texts that differ in numbers alone, 3 environments by `data_source`",
    });
    expect(await count("train.parquet", data("repeated.parquet"))).toEqual({
      rows: 120,
      tasks: 40,
      environments: 1,
      note: "120 rows in train.parquet, 40 distinct tasks by `task_id`, 1 environment by `env_name`",
    });
  });

  test("a small file is read once, and again when it has changed", async () => {
    const content = data("rows.parquet");
    const host = memoryHost({ "file:///w/a.parquet": content });
    await datasetRows(host, [{ places: ["file:///w/a.parquet"] }]);
    const before = host.bytesRead;
    expect(before).toBe(content.length);
    await datasetRows(host, [{ places: ["file:///w/a.parquet"] }]);
    expect(host.bytesRead).toBe(before);
    host.modified = 2;
    await datasetRows(host, [{ places: ["file:///w/a.parquet"] }]);
    expect(host.bytesRead).toBe(before * 2);
  });

  test.each([
    ["a.jsonl", '{"x": 1}\n{"x": 2}\n\n{"x": 3}', 3],
    ["a.jsonl", "", 0],
    ["a.jsonl", "\n \n", 0],
    ["a.jsonl", '{"x": 1}\r\n{broken\r\n', 2],
    ["a.ndjson", "{}\n{}\n", 2],
    ["a.csv", 'prompt,answer\n"two\nlines",1\nb,2\n', 2],
    ["a.csv", "prompt\n", 0],
    ["a.csv", "", 0],
    ["a.tsv", "a\tb\n1\t2\n3\t4", 2],
    ["a.json", "[1, 2, {}]", 3],
  ])("%s %j has %d", async (name, content, rows) => {
    expect((await count(name, content))?.rows).toBe(rows);
  });

  test("environments and tasks of text files", async () => {
    const lines = Array.from({ length: 20 }, (_, i) => JSON.stringify({ env_id: `e${i % 4}`, task_id: i % 10 })).join(
      "\n",
    );
    expect(await count("a.jsonl", lines)).toMatchObject({ rows: 20, environments: 4, tasks: 10 });
    expect(await count("a.csv", "env,task_id\nx,1\ny,2\nx,3\n")).toEqual({
      rows: 3,
      environments: 2,
      note: "3 rows in a.csv, 2 environments by `env`, effectively 1.8 by their share of the rows",
    });
    expect(await count("a.jsonl", '{"task_id": 1}\n{"other": 1}\n')).toEqual({ rows: 2, note: "2 rows in a.jsonl" });
  });

  test.each([
    ["a.parquet", "not parquet"],
    ["a.parquet", ""],
    ["a.json", '{"an": "object"}'],
    ["a.json", "[1,"],
    ["a.txt", "x\n"],
    ["a", "x"],
  ])("%s that is %j is not counted", async (name, content) => {
    expect(await count(name, content)).toBeUndefined();
  });

  test("a damaged Parquet file gives rows or nothing, never an exception", async () => {
    const whole = data("repeated.parquet");
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const damaged = cut ? whole.slice(0, at) : whole.slice();
        if (!cut) damaged[at] = byte;
        const rows = await count("a.parquet", damaged);
        expect(rows === undefined || Number.isInteger(rows.rows)).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  test("an absent file is not counted", async () => {
    expect(await datasetRows(memoryHost({}), [{ places: ["file:///w/none.parquet"] }])).toBeUndefined();
  });
});

describe("a config whose training file is in the workspace", () => {
  const config = (files: string) =>
    `data:\n  train_files: ${files}\n  train_batch_size: 10\n  max_prompt_length: 100\n  max_response_length: 100\nactor_rollout_ref:\n  model: { path: Qwen/Qwen3-8B }\n  rollout: { n: 4, name: vllm }\n  actor: { ppo_mini_batch_size: 10 }\nalgorithm: { adv_estimator: grpo }\ntrainer: { total_epochs: 2, nnodes: 1, n_gpus_per_node: 8 }\n`;
  const read = (files: string) => {
    const host = memoryHost({
      "file:///w/data/train.parquet": data("rows.parquet"),
      "file:///w/data/again.parquet": data("repeated.parquet"),
      "file:///w/data/more.jsonl": "{}\n{}\n",
    });
    return readConfig({
      uri: "file:///w/configs/deep/run.yaml",
      text: config(files),
      readText: async () => undefined,
      datasetRows: (files) => datasetRows(host, files),
    });
  };

  test("gets its tasks, steps and rollouts from the rows", async () => {
    const [budget] = (await read("data/train.parquet")).experiments;
    expect(budget.axes.tasks).toMatchObject({ value: 250, source: "dataset" });
    expect(budget.axes.environments).toMatchObject({ value: 3, source: "dataset" });
    expect(budget.steps).toMatchObject({ value: 50 });
    expect(budget.axes.trajectories).toMatchObject({ value: 8 });
  });

  test("rows that repeat their task are not new tasks", async () => {
    const [budget] = (await read("data/again.parquet")).experiments;
    expect(budget.axes.tasks).toMatchObject({ value: 40, source: "dataset" });
    expect(budget.steps).toMatchObject({ value: 24 });
    expect(budget.axes.trajectories).toMatchObject({ value: 24 });
  });

  test("several files are added up; one that is missing makes the whole unknown", async () => {
    expect((await read("['data/train.parquet', 'data/more.jsonl']")).experiments[0].axes.tasks).toMatchObject({
      value: 252,
    });
    expect((await read("['data/train.parquet', 'data/none.parquet']")).experiments[0].axes.tasks.value).toBeNull();
  });
});
