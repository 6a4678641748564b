/** `forecast` and `power` on the command line: their JSON contract, their exit codes, and runs in every state. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { forecastRuns } from "../../server/core/forecast/runs";
import { random } from "../../server/core/numerics/random";
import { cli, folderWith } from "./harness";

const made: { remove: () => void }[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

function folder(files: Record<string, string>): string {
  const one = folderWith(files);
  made.push(one);
  return one.folder;
}

/** metrics.jsonl of `until` steps of a run of 100: an evaluation each second step. */
function log(at: (u: number) => number, until: number, seed: number): string {
  const stream = random(seed);
  let text = "";
  for (let step = 2; step <= until; step += 2)
    text += `${JSON.stringify({ step, success_rate: Math.min(1, Math.max(0, at(step / 100) + 0.01 * stream.normal())), "timing_s/step": 60 })}\n`;
  return text;
}

const rising = (u: number) => 0.1 + 0.6 / (1 + (u / 0.35) ** -3);
const flat = (u: number) => 0.6 - 0.5 * Math.exp(-u / 0.04);
const run = (steps: number | undefined, more = {}) =>
  JSON.stringify({ axes: { tasks: 500 }, ...(steps && { steps }), evaluation: { tasks: 500 }, gpus: 8, ...more });

interface Answer {
  runs: {
    run: string;
    state: string;
    step: number | null;
    plannedSteps: number | null;
    metric: string | null;
    measures: string | null;
    now: number | null;
    final: { estimate: number; low: number; high: number } | null;
    pReach: Record<string, number | null>;
    gainLeft: number | null;
    gpuHoursLeft: number | null;
    gpuHoursLeftInterval: { low: number; high: number } | null;
    usdLeft: number | null;
    usdLeftInterval: { low: number; high: number } | null;
    advice: { kind: string; reasons: { code: string; message: string }[] };
  }[];
}

