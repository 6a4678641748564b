import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";

const BUDGET =
  "name: a\nmodel: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget: { tasks: 1000, environments: 12, trajectories: 16 }\ntokens_per_trajectory: 8000\n";
const PRICES = "prices: { environment: 40 USD, task: 0.5 USD }\nhardware: { gpu: H100, price: 2.5 USD/h }\n";

const folders: ReturnType<typeof folderWith>[] = [];
function folder(): string {
  const made = folderWith({ "a.budget.yaml": BUDGET, "scaling.yaml": PRICES });
  folders.push(made);
  return made.folder;
}

afterEach(() => {
  for (const made of folders.splice(0)) made.remove();
});

describe("calibrate", () => {
  it("takes 0.42, 42 and 42 % for the same rate, and writes a fit that later commands read", async () => {
    const at = folder();
    const files = [];
    for (const [i, rate] of ["0.42", "42", "42 %", "42%"].entries()) {
      const run = await cli(at, "calibrate", "a.budget.yaml", "--success", rate, "--out", `${i}.fit.json`);
      expect(run.code, run.err).toBe(0);
      files.push(readFileSync(join(at, `${i}.fit.json`), "utf8"));
    }
    expect(new Set(files).size).toBe(1);
    const judged = await cli(at, "inspect", "a.budget.yaml", "--fit", "0.fit.json", "--json");
    const [experiment] = JSON.parse(judged.out).experiments;
    expect(experiment.prediction.successRate.estimate).toBeCloseTo(0.42, 2);
    // One run says nothing of the split.
    expect(experiment.verdict).toMatchObject({ kind: "not-known", probability: null });
    expect(experiment.verdict.reasons[0].code).toBe("verdict.few-runs");
  });

  it("names what the config does not state, of which the fit is silent", async () => {
    const { folder, remove } = folderWith({
      "a.budget.yaml": "model: Qwen3-8B\nbudget: { environments: 8, trajectories: 16 }\n",
    });
    const { out } = await cli(folder, "calibrate", "a.budget.yaml", "--success", "0.4");
    expect(out).toMatch(/^tasks: unknown in this config/m);
    remove();
  });

  it("keeps what it replaces, and refuses what is no rate", async () => {
    const at = folder();
    await cli(at, "calibrate", "a.budget.yaml", "--success", "42");
    const again = await cli(at, "calibrate", "a.budget.yaml", "--success", "58", "--json");
    expect(JSON.parse(again.out)).toMatchObject({ saved: "a.fit.json", kept: "a.fit.json.before", success: 0.58 });
    expect(readFileSync(join(at, "a.fit.json.before"), "utf8")).not.toBe(readFileSync(join(at, "a.fit.json"), "utf8"));
    for (const wrong of ["0", "100 %", "150", "abc", "1"])
      expect((await cli(at, "calibrate", "a.budget.yaml", "--success", wrong)).code, wrong).toBe(2);
  });
});
