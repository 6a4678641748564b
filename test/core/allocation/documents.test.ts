import { describe, expect, it } from "vitest";
import { allocate, compareAllocations, compareSections, computeEquivalentGain, disagreement, explainSections, growthPath, toMarkdown } from "../../../server/core/allocation";
import type { AllocationProblem } from "../../../server/core/allocation";
import { costModel, hardware } from "../../../server/core/cost";
import { fitted, instance, multiplicative, normal, random, value } from "./support";

const AXES = ["tasks", "environments", "trajectories"];
const gauss = normal(random(3));
const draws = Array.from({ length: 200 }, () => instance(AXES, multiplicative(0.15 + 0.02 * gauss(), 3, [0.25, 0.315, 0.12].map((a) => a * Math.exp(0.1 * gauss())))));
const law = fitted(AXES, instance(AXES, multiplicative(0.15, 3, [0.25, 0.315, 0.12])), { law: "multiplicative", draws, priorOnly: ["trajectories"] });
const cost = value(costModel({
  prices: { environments: { real: { value: 40, unit: "USD", source: "scaling.yaml" } }, tasks: { real: { value: 0.5, unit: "USD" } } },
  hardware: hardware("H100"), parameters: 8.2e9, tokensPerTrajectory: 12000, design: { kind: "nested" },
}));
const problem: AllocationProblem = { law, cost, current: { tasks: 4000, environments: 8, trajectories: 32 }, limits: { trajectories: [2, 64] }, whole: {} };

describe("an explained allocation", () => {
  const allocation = value(allocate(problem));
  const sections = explainSections({
    allocation, cost, law, fit: { name: "fits/appworld.fit.json", runs: 27, simulated: true },
    gains: [value(computeEquivalentGain(problem, "trajectories-only", 3000))],
    growth: value(growthPath(problem, [1000, 10000])),
    disagreement: value(disagreement(law, allocation)),
  });
  const text = toMarkdown("appworld", sections);

  it("has every part, with numbers, formulas, assumptions and sources", () => {
    expect(sections.map((section) => section.id)).toEqual(["recommendation", "split", "cost", "values", "method", "sensitivity", "gains", "growth", "recipe", "assumptions", "limits"]);
    for (const part of [
      "points \\[", "environments 8 →", "minimise e(x) subject to cost(x) ≤ budget", "nested: each task in one environment", "scaling.yaml", "preset: assumed rental price",
      "\\[inferred\\]", "27 runs, simulated", "rests on the prior alone", "scale the trajectories only",
    ]) expect(text).toContain(part);
    for (const one of cost.assumptions) expect(text).toContain(one.source.replace(/[`]/g, "\\`"));
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("prints every assumption of the price, and no number without a reason to be there", () => {
    const assumptions = sections.find((section) => section.id === "assumptions")?.blocks[0];
    expect(assumptions?.kind === "table" ? assumptions.rows.length : 0).toBe(cost.assumptions.length);
  });

  it("says within noise instead of nagging", () => {
    const best = value(allocate({ ...problem, current: allocation.optimum.levels }));
    const short = toMarkdown("best", explainSections({ allocation: best, cost, law }));
    expect(short).toContain("within noise of the best one");
    expect(short).not.toContain("Change ");
  });

  it("cannot be made to carry markup by a file's name", () => {
    expect(toMarkdown("a [x](command:y) <b>|`z`", [])).toBe("# a \\[x\\](command:y) \\<b\\>|\\`z\\`\n");
  });
});

describe("a comparison", () => {
  it("pairs the draws, says what it left out, and needs two", () => {
    const comparison = value(compareAllocations([
      { name: "a.yaml", problem }, { name: "b.yaml", problem: { ...problem, current: { tasks: 1000, environments: 60, trajectories: 32 } } },
      { name: "c.yaml", problem: { ...problem, current: { tasks: 1000 } } },
    ]));
    expect(comparison.items).toHaveLength(2);
    expect(comparison.skipped.map((one) => one.name)).toEqual(["c.yaml"]);
    expect(comparison.items[1].difference?.points.estimate).toBeGreaterThan(0);
    const text = toMarkdown("Compare", compareSections(comparison));
    for (const part of ["b.yaml against a.yaml:", "of the draws", "Left out", "c.yaml: The law depends on environments"]) expect(text).toContain(part);
    expect(compareAllocations([{ name: "a.yaml", problem }])).toMatchObject({ ok: false, problem: { code: "compare.too-few" } });
  });

  it("does not pair splits of different fits", () => {
    const other = value(compareAllocations([{ name: "a", problem }, { name: "b", problem: { ...problem, law: { ...law } } }]));
    expect(other.items[1].difference).toBeNull();
    expect(other.items[1].reason).toContain("different fits");
  });
});