describe("forecast", () => {
  it("says where a run will end, in JSON as documented", async () => {
    const cwd = folder({ "a/metrics.jsonl": log(rising, 40, 1), "a/run.json": run(100) });
    const { code, out } = await cli(cwd, "forecast", "a", "--json", "--target", "60%");
    const [found] = (JSON.parse(out) as Answer).runs;
    expect(Object.keys(found).slice(0, 11)).toEqual([
      "run",
      "state",
      "step",
      "plannedSteps",
      "metric",
      "now",
      "final",
      "pReach",
      "gainLeft",
      "gpuHoursLeft",
      "advice",
    ]);
    expect(found).toMatchObject({ state: "running", step: 40, plannedSteps: 100, advice: { kind: "continue" } });
    expect(found.final?.low).toBeLessThan(0.68);
    expect(found.final?.high).toBeGreaterThan(0.64);
    expect(found.pReach.target).toBeGreaterThan(0.05);
    expect(found.pReach).toMatchObject({ law: null, best: null });
    // A minute a step on 8 GPUs, stated for every second step; 60 steps remain.
    expect(found.gpuHoursLeft).toBeCloseTo((60 * 60 * 8) / 3600, 6);
    expect(code).toBe(0);
  });

  it("says what is left to spend, in hours and USD, as widely as the steps' times wander", async () => {
    const timed = (seconds: (step: number) => number) => {
      let text = "";
      for (let step = 1; step <= 40; step++)
        text += `${JSON.stringify({ step, success_rate: 0.1 + 0.01 * step, "timing_s/step": seconds(step) })}\n`;
      return text;
    };
    const cwd = folder({
      "growing/metrics.jsonl": timed((step) => 60 + step),
      "growing/run.json": run(100),
      "untimed/metrics.jsonl": log(rising, 40, 1).replace(/,"timing_s\/step":60/g, ""),
      "untimed/run.json": run(100),
      "scaling.yaml": "hardware: { price: 2.5 USD/h }\n",
    });
    const { out } = await cli(cwd, "forecast", ".", "--json");
    const [growing, untimed] = (JSON.parse(out) as Answer).runs;
    const hours = growing.gpuHoursLeft!;
    // The first step compiles and fills caches: the pace is that of the others.
    expect(hours).toBeCloseTo((60 * 81 * 8) / 3600, 6);
    const { low, high } = growing.gpuHoursLeftInterval!;
    // Stretches of four of 39 steps, 1 s longer each: their means differ by sd ≈ 11.8 s of 80.
    const reach = (2.262 * 11.8 * Math.sqrt(1.1)) / 81;
    expect(low / hours).toBeCloseTo(1 - reach, 1);
    expect(high / hours).toBeCloseTo(1 + reach, 1);
    // The last step's pace, 100 s, and what it would come to are inside.
    expect(high).toBeGreaterThan((60 * 100 * 8) / 3600);
    expect(growing.usdLeft).toBeCloseTo(2.5 * hours, 9);
    expect(growing.usdLeftInterval?.high).toBeCloseTo(2.5 * high, 9);
    expect(untimed).toMatchObject({
      gpuHoursLeft: null,
      gpuHoursLeftInterval: null,
      usdLeft: null,
      usdLeftInterval: null,
    });
  });

  it("ends with 1 when a run is to be stopped, and says why", async () => {
    const cwd = folder({ "a/metrics.jsonl": log(flat, 86, 2), "a/run.json": run(100) });
    const { code, out } = await cli(cwd, "forecast", "a");
    expect(out).toContain("stop");
    expect(out).toContain("329 published curves");
    expect(code).toBe(1);
  });

  it("without a path reads the logs that scaling.yaml names, as runs and fit do", async () => {
    const files = { "live/a/run.json": run(100), "live/a/metrics.jsonl": log(flat, 60, 3) };
    const here = folder({ ...files, "scaling.yaml": "logs: [live/**]\n" });
    const found = await cli(here, "forecast", "--json");
    expect((JSON.parse(found.out) as Answer).runs.map(({ step }) => step)).toEqual([60]);
    expect((await cli(folder(files), "forecast")).err).toMatch(/name at least one folder of runs/);
  });

  it("compares with finished runs, and counts their forecasts", async () => {
    const files: Record<string, string> = { "now/metrics.jsonl": log(rising, 50, 3), "now/run.json": run(100) };
    for (let i = 0; i < 5; i++) {
      files[`done${i}/metrics.jsonl`] = log(rising, 100, 10 + i);
      files[`done${i}/run.json`] = run(100);
    }
    const { out } = await cli(folder(files), "forecast", ".", "--json");
    const { runs } = JSON.parse(out) as Answer;
    const found = runs.find((each) => each.run === "now");
    expect(found?.pReach.best).toBeGreaterThan(0.02);
    expect(found?.pReach.best).toBeLessThan(0.98);
    expect(runs.find((each) => each.run === "done0")).toMatchObject({
      state: "finished",
      gpuHoursLeft: 0,
      advice: { kind: "unknown", reasons: [{ code: "forecast.finished" }] },
    });
  });

  it("forecasts nothing where no end is planned, and says so", async () => {
    const cwd = folder({ "a/metrics.jsonl": log(rising, 40, 4), "a/run.json": run(undefined) });
    const { code, out } = await cli(cwd, "forecast", "a", "--json");
    const [found] = (JSON.parse(out) as Answer).runs;
    expect(found.advice).toMatchObject({
      kind: "unknown",
      reasons: [{ message: expect.stringContaining("No planned steps are known") as string }],
    });
    expect(found).toMatchObject({ state: "finished", plannedSteps: null });
    expect(code).toBe(0);
  });

  it("takes a training reward for no success: no probability of a target, and somebody has to look", async () => {
    const text = Array.from({ length: 100 }, (_, i) => {
      const reward = (0.2 + 0.005 * i).toFixed(3);
      return `step:${i + 1} - critic/rewards/mean:${reward} - critic/score/mean:${reward} - perf/time_per_step:60.0\n`;
    }).join("");
    const cwd = folder({
      "runs/a/train.log": text,
      "runs/a/run.json": run(300),
      "runs/b/train.log": text,
      "runs/b/run.json": run(100),
      "named/train.log": text,
      "named/run.json": run(300, { metric: "critic/score/mean" }),
    });
    const asked = await cli(cwd, "forecast", "runs", "--json", "--target", "60%");
    const [a, b] = (JSON.parse(asked.out) as Answer).runs;
    const nothing = { law: null, target: null, best: null };
    expect(a).toMatchObject({
      run: "a",
      metric: "critic/score/mean",
      measures: "training-reward",
      pReach: nothing,
      advice: { kind: "look", reasons: [{ code: "forecast.training-reward" }] },
    });
    expect(a.advice.reasons[0].message).toMatch(/^critic\/score\/mean is a training reward, not a success rate/);
    expect(b).toMatchObject({ state: "finished", measures: "training-reward", pReach: nothing });
    expect(asked.code).toBe(1);
    expect((await cli(cwd, "forecast", "runs")).out).toContain("critic/score/mean is a training reward");
    // Whoever names the metric says that it is the success.
    const named = await cli(cwd, "forecast", "named", "--json", "--target", "60%");
    const [own] = (JSON.parse(named.out) as Answer).runs;
    expect(own).toMatchObject({ measures: "success", advice: { kind: "continue" } });
    expect(own.pReach.target).toBeGreaterThan(0.5);
  });

  it("says that a metric may be percent or shares, not that none is logged", async () => {
    const at = (value: (step: number) => number) =>
      Array.from({ length: 11 }, (_, i) => `${JSON.stringify({ step: 10 * i, success_rate: value(10 * i) })}\n`).join(
        "",
      );
    const cwd = folder({
      "runs/a/metrics.jsonl": at((step) => 0.5 + step / 2),
      "runs/a/run.json": run(100),
      "runs/b/metrics.jsonl": at((step) => 0.3 + step / 250),
      "runs/b/run.json": run(200),
      "runs/c/metrics.jsonl": at((step) => 0.3 + step / 250),
      "runs/c/run.json": run(200, { scale: [0, 1] }),
    });
    const { out, code } = await cli(cwd, "forecast", "runs", "--json");
    const [, c, b] = (JSON.parse(out) as Answer).runs;
    expect(b).toMatchObject({
      run: "b",
      final: null,
      advice: { kind: "look", reasons: [{ code: "forecast.unread" }] },
    });
    expect(b.advice.reasons[0].message).toMatch(
      /^success_rate has no known success rate: 0\.66 % or 66 %: .*`scale: percent`/,
    );
    // What the message says to write is taken.
    expect(c).toMatchObject({ run: "c", now: expect.closeTo(0.69, 1) as number });
    expect(code).toBe(1);
  });

  it("takes such a run for one that is on while its log grows", () => {
    const row = { id: "a", axes: {}, setting: "", files: [], curve: [10, 20, 30].map((step) => ({ step, rate: 0.3 })) };
    const outcome = { kind: "rate", rate: 0.3, trials: 500 } as const;
    const [found] = forecastRuns({
      rows: [{ ...row, outcome, state: "finished", unplanned: "growing", steps: 30 }],
      notes: [],
    });
    // Nothing is said of what it comes to.
    expect(found).toMatchObject({ state: "running", plannedSteps: null, final: null, gpuHoursLeft: null });
    expect(found.advice.reasons[0].code).toBe("forecast.no-plan");
  });

  it("can be watched before the run has logged anything", async () => {
    const cwd = folder({ "runs/README": "nothing yet" });
    const watched = cli(cwd, "forecast", "runs", "--watch");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    mkdirSync(join(cwd, "runs/a"));
    writeFileSync(join(cwd, "runs/a/run.json"), run(100));
    writeFileSync(join(cwd, "runs/a/metrics.jsonl"), log(rising, 100, 5));
    const { code, out } = await watched;
    expect(code).toBe(0);
    expect(out).toMatch(/^nothing is logged yet\n[^]*finished/);
    // A place that is not there is an error, not a run to come.
    expect((await cli(cwd, "forecast", "nowhere", "--watch")).code).toBe(2);
  });

  it("refuses a target that is no rate", async () => {
    const cwd = folder({ "a/metrics.jsonl": log(rising, 40, 4), "a/run.json": run(100) });
    const { code, err } = await cli(cwd, "forecast", "a", "--target", "160%");
    expect(code).toBe(2);
    expect(err).toContain("--target");
  });
});

