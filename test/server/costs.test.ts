import { describe, expect, it } from "vitest";
import { assess } from "../../server/assessment/assess";
import { findScaling } from "../../server/operations/scaling";
import { loadFit } from "../../server/operations/fits";
import { costSection } from "../../server/report/cost";
import { runJob } from "../../server/operations/runJob";
import { isKnown, type Fact } from "../../server/budget/budget";
import { inPlaceRunner } from "../../server/operations/runner";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI, SCALING_WITH_LOGS, simulatedTable } from "./runs";

const value = (fact: Fact<number>) => (isKnown(fact) ? fact.value : NaN);
const note = (fact: Fact<number>) => (isKnown(fact) ? (fact.note ?? "") : fact.reason);

async function judged(text: string, scaling = SCALING_WITH_LOGS, table = simulatedTable()) {
  const host = new MemoryHost();
  addProject(host, "file:///w", scaling);
  host.set("file:///w/runs.csv", table);
  const found = await findScaling(host, BUDGET_URI, "file:///w");
  const fit = await loadFit({
    host,
    jobs: inPlaceRunner(host, runJob),
    folderUri: found.folderUri,
    scaling: found.scaling,
    law: "multiplicative",
    bootstrap: 30,
  });
  const { experiments } = await assess({ uri: BUDGET_URI, text, host, scaling: found.scaling?.file ?? null, fit });
  return { experiment: experiments[0], fit };
}

