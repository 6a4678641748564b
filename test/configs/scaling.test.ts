import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../server/configs/read";
import { isKnown } from "../../server/budget/budget";
import { factRulesFor, readScalingFile } from "../../server/configs/scaling/scalingFile";
import { renderDiagnostics } from "./render";

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/configs/scaling/${name}`, import.meta.url), "utf8");
const scaling = readScalingFile("file:///w/scaling.yaml", fixture("scaling.yaml"));
const values = (object: object): object =>
  JSON.parse(JSON.stringify(object, (key, value: unknown) => (key === "span" ? undefined : value))) as object;

describe("scaling.yaml", () => {
  test("every key is read, in its unit", () => {
    expect(scaling.diagnostics).toEqual([]);
    expect(scaling.fit?.value).toBe("fits/appworld.fit.json");
    expect(scaling.logs.map(({ value }) => value)).toEqual(["runs/**", "more/"]);
    expect(scaling.metric?.value).toBe("val-core/*/acc/mean@1");
    expect(scaling.final).toBe("last");
    expect(scaling.columns).toEqual({ tasks: "data/num_prompts", seed: "config.seed" });
    expect(values(scaling.hardware)).toEqual({
      gpu: { value: "H100" },
      count: { value: 16 },
      price: { value: 2.5 },
      peak: { value: 989e12 },
      utilisation: { generation: { value: 0.25 }, training: { value: 0.4 } },
    });
    expect(values(scaling.prices)).toEqual({
      real: { environments: { value: 40, unit: "USD" }, tasks: { value: 0.5, unit: "USD" } },
      synthetic: {
        environments: { value: 6, unit: "USD" },
        tasks: { value: 0.02, unit: "USD" },
        trajectories: { value: 0.01, unit: "GPUh" },
      },
    });
    expect(values(scaling.limits)).toEqual({
      environments: { low: 1, high: 200 },
      trajectories: { low: 2, high: 64 },
      tasks: { low: 100, high: 100000 },
    });
    expect(scaling.pin).toEqual(["parameters"]);
    expect(scaling.design).toBe("nested");
  });

  test.each([
    ["989 TFLOPS", 989e12],
    ["989e12", 989e12],
    ["989 TFLOP/s", 989e12],
    ["989 TFLOPs", 989e12],
    ["3.5604e18 FLOP/h", 989e12],
  ])("a peak of %s is %d FLOP per second", (written, peak) => {
    const read = readScalingFile("file:///w/scaling.yaml", `hardware: { peak: ${written} }\n`);
    expect(read.diagnostics).toEqual([]);
    expect(read.hardware.peak?.value).toBeCloseTo(peak, -3);
  });

  test("facts hold for the files that their globs match, later rules last", () => {
    const tasks = (path: string) => factRulesFor(scaling, `file:///w/${path}`).map((rule) => rule.numbers.tasks?.value);
    expect(tasks("configs/swe/a.toml")).toEqual([4096]);
    expect(tasks("configs/swe/big.toml")).toEqual([4096, 9000]);
    expect(tasks("run.sh")).toEqual([512]);
    expect(tasks("scripts/deep/run.sh")).toEqual([512]);
    expect(tasks("configs/deep/x/y.yaml")).toEqual([512]);
    expect(tasks("configs/swe/a.yaml")).toEqual([]);
    expect(tasks("configs/swe/with%20space.toml")).toEqual([4096]);
  });

  test("facts hold for a document that is not saved yet, by its name", () => {
    const own = readScalingFile("file:///w/scaling.yaml", 'facts:\n  - files: "Untitled-*"\n    environments: 12\n');
    expect(factRulesFor(own, "untitled:Untitled-1").map((rule) => rule.numbers.environments?.value)).toEqual([12]);
  });

  test("what cannot be read has a diagnostic on its place, and the rest is read", async () => {
    const text = fixture("broken.scaling.yaml");
    const read = readScalingFile("file:///w/scaling.yaml", text);
    expect(read.pin).toEqual(["tasks"]);
    await expect(`${renderDiagnostics(text, read.diagnostics).join("\n")}\n`).toMatchFileSnapshot(
      "../fixtures/configs/scaling/broken.golden.txt",
    );
  });

  test("an empty file states nothing and complains of nothing", () => {
    for (const text of ["", "# only a comment\n", "---\n"]) {
      const read = readScalingFile("file:///w/scaling.yaml", text);
      expect(read.diagnostics).toEqual([]);
      expect(read.fit).toBeNull();
      expect(read.final).toBeNull();
    }
  });
});

describe("facts fill what a budget leaves open", () => {
  const read = (name: string, text: string) =>
    readConfig({ uri: `file:///w/${name}`, text, facts: scaling, readText: async () => undefined });

  test("stated values win over facts, and facts say where they come from", async () => {
    const facts = readScalingFile(
      "file:///w/scaling.yaml",
      "facts:\n  - files: '*.budget.yaml'\n    tasks: 9\n    environments: 7\n    model: Qwen3-8B\n    parameters: 5e9\n    design: nested\n",
    );
    const { experiments } = await readConfig({
      uri: "file:///w/a.budget.yaml",
      text: "name: a\nbudget: { tasks: 100, trajectories: 8 }\n",
      facts,
      readText: async () => undefined,
    });
    const [budget] = experiments;
    expect(budget.axes.tasks).toMatchObject({ value: 100, source: "config" });
    expect(budget.axes.environments).toMatchObject({
      value: 7,
      source: "scaling.yaml",
      file: "file:///w/scaling.yaml",
      note: "facts for *.budget.yaml",
    });
    expect(budget.model.name).toMatchObject({ value: "Qwen3-8B", source: "scaling.yaml" });
    expect(budget.model.activeParameters).toMatchObject({ value: 5e9 });
    expect(budget.design).toMatchObject({ value: "nested", source: "scaling.yaml" });
  });

  test("a verl script whose rows are elsewhere gets its tasks, and steps and rollouts follow", async () => {
    const text =
      "data:\n  train_batch_size: 64\n  max_prompt_length: 512\n  max_response_length: 512\nactor_rollout_ref:\n  model: { path: Qwen/Qwen3-8B }\n  rollout: { n: 8, name: vllm }\n  actor: { ppo_mini_batch_size: 64 }\nalgorithm: { adv_estimator: grpo }\ntrainer: { total_epochs: 2, nnodes: 1, n_gpus_per_node: 8 }\n";
    const { framework, experiments } = await read("configs/deep/run.yaml", text);
    expect(framework).toBe("verl");
    const [budget] = experiments;
    expect(budget.axes.tasks).toMatchObject({ value: 512, source: "scaling.yaml" });
    expect(budget.steps).toMatchObject({ value: 16 });
    expect(isKnown(budget.axes.trajectories) && budget.axes.trajectories.value).toBe(16);
    expect(budget.rewardScheme).toMatchObject({ value: "terminal", source: "scaling.yaml" });
    expect(budget.coverage).toMatchObject({ value: 0.5 });
  });
});