describe("what scaling.yaml says of runs in a fit", () => {
  /** verl's console, of a run of 100 steps whose levels its folder's name states. */
  const verl = (tasks: number, until: number): string => {
    const end = 0.8 - 1.4 * tasks ** -0.25;
    let text = "";
    for (let step = 5; step <= until; step += 5)
      // All still climb at the end, by about 4 points with twice the steps.
      text += `(TaskRunner pid=9) step:${step} - val-core/gsm8k/acc/mean@1:${(end * (step / 100) ** 0.1).toFixed(4)} - timing_s/step:61.2\n`;
    return text;
  };
  const files: Record<string, string> = {};
  for (const tasks of [500, 1000, 2000, 4000])
    for (const groups of [4, 8, 16]) files[`runs/verl-t${tasks}-r${groups}/console.log`] = verl(tasks * groups, 100);
  const facts = 'facts: { "runs/verl-t{tasks}-r{trajectories}/**": { steps: 100 } }\n';
  const fit = async (more: Record<string, string>, said = "") => {
    const cwd = folder({ ...files, ...more, "scaling.yaml": `${facts}${said}` });
    const { out, err } = await cli(cwd, "fit", "runs", "--json", "--bootstrap", "20", "--law", "multiplicative");
    return JSON.parse(out || err) as {
      rows: number;
      warnings?: { code: string; message: string }[];
      refused?: unknown;
    };
  };

  it("keeps runs that have not converged, and names them", async () => {
    const found = await fit({});
    expect(found.rows).toBe(12);
    expect(found.warnings?.find(({ code }) => code === "run.unconverged")?.message).toContain("count as they ended");
  });

  it("drops them where asked", async () => {
    const found = await fit({}, "convergence: drop\n");
    expect(JSON.stringify(found)).toMatch(/Too few converged runs|They are left out/);
  });

  it("counts a run that is on by its forecast where asked", async () => {
    const on = { "runs/verl-t8000-r8/console.log": verl(64_000, 60) };
    expect((await fit(on)).rows).toBe(12);
    expect((await fit(on, "include: running\n")).rows).toBe(13);
  });
});