describe("what a run costs", () => {
  it("needs no fit: rollouts, tokens and compute by the counts of the method", async () => {
    const {
      experiment: { costs },
    } = await judged(
      BUDGET,
      "hardware: { gpu: H100, price: 2.5 USD/h, utilisation: { generation: 0.25, training: 0.4 } }\n",
    );
    expect(value(costs.rollouts)).toBe(64_000);
    expect(value(costs.tokens)).toBe(64_000 * 12_000);
    // 2·N·L generated + 2·N·L reference + 6·N·L trained, N = 8e9.
    expect(value(costs.compute)).toBeCloseTo(64_000 * 10 * 8e9 * 12_000, -12);
    const perToken = 64_000 * 12_000 * 8e9;
    // One generated, an old-policy and a reference, one trained pass, each at the utilisation that is stated.
    const hours = (perToken * (2 / (989e12 * 0.25) + 10 / (989e12 * 0.4))) / 3600;
    expect(value(costs.gpuHours)).toBeCloseTo(hours, 6);
    expect(value(costs.usd)).toBeCloseTo(2.5 * hours, 6);
    expect(isKnown(costs.wallClockHours)).toBe(false);
  });

  it("steps × prompts × rollouts win over the split where a config states them, and the wall clock follows from the GPUs", async () => {
    const text =
      BUDGET.replace(
        "  trajectories: 64      # rollouts per task\n",
        "  prompts_per_step: 64\n  group_size: 8\n  steps: 100\n",
      ) + "gpus: 16\n";
    const {
      experiment: { costs },
    } = await judged(text, "");
    expect(value(costs.rollouts)).toBe(64 * 8 * 100);
    expect(value(costs.tokensPerStep)).toBe(64 * 8 * 12_000);
    expect(value(costs.wallClockHours)).toBeCloseTo(value(costs.gpuHours) / 16, 9);
  });

  it("Explain shows where the hours go, as bars, and the three assumptions that make most of the interval", async () => {
    const text =
      BUDGET.replace(
        "  trajectories: 64      # rollouts per task\n",
        "  prompts_per_step: 64\n  group_size: 8\n  steps: 100\n",
      ) + "gpus: 16\nevaluation: { every: 5, samples: 5000 }\n";
    const { experiment } = await judged(text, "");
    if (experiment.cost.kind !== "run") throw new Error("no cost");
    const { cost } = experiment.cost;
    const said = costSection(experiment);
    const rows = [...said.matchAll(/^\| ([a-z- ]+?) +\| +([\d.]+k?) +\| +(\d+) % +\| (█*) *\|$/gm)].map(
      ([, part, , share, bar]) => ({ part, share: Number(share), bar: bar.length }),
    );
    expect(rows[0].part).toBe("evaluation");
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeGreaterThan(97);
    for (const [i, { share, bar }] of rows.entries()) {
      expect(Math.abs(bar - (16 * share) / 100)).toBeLessThanOrEqual(0.6);
      if (i > 0) expect(share).toBeLessThanOrEqual(rows[i - 1].share);
    }
    const worth = [...said.matchAll(/^- (.+?) \(.*\): (\d+) % of the interval$/gm)];
    expect(worth.map(([, name, share]) => [name, Number(share)])).toEqual(
      cost.assumptions.slice(0, 3).map(({ name, share }) => [name, Math.round(100 * share)]),
    );
    expect(worth).toHaveLength(3);
  });

  it("an unknown stays unknown with its reason, never 0", async () => {
    const {
      experiment: { costs },
    } = await judged(BUDGET.replace("tokens_per_trajectory: 12000\n", ""), "");
    expect(isKnown(costs.tokens)).toBe(false);
    expect(note(costs.tokens)).toMatch(/./);
    expect(isKnown(costs.compute)).toBe(false);
    expect(value(costs.rollouts)).toBe(64_000);
  });

  it("what runs of the same model measured stands in for bounds and for utilisation", async () => {
    const rows = simulatedTable()
      .trim()
      .split("\n")
      .map((line, i) =>
        i === 0
          ? `${line},parameters,tokens_per_trajectory,gpu_hours`
          : `${line},8e9,9000,${Number(line.split(",")[0]) * Number(line.split(",")[2]) * 0.002}`,
      );
    const { experiment, fit } = await judged(
      BUDGET.replace("tokens_per_trajectory: 12000\n", "max_prompt_tokens: 1000\nmax_response_tokens: 31000\n"),
      SCALING_WITH_LOGS,
      `${rows.join("\n")}\n`,
    );
    expect(value(experiment.costs.tokens)).toBe(64_000 * 9000);
    expect(note(experiment.budget.tokensPerTrajectory)).toContain("measured: median of 54 runs");
    expect(value(experiment.costs.gpuHours)).toBeCloseTo(64_000 * 0.002, 6);
    expect(note(experiment.costs.gpuHours)).toContain("measured");
    if (fit.kind !== "ready") throw new Error("no fit");
    const { provenance } = fit.fit.file;
    expect(provenance.files).toEqual([
      {
        file: "runs.csv",
        size: expect.any(Number) as number,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
    expect(provenance.runs).toBe(54);
  });

  it("runs longer than the config's own lengths allow tell neither its tokens nor its hours, and that is said", async () => {
    const rows = simulatedTable()
      .trim()
      .split("\n")
      .map((line, i) => `${line},${i === 0 ? "parameters,tokens_per_trajectory,gpu_hours" : "8e9,32000,500"}`);
    const lengths = "max_prompt_tokens: 1024\nmax_response_tokens: 4096\n";
    const text = BUDGET.replace("tokens_per_trajectory: 12000\n", lengths);
    const { experiment } = await judged(text, SCALING_WITH_LOGS, `${rows.join("\n")}\n`);
    expect(value(experiment.budget.tokensPerTrajectory)).toBe(5120);
    expect(value(experiment.costs.tokens)).toBe(64_000 * 5120);
    expect(note(experiment.budget.tokensPerTrajectory)).toContain("at most: prompt 1024 + response 4096");
    expect(note(experiment.budget.tokensPerTrajectory)).toContain("the fit's runs are of another length: 32000 tokens");
    expect(note(experiment.costs.gpuHours)).not.toContain("median of");
    expect(value(experiment.costs.gpuHours)).toBeLessThan(64_000 * 0.01);
  });

  it("a stated mean of tokens is not replaced by a measured one", async () => {
    const rows = simulatedTable()
      .trim()
      .split("\n")
      .map((line, i) => (i === 0 ? `${line},parameters,tokens_per_trajectory` : `${line},8e9,9000`));
    const { experiment } = await judged(BUDGET, SCALING_WITH_LOGS, `${rows.join("\n")}\n`);
    expect(value(experiment.costs.tokens)).toBe(64_000 * 12_000);
  });

  it("`compute:` is what is to be spent: it moves no cost, and a split that takes another amount is said", async () => {
    const plain = (await judged(BUDGET, "")).experiment;
    const { experiment } = await judged(`${BUDGET}compute: 3e21 FLOPs\n`, "");
    expect(experiment.costs).toEqual(plain.costs);
    expect(experiment.notes.filter(({ code }) => code === "compute.disagrees")).toMatchObject([
      { severity: "information", message: expect.stringMatching(/takes .*, less than `compute:` gives/) },
    ]);
    const over = (await judged(`${BUDGET}compute: 3e19 FLOPs\n`, "")).experiment;
    expect(over.notes).toMatchObject([
      { severity: "warning", message: expect.stringContaining("more than `compute:`") },
    ]);
    const limit = (await judged(`${BUDGET}constraints: { gpu_hours: 1 }\n`, "")).experiment;
    expect(limit.notes).toMatchObject([{ message: expect.stringContaining("above `constraints.gpu_hours` (1 GPUh)") }]);
    // It is marked where it stands.
    expect(limit.budget.sites.some(({ path }) => path === limit.notes[0].at)).toBe(true);
    expect(experiment.budget.sites.some(({ path }) => path === over.notes[0].at)).toBe(true);
  });

  it("`measured:` prices a rollout, and is shown as stated", async () => {
    const { experiment } = await judged(`${BUDGET}measured: { gpu_hours: 640 }\n`, "");
    expect(experiment.costs.gpuHours).toMatchObject({ value: 640, source: "config", note: "measured" });
    expect(experiment.cost).toMatchObject({
      cost: { basis: "measured", gpuHours: { estimate: 640, low: 640, high: 640 } },
    });
    // Measured for other rollouts than the split has: twice as many, half as much each.
    const half = (await judged(`${BUDGET}measured: { gpu_hours: 640, rollouts: 128000 }\n`, "")).experiment;
    expect(half.costs.gpuHours).toMatchObject({ source: "derived" });
    expect(value(half.costs.gpuHours)).toBeCloseTo(320, 9);
    expect(note(half.costs.gpuHours)).toContain("640 GPU-hours for 128k rollouts");
    const { cost } = half;
    expect(cost.kind === "run" && cost.cost.gpuHours!.high).toBeGreaterThan(320);
  });
});
