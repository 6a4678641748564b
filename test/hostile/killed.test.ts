import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUDGET, RUNS, write } from "../fixtures/hostile/hostile";
import { RunningServer } from "./lsp";
import { buildPrograms } from "./programs";

let programs = "";
let folder = "";
let server: RunningServer;

/** A launch script that takes a while to read: many commands, each with many words. */
const script = (steps: number) =>
  Array.from(
    { length: 30 },
    (_, i) =>
      `python3 -m verl.trainer.main_ppo data.train_batch_size=256 actor_rollout_ref.rollout.n=8 trainer.total_training_steps=${steps + i} algorithm.adv_estimator=grpo`,
  ).join("\n");
const kills = () => readFileSync(join(folder, "killed.txt"), "utf8").split("\n").filter(Boolean).map(Number);

beforeAll(async () => {
  programs = buildPrograms();
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-killed-"));
  write(folder, { "w/run.sh": script(100), "killed.txt": "" });
  server = await RunningServer.start(programs, folder, ["w"], {
    preload: [join(__dirname, "killable.mjs")],
    env: { KILLED_FILE: join(folder, "killed.txt") },
  });
}, 300_000);

afterAll(() => {
  server.end();
  rmSync(programs, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === "win32")("a worker that is killed while it reads", () => {
  it("costs nothing: the annotations return by themselves", async () => {
    await server.open("w/run.sh");
    const healthy = await server.lenses("w/run.sh");
    expect(healthy?.length).toBeGreaterThan(0);
    const took: number[] = [];
    for (const [round, after] of [5, 20, 60, 120].entries()) {
      const text = script(1000 * (round + 1));
      writeFileSync(join(folder, "w/run.sh"), text);
      await server.change("w/run.sh", round + 2, text);
      const asked = server.lenses("w/run.sh");
      await new Promise((resolve) => setTimeout(resolve, after));
      const killed = performance.now();
      server.process.kill("SIGUSR2");
      const lenses = await asked;
      took.push(performance.now() - killed);
      expect(lenses?.length).toBe(healthy?.length);
      expect(server.process.exitCode).toBeNull();
    }
    expect(kills().some((count) => count > 0)).toBe(true);
    const log = process.env.SCALING_LENS_HOSTILE_LOG;
    if (log)
      appendFileSync(log, `killed workers\tannotations after ${took.map((ms) => ms.toFixed(0)).join(", ")} ms\n`);
  }, 60_000);

  it("again and again is said, and the next change is read", async () => {
    const again = setInterval(() => server.process.kill("SIGUSR2"), 3);
    await server.change("w/run.sh", 20, script(7000));
    const lenses = await server.lenses("w/run.sh");
    clearInterval(again);
    expect(lenses).toBeInstanceOf(Array);
    await server.change("w/run.sh", 21, script(8000));
    expect((await server.lenses("w/run.sh"))?.length).toBeGreaterThan(0);
    expect(server.process.exitCode).toBeNull();
  }, 60_000);
});

const hasDuckdb = existsSync(join(__dirname, "../../node_modules/@duckdb/node-api"));

describe.skipIf(process.platform !== "linux" || !hasDuckdb)("DuckDB's process that is killed while it reads", () => {
  const pids = () => join(folder, "duckdb.txt");
  /** The process of DuckDB that has the log open now. */
  const reader = () =>
    readFileSync(pids(), "utf8")
      .split("\n")
      .filter(Boolean)
      .find((pid) => {
        try {
          const open = `/proc/${pid}/fd`;
          return readdirSync(open).some((fd) => readlinkSync(join(open, fd)).endsWith("metrics.jsonl"));
        } catch {
          return false;
        }
      });

  it("costs nothing: the annotations return, with the fit of all runs", async () => {
    const row = (step: number) => `{"step":${step},"success_rate":0.5,"note":"${"x".repeat(1000)}"}\n`;
    write(folder, {
      "duckdb.txt": "",
      "d/x.budget.yaml": BUDGET,
      "d/scaling.yaml": 'logs: ["runs/**"]\n',
      "d/runs/good.csv": RUNS,
      "d/runs/large/run.json": '{"tasks":2000,"environments":24,"trajectories":12}',
      "d/runs/large/metrics.jsonl": Array.from({ length: 68_000 }, (_, step) => row(step)).join(""),
    });
    const other = await RunningServer.start(programs, folder, ["d"], {
      preload: [join(__dirname, "killable.mjs")],
      env: { DUCKDB_PIDS: pids() },
    });
    try {
      await other.open("d/x.budget.yaml");
      const said = async () =>
        (await other.lenses("d/x.budget.yaml"))?.map(({ command }) => command?.title).join(" ") ?? "";
      const first = said();
      let found: string | undefined;
      while (!(found = reader())) await new Promise((resolve) => setTimeout(resolve, 1));
      process.kill(Number(found), "SIGKILL");
      const killed = performance.now();
      expect(await first).not.toBe("");
      let after = await said();
      const answered = performance.now() - killed;
      for (; !/% success/.test(after); after = await said()) await new Promise((resolve) => setTimeout(resolve, 50));
      const log = process.env.SCALING_LENS_HOSTILE_LOG;
      const ms = (performance.now() - killed).toFixed(0);
      if (log)
        appendFileSync(
          log,
          `killed DuckDB\tannotations after ${answered.toFixed(0)} ms, with the fit after ${ms} ms\n`,
        );
      const { markdown } = await other.connection.sendRequest<{ markdown: string }>("scalingLens/explain", {
        uri: other.uri("d/x.budget.yaml"),
      });
      expect(markdown).toMatch(/9 runs/);
      expect(other.process.exitCode).toBeNull();
    } finally {
      other.end();
    }
  }, 60_000);
});
