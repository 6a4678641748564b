/** Tables of thousands of runs: what is done with less care must not show. */
import { describe, expect, it } from "vitest";
import { fitTable } from "../../../server/core/fit";
import { manyStarts, observe, rangesOf } from "../../../server/core/solve/manyStarts";
import { bootstrap } from "../../../server/core/fit/intervals/bootstrap";
import { solver } from "../../../server/core/solve/levenberg";
import { binomial } from "../../../server/core/solve/likelihood";
import { prepare } from "../../../server/core/fit/data/prepare";
import { lawFamily } from "../../../server/core/laws/list";
import { random, seedOf } from "../../../server/core/numerics/random";
import { simulate, TRUTHS } from "./simulate";

const AXES = ["tasks", "environments", "trajectories"];
const RUNS = 2400,
  DRAWS = 40;

function table(seed: number) {
  const stream = random(seed);
  const levels = Array.from({ length: RUNS }, () => ({
    tasks: Math.round(100 * 64 ** stream.next()),
    environments: Math.round(4 * 64 ** stream.next()),
    trajectories: 2 + stream.below(15),
  }));
  return (law: string) => simulate(seed, TRUTHS[law].error, levels);
}

describe("refits of a large table", () => {
  it.each(["multiplicative", "additive", "nested"])("arrive at their own optimum (%s)", (law) => {
    const prepared = prepare({ rows: table(4)(law), notes: [] }, AXES);
    if (!prepared.ok) throw new Error(prepared.problem.message);
    const { runs } = prepared.value,
      ranges = rangesOf(runs, AXES),
      seen = observe(runs, AXES, ranges);
    const model = lawFamily(law)!.members(AXES, { response: "success", top: 1, ranges })[0];
    const { theta } = manyStarts(model, seen, binomial, 20, 1);
    const draws = bootstrap(
      model,
      seen,
      binomial,
      runs.map((_, i) => [i]),
      [theta],
      DRAWS,
      1,
      () => true,
    )!;
    // The same resamples again, each to the last digit.
    const stream = random(seedOf(1, "bootstrap")),
      weight = new Float64Array(seen.m),
      solve = solver(model, seen),
      e = new Float64Array(2),
      u = Float64Array.from([2.5, 0, 2.5, 0, 1, 0]);
    const predictions = (at: Float64Array): number[] => {
      model.evaluate(at, u, 2, e, null);
      return Array.from(e);
    };
    const pairs = draws.map((draw) => {
      weight.fill(0);
      for (let g = 0; g < runs.length - model.parameters.length; g++) weight[stream.below(runs.length)] += 1;
      return {
        rough: predictions(draw),
        exact: predictions(solve.solve(draw, weight, binomial, { tolerance: 1e-12, maxIterations: 500 }).theta),
      };
    });
    for (const i of [0, 1]) {
      const exact = pairs.map((pair) => pair.exact[i]),
        mean = exact.reduce((a, b) => a + b, 0) / DRAWS;
      const sd = Math.sqrt(exact.reduce((sum, value) => sum + (value - mean) ** 2, 0) / DRAWS);
      // Now and then another optimum is as good: a law with rivals of its own may end in either.
      expect(
        pairs.filter((pair) => Math.abs(pair.rough[i] - pair.exact[i]) < 0.1 * sd).length / DRAWS,
      ).toBeGreaterThanOrEqual(0.95);
    }
  });

  it("are 400 unless asked for, which the fit states", () => {
    const rows = table(5)("multiplicative");
    const fit = fitTable({ rows, notes: [] }, { law: "multiplicative", starts: 4 }),
      asked = fitTable({ rows, notes: [] }, { law: "multiplicative", starts: 4, bootstrap: 50 });
    if (!fit.ok || !asked.ok) throw new Error("refused");
    expect(fit.value.draws.count).toBe(400);
    expect(asked.value.draws.count).toBe(50);
    expect(asked.value.exponents).toEqual(fit.value.exponents);
  });
});
