/** Growing logs: only what is appended is read, whole lines, and a log that begins anew is noticed. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunRow } from "../../server/core/table";
import { createNodeHost } from "../../server/node/host";
import type { ExperimentBudget } from "../../server/budget/budget";
import { LiveRuns } from "../../server/operations/live";
import { FollowedRun } from "../../server/sources/live/follow";
import { told } from "../../server/sources/live/points";
import { Tail } from "../../server/sources/live/tail";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "scaling-lens-live-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const host = createNodeHost();
const path = (name: string) => join(folder, name);
const uri = (name: string) => pathToFileURL(path(name)).href;

/** A config of which its name alone is known. */
const emptyBudget = { axes: {}, model: {} } as unknown as ExperimentBudget;

describe("a tail", () => {
  it("gives whole lines, each once", async () => {
    writeFileSync(path("a.log"), "one\ntwo\nthr");
    const tail = new Tail(host, uri("a.log"), 0);
    expect(await tail.look()).toMatchObject({ kind: "grown", lines: ["one", "two"] });
    expect(await tail.look()).toEqual({ kind: "same" });
    appendFileSync(path("a.log"), "ee\r\nfour\n");
    expect(await tail.look()).toMatchObject({ kind: "grown", lines: ["three", "four"] });
  });

  it("begins with the first whole line after its mark", async () => {
    writeFileSync(path("a.log"), "one\ntwo\nthree\n");
    const tail = new Tail(host, uri("a.log"), 2);
    expect(await tail.look()).toMatchObject({ lines: ["two", "three"] });
  });

  it("keeps letters of several bytes whole", async () => {
    const bytes = Buffer.from("schön\n");
    writeFileSync(path("a.log"), bytes.subarray(0, 4));
    const tail = new Tail(host, uri("a.log"), 0);
    await tail.look();
    appendFileSync(path("a.log"), bytes.subarray(4));
    expect(await tail.look()).toMatchObject({ lines: ["schön"] });
  });

  it.each([
    ["truncated", () => truncateSync(path("a.log"), 3)],
    ["rotated", () => (renameSync(path("a.log"), path("a.log.1")), writeFileSync(path("a.log"), "x\n".repeat(500)))],
    ["removed", () => rmSync(path("a.log"))],
    ["written anew, as long as before", () => writeFileSync(path("a.log"), "ONE\nTWO\n")],
  ])("notices a file that was %s", async (_, change) => {
    writeFileSync(path("a.log"), "one\ntwo\n");
    const tail = new Tail(host, uri("a.log"), 0);
    await tail.look();
    await new Promise((resolve) => setTimeout(resolve, 20));
    change();
    expect((await tail.look()).kind).toBe("restarted");
  });
});

describe("a line", () => {
  it("tells step and success, however the trainer writes", () => {
    const keys = ["val/success_rate"];
    expect(told('{"step": 5, "val/success_rate": 0.25}', keys)).toEqual({ step: 5, value: 0.25 });
    expect(told("(TaskRunner pid=7) step:31 - val/success_rate:0.5 - loss:0.1", keys)).toEqual({
      step: 31,
      value: 0.5,
    });
    expect(told("step:32 - loss:0.1", keys)).toEqual({ step: 32 });
    expect(told('{"step": 5, "val": {"success_rate": 0.25}}', keys)).toEqual({ step: 5, value: 0.25 });
    expect(told("  0%|          | 3/100 [00:10<05:00]\rstep:4 - val/success_rate:1.0", keys)).toEqual({
      step: 4,
      value: 1,
    });
    expect(told("loading weights", keys)).toBeUndefined();
    expect(told("torch.OutOfMemoryError: CUDA out of memory", keys)?.ending?.kind).toBe("crashed");
  });

  it("takes the mean of several keys only where all are there", () => {
    const keys = ["val/a", "val/b"];
    expect(told('{"step": 5, "val/a": 0.2, "val/b": 0.4}', keys)?.value).toBeCloseTo(0.3);
    expect(told('{"step": 5, "val/a": 0.2}', keys)).toEqual({ step: 5 });
  });
});

function row(name: string, steps: number): RunRow {
  return {
    id: name,
    axes: { trajectories: steps / 10 },
    outcome: { kind: "rate", rate: 0.2 },
    setting: "",
    curve: Array.from({ length: steps / 10 }, (_, i) => ({ step: 10 * (i + 1), rate: 0.01 * (i + 1) })),
    steps,
    plannedSteps: 100,
    gpuHours: steps,
    state: "running",
    metric: {
      keys: ["eval/success_rate"],
      on: "evaluation",
      tells: "success",
      reason: "",
      window: { values: 1, from: 0, to: 0 },
      others: [],
    },
    files: [uri(name)],
  };
}

