/** Tables that cannot give what is asked: each gets a typed refusal or a warning, never a silent number or an exception. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTable, openFit, predict } from "../../../server/core/fit";
import { random } from "../../../server/core/numerics/random";
import type { RunRow } from "../../../server/core/table";
import { GRID, simulate, simulatedRun, TRUTHS, type Levels } from "./simulate";

const truth = TRUTHS.multiplicative.error;
const options = { bootstrap: 60, starts: 8 } as const;
const fitted = (rows: readonly RunRow[], more: Parameters<typeof fitTable>[1] = {}) => {
  const fit = fitTable({ rows, notes: [] }, { ...options, ...more });
  if (!fit.ok) throw new Error(`${fit.problem.code}: ${fit.problem.message}`);
  return fit.value;
};
const refusal = (rows: readonly RunRow[], more: Parameters<typeof fitTable>[1] = {}): string => {
  const fit = fitTable({ rows, notes: [] }, { ...options, ...more });
  return fit.ok ? "fitted" : fit.problem.code;
};
const codes = (value: { warnings: readonly { code: string }[] }): string[] => value.warnings.map((one) => one.code);
const grid = simulate(3, truth, GRID);

describe("axes that the runs cannot tell", () => {
  const together = GRID.map((x): Levels => ({ ...x, environments: x.tasks / 20 }));

  it("co-scaled axes are refused by name, and held to their own line", () => {
    const fit = fitted(simulate(5, truth, together));
    for (const [axis, other] of [
      ["tasks", "environments"],
      ["environments", "tasks"],
    ]) {
      expect(fit.exponents[axis]).toMatchObject({ estimate: null, low: null, high: null, status: "refused" });
      expect(fit.exponents[axis].reason).toContain(other);
    }
    expect(fit.exponents.trajectories.status).toBe("fitted");
    expect(codes(fit)).toContain("axis.co-scaled");
    const law = openFit(fit);
    if (!law.ok) throw new Error(law.problem.message);
    const onLine = { tasks: 3200, environments: 160, trajectories: 8 };
    const along = predict(law.value, onLine);
    expect(along.held).toEqual([]);
    expect(Math.abs(along.value.estimate - (1 - truth(onLine)))).toBeLessThan(0.03);
    expect(
      predict(law.value, { tasks: 3200, environments: 8, trajectories: 8 })
        .held.map((one) => one.axis)
        .sort(),
    ).toEqual(["environments", "tasks"]);
  });

  it("a constant product of two axes is co-scaling too", () => {
    const fit = fitted(
      simulate(
        5,
        truth,
        GRID.map((x) => ({ ...x, trajectories: 12800 / x.tasks })),
      ),
    );
    expect(fit.exponents.tasks.status).toBe("refused");
    expect(fit.exponents.trajectories.status).toBe("refused");
    expect(fit.exponents.environments.status).toBe("fitted");
  });

  it("an axis with one level is refused; so is the additive law's floor", () => {
    const rows = simulate(
      6,
      truth,
      GRID.map((x) => ({ ...x, trajectories: 8 })),
    );
    const any = fitted(rows);
    expect(any.exponents.trajectories).toMatchObject({ status: "refused", estimate: null });
    expect(any.refused).toMatchObject([{ axis: "trajectories", code: "one-level" }]);
    expect(any.refused[0].level).toBeCloseTo(8);
    const additive = fitted(rows, { law: "additive" });
    expect(additive.floor).toMatchObject({ estimate: null });
    expect(additive.floor.reason).toContain("trajectories");
  });

  it("no axis that varies at all refuses the table", () => {
    expect(
      refusal(
        simulate(
          7,
          truth,
          GRID.map(() => GRID[5]),
        ),
      ),
    ).toBe("axes.one-level");
  });

  it("two levels, or less than 0.9 decades, are warned of", () => {
    const fit = fitted(
      simulate(
        8,
        truth,
        GRID.map((x) => ({ ...x, trajectories: x.trajectories > 4 ? 8 : 4 })),
      ),
    );
    expect(codes(fit)).toEqual(expect.arrayContaining(["axis.few-levels", "axis.short-range"]));
  });

  it("success that does not depend on anything leaves no exponent standing", () => {
    const fit = fitted(simulate(9, () => 0.4, GRID));
    for (const one of Object.values(fit.exponents)) expect(one.status === "refused" || one.low! <= 0.03).toBe(true);
  });
});

describe("outcomes", () => {
  it.each([
    ["no rows", [], "table.empty"],
    ["one run", grid.slice(0, 1), "table.one-run"],
    ["all successes", simulate(1, () => 0, GRID, { noise: 0 }), "outcome.all-successes"],
    ["all failures", simulate(1, () => 1, GRID, { noise: 0 }), "outcome.all-failures"],
    ["only NaN", grid.map((row): RunRow => ({ ...row, outcome: { kind: "rate", rate: NaN } })), "table.no-usable-rows"],
    [
      "rates in percent",
      grid.map((row): RunRow => ({ ...row, outcome: { kind: "rate", rate: 61.5 } })),
      "table.no-usable-rows",
    ],
    [
      "losses among rates",
      [grid[0], { ...grid[1], outcome: { kind: "loss", loss: 2 } } as RunRow],
      "table.mixed-responses",
    ],
    ["no axes", grid.map((row): RunRow => ({ ...row, axes: {} })), "table.no-axes"],
  ])("%s: refused", (_, rows, code) => expect(refusal(rows)).toBe(code));

  it("names the unit when rates look like percent", () => {
    const fit = fitTable(
      { rows: [...grid, { ...grid[0], id: "x", outcome: { kind: "rate", rate: 61.5 } }], notes: [] },
      options,
    );
    if (!fit.ok) throw new Error(fit.problem.message);
    expect(fit.value.rows).toBe(64);
    expect(fit.value.warnings.find((one) => one.code === "row.rate-out-of-range")!.message).toContain("percent");
  });

  it("two runs are answered by the prior, and say so", () => {
    const fit = fitted([grid[0], { ...grid[63], axes: { ...grid[63].axes, environments: 4, trajectories: 2 } }]);
    expect(fit.draws.kind).toBe("posterior");
    expect(codes(fit)).toContain("table.few-runs");
    expect(fit.exponents.tasks.high! / fit.exponents.tasks.low!).toBeGreaterThan(1.8);
  });

  it("one task per run is not mistaken for knowledge", () => {
    // Sixty draws would tell the share of the prior to a tenth only.
    const fit = fitted(simulate(4, truth, GRID.slice(0, 20), { trials: 1 }), { bootstrap: 400 });
    for (const one of Object.values(fit.exponents)) expect(one.status).not.toBe("fitted");
  });

  it("NaN among good rows is dropped by name", () => {
    const fit = fitted(
      grid.map((row, i): RunRow =>
        i < 2 ? { ...row, outcome: { kind: "counts", successes: NaN, trials: 600 } } : row,
      ),
    );
    expect(fit.rows).toBe(62);
    expect(fit.warnings.find((one) => one.code === "row.not-a-number")!.message).toContain("run-0");
  });

  it("a table given twice counts once", () => {
    const twice = fitted([...grid, ...grid.map((row) => ({ ...row, id: `${row.id} again` }))]);
    expect(twice.rows).toBe(64);
    expect(codes(twice)).toContain("row.duplicate");
    expect(twice.exponents).toEqual(fitted(grid).exponents);
  });

  it("replicates with seeds of their own all count", () => {
    const stream = random(5);
    const rows = [0, 1].flatMap((seed) =>
      GRID.slice(0, 16).map((x, i) => ({ ...simulatedRun(stream, `s${seed}-${i}`, x, truth(x)), seed: `${seed}` })),
    );
    expect(fitted(rows).rows).toBe(32);
  });

  it("counts need trials; losses need no counts", () => {
    const rates = grid.map((row): RunRow => ({
      ...row,
      outcome: { kind: "rate", rate: row.outcome.kind === "counts" ? row.outcome.successes / row.outcome.trials : 0 },
    }));
    expect(refusal(rates, { loss: "binomial" })).toBe("loss.needs-counts");
    expect(codes(fitted(rates))).toContain("trials.unknown");
  });
});

describe("requests", () => {
  it.each([
    [{ law: "nonsense" }, "law.unknown"],
    [{ law: "sigmoid" }, "law.not-applicable"],
    [{ law: "custom" }, "law.custom-missing"],
    [{ mode: "bootstrap" as const, law: "interaction" }, "table.too-few-runs"],
  ])("%o: refused", (more, code) =>
    expect(refusal(code === "table.too-few-runs" ? grid.slice(0, 20).filter((_, i) => i % 3 === 0) : grid, more)).toBe(
      code,
    ),
  );

  const box = { E: { low: 0, high: 0.9 }, A: { low: 1e-3, high: 10 }, a: { low: 0.02, high: 1.5 } };
  it.each<[string, string, RegExp, Readonly<Record<string, { readonly low: number; readonly high: number }>>]>([
    ["E / 0 * A * a", "law.custom-not-finite", /divides by zero/, box],
    ["E + log(-A) * tasks ^ (-a)", "law.custom-not-finite", /no run/, box],
    ["E + A / (tasks - 400) + a", "law.custom-not-finite", /16 runs \(run-16, run-17, run-18, …\)/, box],
    [
      "E + A * tasks ^ (-a) + 0 * b",
      "law.custom-no-effect",
      /parameter b changes nothing/,
      { ...box, b: { low: 0, high: 1 } },
    ],
    [
      "E + b / b * A * tasks ^ (-a) + (c - c)",
      "law.custom-no-effect",
      /parameters b, c change nothing/,
      { ...box, b: { low: 0.1, high: 1 }, c: { low: 0, high: 1 } },
    ],
    ["E + sign(A) * tasks ^ (-a)", "law.custom-derivative", /sign/, box],
    ["2 + E + A * tasks ^ (-a)", "law.custom-out-of-range", /outside 0 to 1/, box],
  ])("the law %s is refused", (expression, code, words, parameters) => {
    const fit = fitTable({ rows: grid, notes: [] }, { ...options, law: "custom", custom: { expression, parameters } });
    expect(fit).toMatchObject({ ok: false, problem: { code, message: expect.stringMatching(words) } });
    const beside = fitTable({ rows: grid, notes: [] }, { ...options, law: "auto", custom: { expression, parameters } });
    if (!beside.ok) throw new Error(beside.problem.message);
    expect(codes(beside.value)).toContain(code);
    expect(beside.value.selection.map((one) => one.law)).not.toContain("custom");
  });

  it("a law with domains, thresholds and parameters that matter at few runs is fitted", () => {
    const parameters = { ...box, x: { low: 0, high: 99 }, s: { low: 0, high: 1 } };
    const fit = fitTable(
      { rows: grid, notes: [] },
      {
        ...options,
        law: "custom",
        custom: {
          expression: "E + A * (tasks - x) ^ (-a) * environments ^ (-0.3) + s * exp(-trajectories * environments)",
          parameters,
        },
      },
    );
    expect(fit).toMatchObject({ ok: true, value: { law: "custom" } });
  });

  it("can be cancelled at any time", () => {
    for (const after of [0, 3, 20]) {
      let calls = 0;
      const fit = fitTable({ rows: grid, notes: [] }, { ...options, bootstrap: 500 }, () => ++calls <= after);
      expect(fit).toMatchObject({ ok: false, problem: { code: "fit.cancelled" } });
    }
  });
});

describe("size", () => {
  it("10,000 rows are fitted, with a point that the truth confirms", () => {
    const stream = random(2);
    const levels = Array.from({ length: 10_000 }, () => ({
      tasks: Math.round(100 * 64 ** stream.next()),
      environments: Math.round(4 * 64 ** stream.next()),
      trajectories: 2 + stream.below(15),
    }));
    const fit = fitted(simulate(2, truth, levels), { law: "multiplicative", bootstrap: 30 });
    expect(fit.rows).toBe(10_000);
    expect(fit.exponents.environments.estimate).toBeCloseTo(0.315, 1);
    expect(fit.exponents.environments.high! - fit.exponents.environments.low!).toBeLessThan(0.05);
  });
});

describe("anything at all", () => {
  const level = fc.oneof(fc.double(), fc.integer({ min: -2, max: 5000 }), fc.constantFrom(1, 2, 4, 8, 16));
  const outcome = fc.oneof(
    fc.record({
      kind: fc.constant("counts" as const),
      successes: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double()),
      trials: fc.oneof(fc.constant(100), fc.double()),
    }),
    fc.record({ kind: fc.constant("rate" as const), rate: fc.double({ min: -0.1, max: 1.1 }) }),
  );
  const row = fc.record({
    id: fc.string({ maxLength: 4 }),
    axes: fc.record({ tasks: level, environments: level, trajectories: level }, { requiredKeys: [] }),
    outcome,
    setting: fc.constantFrom("", "a"),
    files: fc.constant([]),
    rewardScheme: fc.constantFrom("terminal", "shaped"),
    rewardDensity: fc.option(fc.double({ min: 0, max: 1 }), { nil: undefined }),
    synthesis: fc.option(
      fc.record({ tasks: fc.record({ real: level, synthetic: level, method: fc.constantFrom("", "m") }) }),
      { nil: undefined },
    ),
    curve: fc.option(fc.array(fc.record({ step: level, rate: fc.double({ min: 0, max: 1 }) }), { maxLength: 8 }), {
      nil: undefined,
    }),
  });

  it("never throws, and never gives an interval that misses its own estimate", () => {
    fc.assert(
      fc.property(
        fc.array(row as fc.Arbitrary<unknown>, { maxLength: 14 }),
        fc.constantFrom("auto", "additive", "interaction", "saturating"),
        (rows, law) => {
          const fit = fitTable({ rows: rows as RunRow[], notes: [] }, { law, bootstrap: 24, starts: 3 });
          if (!fit.ok) return /^[a-z]+\.[a-z-]+$/.test(fit.problem.code);
          for (const one of Object.values(fit.value.exponents)) {
            if (one.status === "refused")
              expect(one).toMatchObject({ estimate: null, low: null, high: null, reason: expect.any(String) });
            else expect(one.low! <= one.estimate! && one.estimate! <= one.high!).toBe(true);
          }
          return true;
        },
      ),
      { numRuns: 120 },
    );
  });
});
