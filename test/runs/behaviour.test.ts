import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../server/configs/read";
import { createNodeHost, toUri } from "../../server/node/host";
import { measureRollouts, readRuns, replicates, type ConfigReader, type RunCache } from "../../server/sources/read";
import { memoryHost, type MemoryHost } from "./memoryHost";

const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const curve = (top: number, key = "success_rate") =>
  jsonl([10, 20, 30, 40].map((step, i) => ({ step, [key]: Number(((top * (i + 1)) / 4).toFixed(4)) })));

function configsOf(host: MemoryHost): ConfigReader {
  return async (uri, text) => {
    const bytes = await host.readFile(uri);
    const content = text ?? (bytes && new TextDecoder().decode(bytes));
    return content === undefined
      ? undefined
      : readConfig({ uri: text === undefined ? uri : `${uri}.json`, text: content, readText: async () => undefined });
  };
}

describe("a run's value", () => {
  const host = memoryHost({
    "a/run.json": `{"axes":{"tasks":100},"evaluation":{"tasks":50}}`,
    "a/metrics.jsonl": jsonl(
      [
        [10, 0.2],
        [20, 0.5],
        [30, 0.3],
        [40, 0.4],
      ].map(([step, success_rate]) => ({ step, success_rate })),
    ),
  });

  it.each([
    ["last3", 0.4],
    ["last", 0.4],
    ["last2", 0.35],
    ["best", 0.5],
  ] as const)("%s", async (final, rate) => {
    const { rows } = await readRuns(host, [host.uri("a")], { final });
    expect(rows[0].finalRule).toBe(final);
    expect(rows[0].outcome).toMatchObject({ kind: "rate", trials: 50 });
    expect(rows[0].outcome.kind === "rate" && rows[0].outcome.rate).toBeCloseTo(rate, 12);
  });

  it("says when there are fewer evaluations than the rule asks for, and that the best one flatters", async () => {
    const { rows } = await readRuns(host, [host.uri("a")], { final: "last9" });
    expect(rows[0].finalRule).toMatch(/^last4 \(of last9/);
    const { notes } = await readRuns(host, [host.uri("a")], { final: "best" });
    expect(notes.map(({ code }) => code)).toContain("run.best-is-biased");
  });

  it("is not taken from the evaluation before the training where the training itself was logged", async () => {
    const before = memoryHost({
      "a/metrics.jsonl": jsonl([
        { step: 0, "val-core/x/acc/mean@1": 0.9 },
        ...[1, 2, 3].map((step) => ({ step, "critic/score/mean": 0.3 })),
      ]),
    });
    const { rows, notes } = await readRuns(before, [before.uri("a")]);
    expect(rows[0].outcome).toMatchObject({ rate: expect.closeTo(0.3, 12) as number });
    expect(notes.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["run.metric-refused", "run.training-reward"]),
    );
  });
});

