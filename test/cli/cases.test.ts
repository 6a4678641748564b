import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shared } from "../shared";
import { cli, folderWith } from "./harness";

const unvaried = shared("cases/unvaried/runs.csv");

describe("rollouts never varied in the runs", () => {
  it.skipIf(!unvaried)("is not known, never approval, and the plan has two levels that would tell", async () => {
    const names = ["runs.csv", "scaling.yaml", "a.budget.yaml"];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(unvaried!, "..", name), "utf8")]));
    const made = folderWith(files);
    try {
      const judged = await cli(made.folder, "inspect", "a.budget.yaml", "--json");
      const { verdict } = JSON.parse(judged.out).experiments[0];
      expect(verdict.kind).toBe("not-known");
      expect(verdict.probability).toBeNull();
      expect(verdict.reasons.map(({ code }: { code: string }) => code)).toEqual(["verdict.never-varied"]);
      expect((await cli(made.folder, "check", "a.budget.yaml")).code).toBe(0);
      const { out: planned } = await cli(made.folder, "plan", "a.budget.yaml");
      expect(planned).toMatch(/2 runs, two levels of trajectories, .* in all/);
      expect(planned).not.toContain("Nothing is fitted");
      const { out: split } = await cli(made.folder, "optimise", "a.budget.yaml");
      expect(split).toMatch(/GPU-hours per rollout +0\.00\d+ /);
      expect(split).not.toMatch(/\bpp\b/);
      const plan = JSON.parse((await cli(made.folder, "plan", "a.budget.yaml", "--runs", "4", "--json")).out);
      expect(plan.runs).toHaveLength(2);
      const levels = plan.runs.map((run: { levels: { trajectories: number } }) => run.levels.trajectories);
      expect(Math.min(...levels)).toBeLessThan(16);
      expect(Math.max(...levels)).toBeGreaterThan(16);
    } finally {
      made.remove();
    }
  });
});