describe("power", () => {
  it("refuses an evaluation of no tasks instead of an infinite difference", async () => {
    const { code, out, err } = await cli(folder({}), "power", "--difference", "2", "--tasks", "0");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("at least 1 task");
  });

  it("gives tasks and seeds", async () => {
    const cwd = folder({});
    const { code, out } = await cli(cwd, "power", "--difference", "2", "--baseline", "50%");
    expect(code).toBe(0);
    for (const number of ["9,812", "3,925", "25 seeds"]) expect(out).toContain(number);
    const { out: text } = await cli(cwd, "power", "--difference", "2", "--baseline", "50%", "--json");
    expect(JSON.parse(text)).toMatchObject({
      unpaired: 9812,
      paired: 3925,
      seeds: 25,
      difference: 0.02,
      baseline: 0.5,
    });
  });

  it("says what an evaluation can tell", async () => {
    const { out } = await cli(folder({}), "power", "--tasks", "500", "--json");
    expect((JSON.parse(out) as { resolves: { unpaired: number } }).resolves.unpaired).toBeCloseTo(0.0886, 3);
  });

  it("wants a question", async () => {
    expect((await cli(folder({}), "power")).code).toBe(2);
    expect((await cli(folder({}), "power", "--difference", "200")).code).toBe(2);
  });
});