describe("the success metric", () => {
  it("is the framework's own, the mean over datasets, and never best-of-N", async () => {
    const host = memoryHost({
      "a/metrics.jsonl": jsonl(
        [1, 2, 3].map((step) => ({
          step,
          "val-core/math/acc/mean@1": 0.1,
          "val-core/math/acc/mean@8": 0.2,
          "val-core/code/acc/mean@8": 0.6,
          "val-core/math/acc/best@8/mean": 0.9,
          "critic/score/mean": 0.8,
        })),
      ),
    });
    const { rows, notes } = await readRuns(host, [host.uri("a")]);
    expect(rows[0].outcome).toMatchObject({ rate: expect.closeTo(0.4, 12) as number });
    expect(notes.find(({ code }) => code === "run.metric-mean")?.message).toContain("mean@8");
  });

  it("can be named, with a glob", async () => {
    const host = memoryHost({
      "a/metrics.jsonl": jsonl([1, 2, 3].map((step) => ({ step, success_rate: 0.1, "my/own/rate": 0.7 }))),
    });
    const { rows } = await readRuns(host, [host.uri("a")], { metric: "my/*/rate" });
    expect(rows[0].outcome).toMatchObject({ rate: expect.closeTo(0.7, 12) as number });
    const none = await readRuns(host, [host.uri("a")], { metric: "nothing" });
    expect(none.rows).toEqual([]);
    expect(none.notes[0]).toMatchObject({
      code: "run.no-success-metric",
      message: expect.stringContaining("my/own/rate") as string,
    });
  });

  it("is followed under its new name where the names change in the middle", async () => {
    const host = memoryHost({
      "a/metrics.jsonl": jsonl(
        [1, 2, 3, 4, 5, 6, 7, 8].map((step) =>
          step < 4 ? { step, "val-core/x/acc/mean@1": 0.1 } : { step, "val/test_score/x": 0.4 },
        ),
      ),
    });
    const { rows, notes } = await readRuns(host, [host.uri("a")]);
    expect(rows[0].outcome).toMatchObject({ rate: expect.closeTo(0.4, 12) as number });
    expect(notes.find(({ code }) => code === "run.metric-refused")?.message).toMatch(/names of the metrics change/);
  });

  it("is refused outside [0, 1]", async () => {
    const host = memoryHost({ "a/metrics.jsonl": jsonl([1, 2].map((step) => ({ step, success_rate: 161.5 }))) });
    const { rows, notes } = await readRuns(host, [host.uri("a")]);
    expect(rows).toEqual([]);
    expect(notes.map(({ code }) => code)).toContain("run.metric-refused");
  });
});

