import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allocate } from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import { fitted, instance, value } from "./support";

interface Recorded {
  axes: string[];
  floor: number;
  terms: { logCoefficient: number; exponents: number[] }[];
  cost: { coefficient: number; exponents: number[]; owned: number }[];
  low: number[];
  high: number[];
  budget: number;
  kind: string;
  slsqp: { error: number; reached: number; starts: number };
}

// Written by test/fixtures/allocation/slsqp.py with scipy.
const { problems } = JSON.parse(readFileSync("test/fixtures/allocation/slsqp.json", "utf8")) as {
  problems: Recorded[];
};

export function solveRecorded(problem: Recorded, starts = 6) {
  const { axes } = problem;
  return allocate({
    law: fitted(axes, instance(axes, { floor: problem.floor, terms: problem.terms })),
    cost: posynomialCost(
      problem.cost.map((term, i) => ({
        id: `term ${i}`,
        label: `term ${i}`,
        axis: null,
        part: "all",
        coefficient: term.coefficient,
        owned: term.owned,
        exponents: Object.fromEntries(axes.map((axis, a) => [axis, term.exponents[a]])),
      })),
    ),
    current: Object.fromEntries(axes.map((axis, a) => [axis, Math.sqrt(problem.low[a] * problem.high[a])])),
    limits: Object.fromEntries(axes.map((axis, a) => [axis, [problem.low[a], problem.high[a]] as const])),
    mode: { kind: "budget", amount: problem.budget },
    options: { starts, sensitivity: false },
  });
}

describe("against scipy's SLSQP from 20 starts", () => {
  it("has 200 problems of four laws and four costs", () => {
    expect(problems).toHaveLength(200);
    expect(new Set(problems.map((problem) => problem.kind)).size).toBe(4);
  });

  for (const kind of ["linear", "mixed", "product", "owned"]) {
    it(`is never worse by more than 1e-8, with a certificate (${kind} costs)`, () => {
      for (const problem of problems.filter((one) => one.kind === kind)) {
        const allocation = value(solveRecorded(problem));
        const error = 1 - allocation.continuous.predicted.estimate;
        // (1 - P) loses a few digits; the tolerance is relative to e.
        expect(error / problem.slsqp.error).toBeLessThanOrEqual(1 + 1e-8);
        expect(allocation.continuous.cost).toBeLessThanOrEqual(problem.budget * (1 + 1e-9));
        expect(allocation.certificate.kind).toBe("global");
        expect(allocation.certificate.gap).toBeLessThanOrEqual(1e-8);
        expect(allocation.certificate.agreement).toBe(1);
        // The certificate is a bound on what anyone can reach, so SLSQP must not be below it.
        expect(problem.slsqp.error / error).toBeGreaterThanOrEqual(Math.exp(-(allocation.certificate.gap ?? 0)) - 2e-8);
      }
    });
  }
});