const line = (step: number, rate: number) => `step:${step} - eval/success_rate:${rate} - loss:1.0\n`;

describe("a followed run", () => {
  it("grows with its log, and ends with it", async () => {
    writeFileSync(path("a.log"), line(10, 0.01) + line(20, 0.02));
    const run = await FollowedRun.of(row("a.log", 20), host);
    if (!run) throw new Error("not followed");
    const now = Date.now();
    expect(await run.look(now)).toBe("same");
    appendFileSync(path("a.log"), `${line(30, 0.3)}step:35 - loss:1.0\n`);
    expect(await run.look(now)).toBe("changed");
    expect(run.row).toMatchObject({ steps: 35, state: "running", gpuHours: 35, axes: { trajectories: 3.5 } });
    expect(run.row.curve?.at(-1)).toEqual({ step: 30, rate: 0.3 });
    appendFileSync(path("a.log"), line(100, 0.6));
    await run.look(now);
    expect(run.row).toMatchObject({ steps: 100, state: "finished" });
  });

  it("is crashed after a traceback", async () => {
    writeFileSync(path("a.log"), line(10, 0.01));
    const run = await FollowedRun.of(row("a.log", 10), host);
    await run?.look(Date.now());
    appendFileSync(path("a.log"), "Traceback (most recent call last):\nRuntimeError: NCCL error\n");
    expect(await run?.look(Date.now())).toBe("changed");
    expect(run?.row).toMatchObject({ state: "crashed" });
    expect(run?.row.stateReason).toContain("NCCL");
  });

  it("is read anew where it goes back", async () => {
    writeFileSync(path("a.log"), line(10, 0.01) + line(20, 0.02));
    const run = await FollowedRun.of(row("a.log", 20), host);
    await run?.look(Date.now());
    appendFileSync(path("a.log"), line(5, 0.01));
    expect(await run?.look(Date.now())).toBe("restarted");
  });

  it("looks every time at a run that was asked for, long after it was, and seldom at others", async () => {
    const rows: RunRow[] = [];
    for (let i = 0; i < 40; i++) {
      writeFileSync(path(`${i}.log`), line(10, 0.01));
      rows.push({ ...row(`${i}.log`, 10), id: `run-${i}` });
    }
    const live = new LiveRuns(host);
    await live.take(rows);
    // A lens asks before the first look, and is not asked again until it is told.
    live.forecastFor({ uri: "file:///w/run-7.budget.yaml", name: "", isOnly: true, budget: emptyBudget });
    let now = Date.now();
    for (let look = 0; look < 25; look++) await live.look(now);
    now += 3 * 60_000;
    let changes = 0;
    for (let step = 11; step < 19; step++) {
      appendFileSync(path("7.log"), line(step, 0.1));
      if ((await live.look(now)).changed) changes++;
    }
    expect(changes).toBe(8);
  });

  it("follows 200 logs of 50 MB in little time, and reads what they append", async () => {
    const rows: RunRow[] = [];
    for (let i = 0; i < 200; i++) {
      const name = `${i}.log`;
      writeFileSync(path(name), line(10, 0.01));
      // Sparse: what stands in the middle is never read.
      truncateSync(path(name), 50 * 1024 * 1024);
      appendFileSync(path(name), `\n${line(20, 0.02)}`);
      rows.push(row(name, 20));
    }
    const now = Date.now();
    const live = new LiveRuns(host);
    await live.take(rows);
    for (let look = 0; look < 20; look++) await live.look(now);
    const before = live.bytes;
    let appended = 0;
    let used = 0;
    for (let second = 0; second < 20; second++) {
      for (let i = 0; i < rows.length; i++) {
        const text = `${"model output that is no metric\n".repeat(20)}${line(21 + second, 0.1)}`;
        appended += text.length;
        appendFileSync(path(`${i}.log`), text);
      }
      const cpu = process.cpuUsage();
      for (const half of [0, 500]) await live.look(now + second * 1000 + half);
      const { user, system } = process.cpuUsage(cpu);
      used += (user + system) / 1e6;
    }
    for (let look = 0; look < 20; look++) await live.look(now);
    const read = live.bytes - before;
    expect(read).toBeGreaterThanOrEqual(appended);
    expect(read).toBeLessThan(1.1 * appended);
    // Two looks a second: seconds of processor per second.
    expect(used / 20).toBeLessThan(0.05);
  });
});