describe("discovery", () => {
  const verl =
    "data:\n  train_batch_size: 64\n  train_files: x.parquet\nactor_rollout_ref:\n  model:\n    path: Qwen/Qwen3-8B\n  rollout:\n    n: 8\nalgorithm:\n  adv_estimator: grpo\ntrainer:\n  total_epochs: 1\n  total_training_steps: 100\n";

  it("reads the axes of mixed frameworks from the configs beside their logs", async () => {
    const host = memoryHost({
      "runs/verl/.hydra/config.yaml": verl,
      "runs/verl/train.log":
        "step:10 - critic/score/mean:0.2 - val-core/x/acc/mean@1:0.4\nstep:20 - critic/score/mean:0.3 - val-core/x/acc/mean@1:0.5\n",
      "runs/own/run.json": `{"axes":{"tasks":300,"environments":6,"trajectories":16},"model":"Qwen3-8B","algorithm":"grpo","seed":3}`,
      "runs/own/metrics.csv": "step,successes,trials\n10,30,100\n20,40,100\n30,50,100\n",
      "runs/native/plan.budget.yaml":
        "model: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget:\n  tasks: 200\n  environments: 4\n  trajectories: 8\n",
      "runs/native/metrics.jsonl": curve(0.6),
    });
    const { rows, notes } = await readRuns(host, [host.uri("runs")], { config: configsOf(host) });
    expect(rows.map(({ id }) => id)).toEqual(["native", "own", "verl"]);
    expect(rows[0].axes).toMatchObject({ tasks: 200, environments: 4, trajectories: 8 });
    expect(rows[1]).toMatchObject({
      axes: { tasks: 300, environments: 6, trajectories: 16 },
      seed: "3",
      setting: "Qwen3 · grpo",
    });
    expect(rows[2].axes).toMatchObject({ parameters: 8e9, environments: 1 });
    expect(rows[2].model).toContain("Qwen3-8B");
    expect(notes.filter(({ severity }) => severity !== "information")).toEqual([]);
  });

  it("lets scaling.yaml's facts fill what the run leaves open, and not replace what it states", async () => {
    const host = memoryHost({ "runs/a/run.json": `{"axes":{"tasks":300}}`, "runs/a/metrics.jsonl": curve(0.6) });
    const { rows } = await readRuns(host, [host.uri("runs")], {
      facts: () => ({ axes: { tasks: 1, environments: 9 }, domain: "web", model: undefined }),
    });
    expect(rows[0]).toMatchObject({ axes: { tasks: 300, environments: 9 }, domain: "web" });
  });

  it("keeps several logs of a folder apart by their names, with the config of the same name", async () => {
    const host = memoryHost({
      "runs/a.jsonl": curve(0.4, "val/success_rate"),
      "runs/b.jsonl": curve(0.8, "val/success_rate"),
      "runs/b.yaml": verl,
    });
    const { rows } = await readRuns(host, [host.uri("runs")], { config: configsOf(host) });
    expect(rows.map(({ id }) => id)).toEqual(["a.jsonl", "b.jsonl"]);
    expect(rows[1].axes).toMatchObject({ parameters: 8e9 });
    expect(rows[0].axes).toEqual({});
  });

  it("counts a run once that both W&B and a console log recorded", async () => {
    const folder = "test/fixtures/runs/wandb/wandb/offline-run-20260101_120000-abc123";
    const host = memoryHost({
      "exp/wandb/offline-run-20260101_120000-abc123/run-abc123.wandb": new Uint8Array(
        readFileSync(join(folder, "run-abc123.wandb")),
      ),
      "exp/train.log": "step:10 - critic/score/mean:0.2\n",
    });
    const { rows, notes } = await readRuns(host, [host.uri("exp")]);
    expect(rows).toHaveLength(1);
    expect(notes.map(({ code }) => code)).toContain("run.other-logs");
  });

  it("reads a W&B folder's wrapped config in the framework's own shape", async () => {
    const folder = "test/fixtures/runs/wandb-folder/run-20260101_120000-abc123/files";
    const wrapped = `_wandb:\n  value: {}\n${verl.replace(/^(\w+):\n((?: {2}.*\n)+)/gm, (_, key: string, body: string) => `${key}:\n  value:\n${body.replace(/^/gm, "  ").trimEnd()}\n`)}`;
    const host = memoryHost({
      "run-20260101_120000-abc123/files/config.yaml": wrapped,
      "run-20260101_120000-abc123/files/wandb-summary.json": readFileSync(join(folder, "wandb-summary.json"), "utf8"),
    });
    const { rows } = await readRuns(
      host,
      [host.uri("run-20260101_120000-abc123").replace(/\/run-.*/, "/run-20260101_120000-abc123")],
      { config: configsOf(host) },
    );
    expect(rows[0].axes).toMatchObject({ parameters: 8e9 });
  });

  it("maps the columns of tables and logs", async () => {
    const host = memoryHost({
      "t.csv": "n_prompts,acc,who\n100,0.5,x\n200,0.6,y\n",
      "m/metrics.csv": "step,acc,n_prompts\n1,0.5,100\n2,0.7,100\n",
    });
    const columns = { tasks: "n_prompts", success_rate: "acc" };
    expect(
      (await readRuns(host, [host.uri("t.csv")], { columns })).rows.map(({ axes, outcome }) => [axes.tasks, outcome]),
    ).toEqual([
      [100, { kind: "rate", rate: 0.5 }],
      [200, { kind: "rate", rate: 0.6 }],
    ]);
    expect((await readRuns(host, [host.uri("m")], { columns })).rows[0]).toMatchObject({
      axes: { tasks: 100 },
      outcome: { rate: expect.closeTo(0.6, 12) as number },
    });
  });

  it("finds the launch script beside the folder that it fills, and the configs beside a log that is named by itself", async () => {
    const host = memoryHost({
      "runs/exp1/train.log": "step:1 - val/success_rate:0.4\n",
      "runs/exp1.yaml": verl,
      "other/metrics.jsonl": curve(0.4),
      "other/run.json": `{"axes":{"tasks":77}}`,
    });
    expect((await readRuns(host, [host.uri("runs")], { config: configsOf(host) })).rows[0].axes).toMatchObject({
      parameters: 8e9,
    });
    expect((await readRuns(host, [host.uri("other/metrics.jsonl")])).rows[0].axes).toEqual({ tasks: 77 });
  });

  it("has each run once, though sources overlap, and groups seeds", async () => {
    const host = memoryHost({
      "runs/a/run.json": `{"axes":{"tasks":10},"seed":1}`,
      "runs/a/metrics.jsonl": curve(0.4),
      "runs/b/run.json": `{"axes":{"tasks":10},"seed":2}`,
      "runs/b/metrics.jsonl": curve(0.5),
      "runs/c/run.json": `{"axes":{"tasks":20},"seed":1}`,
      "runs/c/metrics.jsonl": curve(0.6),
    });
    const { rows, notes } = await readRuns(host, [
      host.uri("runs"),
      host.uri("runs/b"),
      host.uri("runs/b/metrics.jsonl"),
    ]);
    expect(rows.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(notes.filter(({ code }) => code === "run.twice")).toHaveLength(2);
    expect(replicates(rows).map(({ seeds }) => seeds)).toEqual([["1", "2"], ["1"]]);
  });

  it("does not take W&B's own logs, package lists and texts without metrics for runs", async () => {
    const host = memoryHost({
      "exp/wandb/debug.log": "2026-01-01 INFO\n",
      "exp/requirements.txt": "numpy\n",
      "exp/notes.txt": "hello\n",
      "exp/server.log": "started\n",
    });
    const { rows, notes } = await readRuns(host, [host.uri("exp")]);
    expect(rows).toEqual([]);
    expect(notes.map(({ code }) => code)).toEqual(["log.no-metrics"]);
  });

  it("tells runs by their axes where a log of several has no run column, and keeps one log together whose constants change", async () => {
    const rows = [
      [100, 1],
      [100, 2],
      [200, 1],
    ].flatMap(([tasks, seed]) => [10, 20].map((step) => ({ tasks, seed, step, success_rate: (tasks + step) / 1000 })));
    const host = memoryHost({
      "several.jsonl": jsonl(rows),
      "one.jsonl": jsonl([1, 2, 3, 4].map((step) => ({ step, tasks: step * 100, seed: 5, success_rate: step / 10 }))),
    });
    const several = await readRuns(host, [host.uri("several.jsonl")], { final: "last" });
    expect(several.rows.map(({ axes, seed, outcome }) => [axes.tasks, seed, outcome])).toEqual([
      [100, "1", { kind: "rate", rate: 0.12 }],
      [100, "2", { kind: "rate", rate: 0.12 }],
      [200, "1", { kind: "rate", rate: 0.22 }],
    ]);
    expect(several.notes.map(({ code }) => code)).toContain("log.by-axes");
    const twice = memoryHost({ "a.csv": "tasks,step,success_rate\n100,300,0.4\n100,300,0.5\n" });
    expect((await readRuns(twice, [twice.uri("a.csv")])).notes).toContainEqual(
      expect.objectContaining({ severity: "warning", code: "log.repeated-step", line: 3 }),
    );
    const sparse = memoryHost({
      "a.jsonl": jsonl([
        { step: 1, "critic/score/mean": 0.1 },
        { step: 1, seed: 4, "val/success_rate": 0.3 },
        { step: 2, "critic/score/mean": 0.1 },
        { step: 2, seed: 4, "val/success_rate": 0.4 },
      ]),
    });
    expect((await readRuns(sparse, [sparse.uri("a.jsonl")])).rows).toMatchObject([
      { seed: "4", curve: [{ rate: 0.3 }, { rate: 0.4 }] },
    ]);
    const one = await readRuns(host, [host.uri("one.jsonl")]);
    expect(one.rows).toHaveLength(1);
    expect(one.rows[0]).toMatchObject({ axes: {}, seed: "5", outcome: { rate: expect.closeTo(0.3, 12) as number } });
    expect(one.notes.map(({ code }) => code)).toContain("log.facts-change");
  });

  it("reads tables of mixed line ends, of lone returns, and with bars between cells; a column that stands twice is said", async () => {
    const rows = "tasks,success_rate,trials\r\n100,0.5,200\n200,0.6,200\r\n400,0.7,200\n";
    const expected = [
      [100, 0.5],
      [200, 0.6],
      [400, 0.7],
    ];
    for (const [name, text] of [
      ["mixed.csv", rows],
      ["return.csv", rows.replace(/\r?\n/g, "\r")],
      ["bars.csv", rows.replaceAll(",", "|")],
    ]) {
      const host = memoryHost({ [name]: text });
      const { rows: found, notes } = await readRuns(host, [host.uri(name)]);
      expect(
        found.map(({ axes, outcome }) => [axes.tasks, outcome.kind === "rate" ? outcome.rate : null]),
        name,
      ).toEqual(expected);
      expect(notes, name).toEqual([]);
    }
    const twice = memoryHost({ "t.csv": "tasks,success_rate,tasks\n100,0.5,7\n" });
    const { rows: last, notes } = await readRuns(twice, [twice.uri("t.csv")]);
    expect(last[0].axes.tasks).toBe(7);
    expect(notes).toContainEqual(expect.objectContaining({ severity: "warning", code: "table.column-twice", line: 1 }));
  });

  it("reads a rate with a percent sign, and refuses one without", async () => {
    const host = memoryHost({
      "p.csv": "tasks,success_rate,trials\n100,61.2 %,200\n200,70%,200\n400,61.2,200\n800,120%,200\n",
    });
    const { rows, notes } = await readRuns(host, [host.uri("p.csv")]);
    expect(rows.map(({ axes, outcome }) => [axes.tasks, outcome.kind === "rate" ? outcome.rate : null])).toEqual([
      [100, expect.closeTo(0.612, 12) as number],
      [200, 0.7],
    ]);
    expect(notes.map(({ code, line }) => [code, line]).sort()).toEqual([
      ["table.bad-cell", 4],
      ["table.bad-cell", 5],
    ]);
  });

  it("takes compute for an axis where no other is stated", async () => {
    const host = memoryHost({
      "c.csv": "compute,success_rate\n1e18,0.3\n1e19,0.5\n",
      "both.csv": "compute,tasks,success_rate\n1e18,100,0.3\n",
    });
    expect((await readRuns(host, [host.uri("c.csv")])).rows.map(({ axes }) => axes)).toEqual([
      { compute: 1e18 },
      { compute: 1e19 },
    ]);
    expect((await readRuns(host, [host.uri("both.csv")])).rows.map(({ axes }) => axes)).toEqual([{ tasks: 100 }]);
  });

  it("notes a source that is not there, and a file that is nothing of ours", async () => {
    const host = memoryHost({ "x.csv": "a,b\n1,2\n" });
    const { rows, notes } = await readRuns(host, [host.uri("absent"), host.uri("x.csv")]);
    expect(rows).toEqual([]);
    expect(notes.map(({ code }) => code)).toEqual(expect.arrayContaining(["run.no-source", "run.not-a-table"]));
  });
});

describe("reading again", () => {
  const files = {
    "runs/a/run.json": `{"axes":{"tasks":300}}`,
    "runs/a/metrics.jsonl": `${curve(0.6)}broken\n`,
    "runs/b/metrics.jsonl": curve(0.5),
  };
  const storeOf = (map = new Map<string, string>()): RunCache & { map: Map<string, string> } => ({
    map,
    get: async (key) => map.get(key),
    set: async (key, value) => void map.set(key, value),
  });

  it("takes unchanged logs from the cache, with their notes, and reads only what changed", async () => {
    const host = memoryHost(files);
    const cache = storeOf();
    const first = await readRuns(host, [host.uri("runs")], { cache });
    const read: string[] = [];
    const counting: MemoryHost = { ...host, readChunks: (uri, size) => (read.push(uri), host.readChunks(uri, size)) };
    expect(await readRuns(counting, [host.uri("runs")], { cache })).toEqual(first);
    expect(read).toEqual([]);
    host.files.set(host.uri("runs/b/metrics.jsonl"), new TextEncoder().encode(curve(0.52) + "\n\n\n"));
    const third = await readRuns(counting, [host.uri("runs")], { cache });
    expect(read).toEqual([host.uri("runs/b/metrics.jsonl")]);
    expect(third.rows[1].outcome).not.toEqual(first.rows[1].outcome);
  });

  it("goes on with a full disk or a damaged cache, with one note and the same figures", async () => {
    const host = memoryHost(files);
    const plain = await readRuns(host, [host.uri("runs")]);
    const full = await readRuns(host, [host.uri("runs")], {
      cache: {
        get: async () => undefined,
        set: async () => Promise.reject(new Error("ENOSPC: no space left on device")),
      },
    });
    expect(full.rows).toEqual(plain.rows);
    expect(full.notes.filter(({ code }) => code === "run.cache")).toHaveLength(1);
    for (const junk of ["", "{}", "null", `{"runs":[{"series":{"success_rate":[[1],[2,3],[1]]}}],"notes":[]}`]) {
      expect(
        (await readRuns(host, [host.uri("runs")], { cache: { get: async () => junk, set: async () => undefined } }))
          .rows,
      ).toEqual(plain.rows);
    }
  });

  it("says when a file grows while it is read, and keeps nothing of it", async () => {
    const host = memoryHost(files);
    const cache = storeOf();
    const growing: MemoryHost = {
      ...host,
      async *readChunks(uri, size) {
        yield* host.readChunks(uri, size);
        host.files.set(uri, Uint8Array.from([...(host.files.get(uri) ?? []), 10]));
      },
    };
    const { notes, rows } = await readRuns(growing, [host.uri("runs/b")], { cache });
    expect(rows).toHaveLength(1);
    expect(notes.map(({ code }) => code)).toContain("log.growing");
    // What the file is may be kept, under its earlier size; what it holds is not.
    expect([...cache.map.values()].filter((text) => text.includes("series"))).toEqual([]);
  });

  it("leaves out the last line of a CSV that grows, since its last number may be cut short", async () => {
    const host = memoryHost({ "a/metrics.csv": "step,success_rate\n1,0.5\n2,0.6\n3,0.1" });
    const growing: MemoryHost = {
      ...host,
      async *readChunks(uri, size) {
        yield* host.readChunks(uri, size);
        host.files.set(uri, new TextEncoder().encode("step,success_rate\n1,0.5\n2,0.6\n3,0.18\n"));
      },
    };
    const { rows, notes } = await readRuns(growing, [host.uri("a")]);
    expect(rows[0].outcome).toMatchObject({ rate: expect.closeTo(0.55, 12) as number });
    expect(notes.find(({ code }) => code === "log.truncated")?.line).toBe(4);
  });

  it("tells progress, and stops when asked", async () => {
    const host = memoryHost(files);
    const seen: number[] = [];
    await readRuns(host, [host.uri("runs")], { onProgress: ({ done, total }) => seen.push(done / total) });
    expect(Math.max(...seen)).toBe(1);
    const controller = new AbortController();
    await expect(
      readRuns(host, [host.uri("runs")], {
        signal: controller.signal,
        onProgress: () => controller.abort(new Error("stop")),
      }),
    ).rejects.toThrow("stop");
  });
});

describe("lines", () => {
  it("accepts Python's bare NaN and Infinity, and texts that only look like them", async () => {
    const host = memoryHost({
      "a/metrics.jsonl": `{"step": 1, "note": "NaN, Infinity", "success_rate": 0.5, "x": NaN, "y": -Infinity}\n{"step": 2, "success_rate": NaN}\n`,
    });
    const { rows, notes } = await readRuns(host, [host.uri("a")]);
    expect(rows[0].outcome).toMatchObject({ rate: 0.5 });
    expect(notes.find(({ code }) => code === "log.not-finite")?.line).toBe(2);
  });

  it("loses one row to a value nested a hundred thousand deep, not the file", async () => {
    const deep = `{"step": 3, "success_rate": 0.9, "tools": ${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`;
    const host = memoryHost({
      "a/metrics.jsonl": deep + curve(0.4),
      "dump.jsonl": `{"task_id": 1, "reward": 1, "tools": ${"[".repeat(100_000)}${"]".repeat(100_000)}}\n{"task_id": 2, "reward": 0, "tools": ["a"]}\n`,
    });
    expect((await readRuns(host, [host.uri("a")])).rows).toHaveLength(1);
    expect((await measureRollouts(host, [host.uri("dump.jsonl")])).rollouts).toBeGreaterThanOrEqual(1);
  });

  it("counts a file with thousands of bad lines in a few notes", async () => {
    const host = memoryHost({ "a/metrics.jsonl": curve(0.5) + "rubbish\n".repeat(5000) });
    const { notes } = await readRuns(host, [host.uri("a")]);
    const bad = notes.filter(({ code }) => code === "log.bad-line");
    expect(bad).toHaveLength(21);
    expect(bad[20].message).toMatch(/^4980 more/);
  });

  it("does not take printed configs and samples for logged rows", async () => {
    const host = memoryHost({
      "exp_seed7/train.log":
        "{'data': {'train_batch_size': 256, 'seed': 1}, 'trainer': {'n': 8}}\n{\"question\": \"x\", \"id\": 3}\n{'loss': 0.1, 'reward': np.float64(0.25), 'epoch': 0.1, 'step': 1}\n{'loss': 0.1, 'reward': 0.35, 'epoch': 0.2, 'step': 2}\n",
    });
    const { rows, notes } = await readRuns(host, [host.uri("exp_seed7").replace("exp_seed7", "exp_seed7")]);
    expect(rows[0]).toMatchObject({
      outcome: { rate: expect.closeTo(0.3, 12) as number },
      curve: [
        { step: 1, rate: 0.25 },
        { step: 2, rate: 0.35 },
      ],
    });
    expect(notes.map(({ code }) => code)).toEqual(["run.training-reward", "run.no-axes"]);
  });

  it("takes the seed from the run's name where nothing states it", async () => {
    const host = memoryHost({
      "runs/exp-seed12/metrics.jsonl": curve(0.4),
      "runs/exp-seeded/metrics.jsonl": curve(0.4),
    });
    expect((await readRuns(host, [host.uri("runs")])).rows.map(({ seed }) => seed)).toEqual(["12", undefined]);
  });

  it("does not take a number that a teed text broke off", async () => {
    const host = memoryHost({
      "a/train.log":
        "step:1 - val/success_rate:0.31\nstep:2 - val/success_rate:0.35\nstep:3 - critic/score/mean:0.5 - val/success_rate:0.3",
    });
    const { rows, notes } = await readRuns(host, [host.uri("a")]);
    expect(rows[0].curve).toHaveLength(2);
    expect(notes.find(({ code }) => code === "log.truncated")?.line).toBe(3);
  });
});

const DATA = join(__dirname, "../../../shared/data");
describe.skipIf(!existsSync(DATA))("published tables (../shared/data; skipped where absent)", () => {
  it("reads all 245 losses of chinchilla-figure4.csv with both axes", async () => {
    const { rows, notes } = await readRuns(createNodeHost(), [toUri(join(DATA, "chinchilla-figure4.csv"))]);
    expect(rows).toHaveLength(245);
    expect(notes).toEqual([]);
    expect(rows[0]).toMatchObject({
      axes: { parameters: 6795600349.289497, training_flop: 9993852799709754880 },
      outcome: { kind: "loss", loss: 5.005581996196243 },
    });
  });

  it("reads robot-diversity.csv through a mapping", async () => {
    const { rows } = await readRuns(createNodeHost(), [toUri(join(DATA, "robot-diversity.csv"))], {
      columns: {
        environments: "units",
        trajectories: "demonstration_fraction",
        successes: "score",
        trials: "max_score",
      },
    });
    expect(rows.length).toBeGreaterThan(20);
    expect(rows[0]).toMatchObject({
      axes: { environments: 1, trajectories: 1 },
      outcome: { kind: "counts", successes: 1.2, trials: 9 },
    });
  });
});
