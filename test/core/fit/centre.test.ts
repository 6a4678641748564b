/** The one point that stands for a posterior predicts what its draws predict, run by run. */
import { describe, expect, it } from "vitest";
import { fitTable, openFit, predict } from "../../../server/core/fit";
import { quantile } from "../../../server/core/numerics/special";
import { simulate, TRUTHS } from "./simulate";

const CUBE = [200, 800].flatMap((tasks) =>
  [4, 16].flatMap((environments) => [8, 32].map((trajectories) => ({ tasks, environments, trajectories }))),
);

describe.each(["multiplicative", "additive", "nested"])("eight runs under the %s law", (law) => {
  // A high floor: most of the error cannot be removed, so that floor and coefficient trade along a curved ridge.
  const rows = simulate(5, (x) => 0.35 + 0.9 * (TRUTHS.multiplicative.error(x) - 0.08), CUBE);
  const fit = fitTable({ rows, notes: [] }, { law, bootstrap: 600 });
  if (!fit.ok) throw new Error(fit.problem.message);
  const opened = openFit(fit.value);
  if (!opened.ok) throw new Error(opened.problem.message);

  it("the estimate lies in the middle of its interval's draws", () => {
    expect(fit.value.draws.kind).toBe("posterior");
    let bias = 0;
    for (const { axes, outcome } of rows) {
      const { value } = predict(opened.value, axes),
        x = opened.value.axes.map((axis) => axes[axis] ?? NaN);
      const drawn = opened.value.draws.map((draw) => 1 - draw.error(x));
      expect(value.estimate).toBeGreaterThan(quantile(drawn, 0.1));
      expect(value.estimate).toBeLessThan(quantile(drawn, 0.9));
      if (outcome.kind === "counts") bias += (value.estimate - outcome.successes / outcome.trials) / rows.length;
    }
    expect(Math.abs(bias)).toBeLessThan(0.012);
  });
});
