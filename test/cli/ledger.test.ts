/** The ledger of a simulated team: 40 runs are predicted while they are on, and scored when they end. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calibrationOf, type LedgerLine } from "../../server/core/forecast/ledger";
import { random } from "../../server/core/numerics/random";
import { cli, folderWith } from "./harness";

const made: { remove: () => void }[] = [];
afterEach(() => made.splice(0).forEach(({ remove }) => remove()));

const RUNS = 40;

function truth(i: number, u: number): number {
  const stream = random(50 + i);
  const [low, high, middle] = [0.2 * stream.next(), 0.35 + 0.6 * stream.next(), 0.05 + 0.4 * stream.next()];
  return low + (high - low) / (1 + (u / middle) ** -2.5);
}

function log(i: number, until: number): string {
  const stream = random(900 + i);
  let text = "";
  for (let step = 4; step <= until; step += 4)
    text += `${JSON.stringify({ step, success_rate: Math.min(1, Math.max(0, truth(i, step / 200) + 0.015 * stream.normal())), "timing_s/step": 30 })}\n`;
  return text;
}

interface Answer {
  written: number;
  scored: number;
  open: number;
  coverage: { estimate: number } | null;
  bias: { estimate: number } | null;
  costRatio: number | null;
  runs: { run: string; predicted: { estimate: number; low: number; high: number } }[];
}

describe("the ledger", () => {
  it("gets a team's calibration right to 3 points", async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < RUNS; i++) {
      files[`runs/r${i}/metrics.jsonl`] = log(i, 60);
      files[`runs/r${i}/run.json`] = JSON.stringify({ steps: 200, gpus: 8, evaluation: { tasks: 500 } });
    }
    const one = folderWith(files);
    made.push(one);
    const ask = async (...more: string[]): Promise<Answer> => {
      const { out, err, code } = await cli(one.folder, "ledger", ".", ...more, "--json");
      expect(code, err).toBe(0);
      return JSON.parse(out) as Answer;
    };
    expect(await ask("--record", "runs")).toMatchObject({ written: RUNS, scored: 0, open: RUNS, coverage: null });
    // What was predicted stays as it was first said.
    expect(await ask("--record", "runs")).toMatchObject({ written: 0, open: RUNS });
    for (let i = 0; i < RUNS; i++) writeFileSync(join(one.folder, `runs/r${i}/metrics.jsonl`), log(i, 200));
    const found = await ask("--record", "runs");
    expect(found).toMatchObject({ written: RUNS, scored: RUNS, open: 0 });

    // From the law that the runs were simulated by, without a log.
    const ends = Array.from({ length: RUNS }, (_, i) => {
      const last = [184, 188, 192, 196, 200].map((step) => truth(i, step / 200));
      return last.reduce((sum, value) => sum + value, 0) / last.length;
    });
    const of = ({ run }: { run: string }) => ends[Number(/r(\d+)/.exec(run)?.[1])];
    const held =
      found.runs.filter((run) => run.predicted.low <= of(run) && of(run) <= run.predicted.high).length / RUNS;
    const bias = found.runs.reduce((sum, run) => sum + of(run) - run.predicted.estimate, 0) / RUNS;
    expect(Math.abs((found.coverage?.estimate ?? NaN) - held)).toBeLessThanOrEqual(0.03);
    expect(Math.abs((found.bias?.estimate ?? NaN) - bias)).toBeLessThanOrEqual(0.03);
    expect(found.coverage?.estimate).toBeGreaterThan(0.85);
    expect(found.costRatio).toBeCloseTo(1, 1);
    expect(readFileSync(join(one.folder, ".scaling-lens/predictions.jsonl"), "utf8").trim().split("\n")).toHaveLength(
      2 * RUNS,
    );
    const { out } = await cli(one.folder, "ledger");
    expect(out).toMatch(/of your 95 % intervals held/);
  });

  it("sees a team that is too sure of itself", () => {
    const lines: LedgerLine[] = [];
    for (let i = 0; i < RUNS; i++) {
      const stream = random(i);
      const success = 0.5 + 0.1 * stream.normal();
      // Intervals half as wide as they should be: they hold 67.3 % of a normal.
      const reach = 0.98 * 0.1;
      lines.push({
        kind: "prediction",
        run: String(i),
        at: "2026-01-01T00:00:00Z",
        success: { estimate: 0.5, low: 0.5 - reach, high: 0.5 + reach },
        gpuHours: { estimate: 10, low: 8, high: 12 },
        verdict: null,
        by: "law",
      });
      lines.push({ kind: "outturn", run: String(i), at: "2026-01-02T00:00:00Z", success, gpuHours: 15 });
    }
    const { coverage, costRatio } = calibrationOf(lines);
    expect(coverage?.low).toBeLessThan(0.673);
    expect(coverage?.high).toBeGreaterThan(0.673);
    expect(coverage?.high).toBeLessThan(0.9);
    expect(costRatio).toBe(1.5);
  });

  it("holds where its law is right: one run strays from what is expected of it", async () => {
    const stream = random(4711);
    const expected = (tasks: number, environments: number): number =>
      0.85 - 1.2 * tasks ** -0.3 * environments ** -0.25;
    const measured = (rate: number): number => {
      const around = Math.min(1, Math.max(0, rate + 0.02 * stream.normal()));
      return around + Math.sqrt((around * (1 - around)) / 600) * stream.normal();
    };
    const table: string[] = ["tasks,environments,success_rate,trials"];
    for (const tasks of [100, 300, 1000, 3000])
      for (const environments of [4, 16, 64])
        for (let seed = 0; seed < 2; seed++)
          table.push(`${tasks},${environments},${measured(expected(tasks, environments)).toFixed(4)},600`);
    const files: Record<string, string> = {
      "runs.csv": `${table.join("\n")}\n`,
      "scaling.yaml": "fit: f.fit.json\n",
    };
    // A run's evaluations share what is its own; the last ones are taken together, as a finished run's value is.
    const logged = (i: number, until: number): string => {
      const [tasks, environments] = [150 * (1 + (i % 12)), 6 + 4 * (i % 9)];
      const end = measured(expected(tasks, environments));
      let text = "";
      for (let step = 5; step <= until; step += 5)
        text += `${JSON.stringify({ step, success_rate: end * Math.min(1, 0.4 + step / 140) })}\n`;
      files[`runs/${i}/run.json`] = JSON.stringify({
        axes: { tasks, environments },
        steps: 100,
        evaluation: { tasks: 600 },
      });
      return text;
    };
    const whole = Array.from({ length: RUNS }, (_, i) => logged(i, 100));
    whole.forEach((text, i) => (files[`runs/${i}/metrics.jsonl`] = text.split("\n").slice(0, 8).join("\n") + "\n"));
    const one = folderWith(files);
    made.push(one);
    expect((await cli(one.folder, "fit", "runs.csv", "--bootstrap", "200", "--out", "f.fit.json")).code).toBe(0);
    await cli(one.folder, "ledger", ".", "--record", "runs");
    whole.forEach((text, i) => writeFileSync(join(one.folder, `runs/${i}/metrics.jsonl`), text));
    const { out } = await cli(one.folder, "ledger", ".", "--record", "runs", "--json");
    const { scored, coverage } = JSON.parse(out) as Answer;
    expect(scored).toBe(RUNS);
    // Of 40 at 95 %, fewer than 35 would be chance in 2 of 100 rounds; with the law's own interval it is 23.
    expect(coverage?.estimate).toBeGreaterThanOrEqual(35 / 40);
    const first = JSON.parse(
      readFileSync(join(one.folder, ".scaling-lens/predictions.jsonl"), "utf8").split("\n")[0],
    ) as {
      by: string;
    };
    expect(first.by).toBe("law");
  }, 60_000);

  it("writes down the verdict and the cost beside the success", async () => {
    const one = folderWith({
      "scaling.yaml": "hardware: { gpu: H100, count: 8, price: 2 USD/h }\n",
      "runs/a/metrics.jsonl": log(0, 60),
      "runs/a/run.json": JSON.stringify({ steps: 200, gpus: 8, evaluation: { tasks: 500 } }),
      "runs/a/grpo.budget.yaml":
        "name: a\nmodel: Qwen3-8B\nbudget: { tasks: 1000, environments: 6, trajectories: 64 }\n",
      "runs/b/metrics.jsonl": log(1, 60),
      "runs/b/run.json": JSON.stringify({ steps: 200, evaluation: { tasks: 500 } }),
    });
    made.push(one);
    const { code, err } = await cli(one.folder, "ledger", ".", "--record", "runs", "--json");
    expect(code, err).toBe(0);
    const lines = readFileSync(join(one.folder, ".scaling-lens/predictions.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    const [a, b] = ["a", "b"].map((name) => lines.find(({ run }) => String(run).endsWith(name))!);
    // 30 s each fourth step is logged: 200 steps on 8 GPUs at 2 USD.
    expect((a["gpuHours"] as { estimate: number }).estimate).toBeCloseTo((200 * 30 * 8) / 3600, 1);
    expect((a["usd"] as { estimate: number }).estimate).toBeCloseTo((2 * 200 * 30 * 8) / 3600, 1);
    expect(a["verdict"]).toBe("not-known");
    // Nothing is known of the other's config or GPUs: null, not 0.
    expect(b).toMatchObject({ gpuHours: null, usd: null, verdict: null });
  });

  it("refuses a line that is none of its own", async () => {
    const one = folderWith({ ".scaling-lens/predictions.jsonl": '{"kind":"guess"}\n' });
    made.push(one);
    const { code, err } = await cli(one.folder, "ledger");
    expect(code).toBe(2);
    expect(err).toContain("line 1");
  });
});
