/** Small inputs on which the first release was wrong, with their right values. */
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { fitTable, openFit, predict, type FitFile, type FitOptions } from "../../../server/core/fit";
import type { FittedLaw } from "../../../server/core/laws/law";
import type { RunRow } from "../../../server/core/table";
import { shared } from "../../shared";

vi.setConfig({ testTimeout: 300_000 });

function rowsOf(path: string): RunRow[] | null {
  const file = shared(path);
  if (!file) return null;
  const [head, ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/);
  return lines.map((line, i): RunRow => {
    const cells = line.split(",").map(Number);
    const { successes, trials, loss, ...axes } = Object.fromEntries(head.split(",").map((name, j) => [name, cells[j]]));
    return {
      id: `run-${i}`,
      axes,
      outcome: loss === undefined ? { kind: "counts", successes, trials } : { kind: "loss", loss },
      setting: "",
      files: [],
    };
  });
}

function fitted(rows: readonly RunRow[], options: FitOptions = {}): { file: FitFile; law: FittedLaw } {
  const fit = fitTable({ rows, notes: [] }, { seed: 1, bootstrap: 400, ...options });
  if (!fit.ok) throw new Error(fit.problem.message);
  const law = openFit(fit.value);
  if (!law.ok) throw new Error(law.problem.message);
  return { file: fit.value, law: law.value };
}

const codes = (file: FitFile): string[] => file.warnings.map(({ code }) => code);

describe("cases", () => {
  const nested = rowsOf("cases/nested-weak-tasks.csv");
  it.skipIf(!nested)("a weak axis still moves predictions: within 1.5 points of the rows", () => {
    const { law } = fitted(nested!);
    const at = (tasks: number): number => predict(law, { environments: 64, trajectories: 16, tasks }).value.estimate;
    expect(Math.abs(at(100) - 471 / 600)).toBeLessThan(0.015);
    expect(Math.abs(at(6400) - 508 / 600)).toBeLessThan(0.015);
  });

  const bend = rowsOf("cases/one-axis-sigmoid.csv");
  it.skipIf(!bend)("the law with the largest weight is shown, and follows the bend", () => {
    const { file, law } = fitted(bend!);
    const heaviest = file.selection.reduce((a, b) => ((b.weight ?? 0) > (a.weight ?? 0) ? b : a));
    expect(file.law).toBe(heaviest.law);
    expect(file.law).toBe("sigmoid");
    expect(Math.abs(predict(law, { tasks: 16000 }).value.estimate - 0.876)).toBeLessThan(0.01);
  });

  const grid = rowsOf("cases/logistic-grid.csv");
  it.skipIf(!grid)("a logistic truth gets a logistic law, whose intervals hold it inside and at twice the runs", () => {
    const { file, law } = fitted(grid!);
    expect(["logistic", "logit"]).toContain(file.law);
    const weights = law.members!.reduce((sum, { weight }) => sum + weight, 0);
    expect(weights).toBeCloseTo(1, 6);
    const truth = (x: { environments: number; tasks: number; trajectories: number }): number => {
      const c = (x.environments / 32) ** 0.6 * (x.tasks / 800) ** 0.35 * (x.trajectories / 5.66) ** 0.2;
      return 0.08 + 0.8 / (1 + c ** -0.9);
    };
    for (const x of [
      { environments: 4, tasks: 100, trajectories: 2 },
      { environments: 32, tasks: 800, trajectories: 6 },
      { environments: 256, tasks: 6400, trajectories: 16 },
      { environments: 512, tasks: 12800, trajectories: 32 },
    ]) {
      const { low, high } = predict(law, x).value;
      expect(low).toBeLessThan(truth(x));
      expect(high).toBeGreaterThan(truth(x));
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
    }
  });

  const flop = rowsOf("cases/redundant-flop.csv");
  it.skipIf(!flop)("FLOP = 6ND beside N and D is left out with a note", () => {
    const { file } = fitted(flop!);
    expect(codes(file)).toContain("axis.derived");
    expect(file.axes).toEqual(["parameters", "tokens"]);
    const { parameters, tokens } = file.exponents;
    expect(parameters.low!).toBeLessThan(0.35);
    expect(parameters.high!).toBeGreaterThan(0.35);
    expect(tokens.low!).toBeLessThan(0.37);
    expect(tokens.high!).toBeGreaterThan(0.37);
    const alone = fitted(
      flop!.map((row) => ({
        ...row,
        axes: { parameters: row.axes.parameters, training_flop: row.axes["training_flop"] },
      })),
    );
    expect(codes(alone.file)).toContain("axis.tokens-derived");
    expect(alone.file.exponents.tokens.estimate!).toBeCloseTo(tokens.estimate!, 2);
  });

  it.skipIf(!flop)("a column that repeats the outcome is no axis", () => {
    const { file } = fitted(
      flop!.map((row) => ({ ...row, axes: { ...row.axes, eval_loss: (row.outcome as { loss: number }).loss } })),
    );
    expect(codes(file)).toContain("axis.is-outcome");
    expect(file.axes).toEqual(["parameters", "tokens"]);
  });

  it.skipIf(!flop)("raw mean squares of losses", () => {
    const { file } = fitted(flop!, { loss: "mse", law: "additive" });
    expect(file.loss.name).toBe("mse");
    expect(file.link).toBe("identity");
    expect(file.exponents.parameters.estimate!).toBeCloseTo(0.35, 1);
  });

  const near = rowsOf("cases/near-zero/runs.csv");
  it.skipIf(!near)(
    "runs near zero: no law leaves 0 to 1, and 0, 1, 2, 3 successes of 500 move predictions smoothly",
    () => {
      const zero = near!.findIndex(({ outcome }) => outcome.kind === "counts" && outcome.successes === 0);
      const places = [
        { tasks: 1300, environments: 8, trajectories: 128 },
        { tasks: 300, environments: 12, trajectories: 36 },
        { tasks: 3000, environments: 36, trajectories: 12 },
      ];
      const seen = [0, 1, 2, 3].map((successes) => {
        const { law } = fitted(
          near!.map((row, i) => (i === zero ? { ...row, outcome: { kind: "counts", successes, trials: 500 } } : row)),
        );
        return places.map((x) => predict(law, x).value);
      });
      for (const values of seen)
        for (const { estimate, low, high } of values) {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(estimate).toBeGreaterThan(0);
          expect(high).toBeLessThanOrEqual(1);
        }
      for (let k = 1; k < 4; k++)
        seen[k].forEach(({ estimate }, i) => expect(Math.abs(estimate - seen[k - 1][i].estimate)).toBeLessThan(0.01));
      const best = seen[0][0];
      expect(best.low).toBeLessThan(0.381);
      expect(best.high).toBeGreaterThan(0.381);
    },
  );
});
