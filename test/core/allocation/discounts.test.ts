import { describe, expect, it } from "vitest";
import {
  allocate,
  compareSplits,
  computeEquivalentGain,
  withDrawnDiscounts,
  type AllocationProblem,
  type MixShape,
  type SynthesisMix,
} from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import { fitTable, openFit, predict, type FitFile } from "../../../server/core/fit";
import type { FittedLaw } from "../../../server/core/laws/law";
import { random } from "../../../server/core/numerics/random";
import type { RunRow } from "../../../server/core/table";
import { Coverage, GRID, simulatedRun, TRUTHS } from "../fit/simulate";
import { additive, fitted, instance, value } from "./support";

const truth = TRUTHS.multiplicative.error;
const KAPPA = 0.6;
const cost = posynomialCost(
  [
    {
      id: "environments",
      label: "making environments",
      axis: "environments",
      part: "real",
      coefficient: 40,
      exponents: { environments: 1 },
      owned: 0,
    },
    {
      id: "environments:synthetic",
      label: "making synthetic environments",
      axis: "environments",
      part: "synthetic",
      coefficient: 20,
      exponents: { environments: 1 },
      owned: 0,
    },
    {
      id: "rollouts",
      label: "rollouts",
      axis: null,
      part: "all",
      coefficient: 0.05,
      exponents: { tasks: 1, trajectories: 1 },
      owned: 0,
    },
  ],
  "USD",
);

/** Many precise runs on real data; a few imprecise ones with synthetic environments: the law is known well, κ is not. */
function table(seed: number): RunRow[] {
  const stream = random(seed),
    rows: RunRow[] = [];
  for (const axes of GRID)
    rows.push(simulatedRun(stream, `real-${rows.length}`, axes, truth(axes), { trials: 4000, noise: 0.004 }));
  for (const [i, ratio] of [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6].entries()) {
    const real = { tasks: 400 + 100 * i, environments: 8, trajectories: 4 };
    const row = simulatedRun(
      stream,
      `made-${i}`,
      { ...real, environments: 8 * (1 + ratio) },
      truth({ ...real, environments: 8 * (1 + KAPPA * ratio) }),
      { trials: 600, noise: 0.004 },
    );
    rows.push({ ...row, synthesis: { environments: { real: 8, synthetic: 8 * ratio, method: "genenv" } } });
  }
  return rows;
}

/** The shape as a config's assessment would take it from the fit. */
function fittedMix(fit: FitFile, ratio: number): SynthesisMix {
  const { discount, criticalRatio, shapeParameter } = fit.synthesis.environments.genenv;
  const kappa = discount.estimate ?? NaN,
    critical = criticalRatio.estimate ?? Math.max(9.4, criticalRatio.low ?? 0);
  const shape: MixShape =
    criticalRatio.shape === "saturating"
      ? { kind: "saturating", discount: kappa, ceiling: shapeParameter ?? NaN }
      : criticalRatio.shape === "peak"
        ? { kind: "peak", discount: kappa, harm: shapeParameter ?? NaN }
        : { kind: "cap", discount: kappa, criticalRatio: critical };
  return { axis: "environments", method: "genenv", shape, ratio, source: "(fitted)" };
}

function problemFor(law: FittedLaw, mixes: readonly SynthesisMix[]): AllocationProblem {
  return {
    law,
    cost,
    current: { tasks: 1600, environments: 80, trajectories: 8 },
    mixes,
    options: { sensitivity: false, robustDraws: 0, starts: 1 },
  };
}

const width = ({ low, high }: { readonly low: number; readonly high: number }): number => high - low;

describe("an allocation that rests on synthetic data whose discount is hardly known", () => {
  it("has wider intervals than with the discount taken for known, and they hold the truth", () => {
    const coverage = new Coverage();
    let widened = 0,
      repeats = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const fit = value(
        fitTable({ rows: table(seed), notes: [] }, { law: "multiplicative", bootstrap: 120, starts: 4, seed }),
      );
      const law = value(openFit(fit)),
        mix = fittedMix(fit, 4);
      // A discount at the end of what the law can tell is refused by the solver.
      if (!(mix.shape.discount >= 0)) continue;
      repeats++;
      const drawn = value(allocate(problemFor(law, [mix]))),
        known = value(allocate(problemFor({ ...law, synthesis: [] }, [mix])));
      const expected = 1 - truth({ tasks: 1600, environments: 16 * (1 + KAPPA * 4), trajectories: 8 });
      coverage.add("drawn", drawn.current.predicted, expected);
      coverage.add("taken for known", known.current.predicted, expected);
      widened += width(drawn.current.predicted) / width(known.current.predicted);
      expect(drawn.current.predicted.estimate).toBe(known.current.predicted.estimate);
      expect(drawn.optimum.levels).toEqual(known.optimum.levels);
    }
    console.log(
      "discounts",
      repeats,
      "tables; interval",
      (widened / repeats).toFixed(1),
      "times as wide; covered",
      coverage.each,
    );
    expect(repeats).toBeGreaterThanOrEqual(36);
    expect(widened / repeats).toBeGreaterThan(1.1);
    expect(coverage.each["drawn"]).toBeGreaterThanOrEqual(88);
  });
});

describe("one allocation, by hand", () => {
  const AXES = ["environments", "trajectories"];
  // Under a multiplicative law a discount would cancel in all that compares two splits of one ratio.
  const point = instance(AXES, additive(0.05, [1.2, 0.9], [0.5, 0.4]));
  const draws = [
    [0.04, 1.1, 0.45],
    [0.06, 1.3, 0.55],
    [0.05, 1.2, 0.5],
  ].map(([floor, a, alpha]) => instance(AXES, additive(floor, [a, 0.9], [alpha, 0.4])));
  const discounts = [0.2, 0.5, 0.9].map((discount) => ({ discount, criticalRatio: 5, shapeParameter: null }));
  const law = fitted(AXES, point, {
    draws,
    synthesis: [{ axis: "environments", method: "genenv", discount: 0.6, draws: discounts }],
  });
  const mix: SynthesisMix = {
    axis: "environments",
    method: "genenv",
    shape: { kind: "cap", discount: 0.6, criticalRatio: 5 },
    ratio: 3,
  };
  const linear = posynomialCost(
    [
      {
        id: "environments",
        label: "environments",
        axis: "environments",
        part: "all",
        coefficient: 10,
        exponents: { environments: 1 },
        owned: 0,
      },
      {
        id: "trajectories",
        label: "trajectories",
        axis: null,
        part: "all",
        coefficient: 1,
        exponents: { trajectories: 1 },
        owned: 0,
      },
    ],
    "USD",
  );
  const problem: AllocationProblem = {
    law,
    cost: linear,
    current: { environments: 40, trajectories: 30 },
    mixes: [mix],
  };
  /** 40 environments, a quarter of them real, as each draw counts them. */
  const successes = draws.map((draw, b) => 1 - draw.error([10 * (1 + 3 * discounts[b].discount), 30]));

  it("each draw counts synthetic data by its own discount", () => {
    const { predicted } = value(allocate(problem)).current;
    const sorted = [...successes].sort((a, b) => a - b);
    expect(predicted.low).toBeCloseTo(sorted[0] + 0.05 * (sorted[1] - sorted[0]), 10);
    expect(predicted.high).toBeCloseTo(sorted[2] - 0.05 * (sorted[2] - sorted[1]), 10);
    expect(predicted.estimate).toBeCloseTo(1 - point.error([28, 30]), 12);
    expect(predict(withDrawnDiscounts(law, [mix]), { environments: 28, trajectories: 30 }).successRate).toEqual(
      predicted,
    );
  });

  it("so do comparisons, gains, doublings and the robust split", () => {
    const other = { ...problem, current: { environments: 40, trajectories: 60 }, mixes: [{ ...mix, ratio: 1 }] };
    const { points } = value(compareSplits(problem, other));
    const expected = draws
      .map((draw, b) => 100 * (1 - draw.error([20 * (1 + discounts[b].discount), 60]) - successes[b]))
      .sort((a, b) => a - b);
    expect(points.low).toBeGreaterThanOrEqual(expected[0]);
    expect(points.low).toBeLessThan(expected[1]);
    const known: AllocationProblem = { ...problem, law: { ...law, synthesis: [] } };
    const [drawn, plain] = [value(allocate(problem)), value(allocate(known))];
    for (const [one, two] of [
      [drawn.values.current[0].doubling, plain.values.current[0].doubling],
      [drawn.computeMultiplier, plain.computeMultiplier],
    ]) {
      expect(one.estimate).toBe(two.estimate);
      expect([one.low, one.high]).not.toEqual([two.low, two.high]);
    }
    expect(drawn.robust?.levels).not.toEqual(plain.robust?.levels);
    const gains = [problem, known].map((one) => value(computeEquivalentGain(one, "equal-growth", 2000)).gain);
    expect(gains[0]?.estimate).toBe(gains[1]?.estimate);
    expect(gains[0]).not.toEqual(gains[1]);
  });

  it("says where a discount is taken as known, and then leaves the draws alone", () => {
    const codes = (one: SynthesisMix): string[] =>
      value(allocate({ ...problem, mixes: [one] }))
        .notes.map((note) => note.code)
        .filter((code) => code.startsWith("synthesis."));
    expect(codes(mix)).toEqual([]);
    expect(codes({ ...mix, shape: { kind: "cap", discount: 1, criticalRatio: 9.4 }, source: "[paper]" })).toEqual([
      "synthesis.discount-known",
    ]);
    expect(codes({ ...mix, method: "another" })).toEqual(["synthesis.discount-known"]);
    expect(codes({ ...mix, ratio: 0 })).toEqual([]);
    const loose = {
      ...law,
      synthesis: [
        {
          axis: "environments",
          method: "genenv",
          discount: 0.6,
          draws: discounts.map((one) => ({ ...one, criticalRatio: null })),
        },
      ],
    };
    expect(value(allocate({ ...problem, law: loose })).notes.map((note) => note.code)).toContain(
      "synthesis.ratio-known",
    );
    const stated = value(allocate({ ...problem, mixes: [{ ...mix, method: "another" }] })).current.predicted;
    expect(stated).toEqual(value(allocate({ ...problem, law: { ...law, synthesis: [] } })).current.predicted);
  });

  it.each<[string, MixShape, { shapeParameter: number | null; criticalRatio: number | null }, number]>([
    [
      "broken",
      { kind: "broken", discount: 0.6, criticalRatio: 5, harm: 0.1 },
      { shapeParameter: 0.2, criticalRatio: 2 },
      1 + 0.5 * 2 - 0.2,
    ],
    ["peak", { kind: "peak", discount: 0.6, harm: 0.05 }, { shapeParameter: 0.1, criticalRatio: 2.5 }, 1 + 1.5 - 0.9],
    [
      "saturating",
      { kind: "saturating", discount: 0.6, ceiling: 2 },
      { shapeParameter: 4, criticalRatio: null },
      1 + 4 * (1 - Math.exp(-1.5 / 4)),
    ],
  ])("draws of the %s shape", (_name, shape, rest, g) => {
    const one = {
      ...law,
      draws: draws.slice(0, 1),
      synthesis: [{ axis: "environments", method: "genenv", discount: 0.6, draws: [{ discount: 0.5, ...rest }] }],
    };
    const { predicted } = value(allocate({ ...problem, law: one, mixes: [{ ...mix, shape }] })).current;
    const drawn = 1 - draws[0].error([10 * g, 30]);
    expect(Math.min(Math.abs(predicted.low - drawn), Math.abs(predicted.high - drawn))).toBeLessThan(1e-12);
  });
});

describe("a fit file", () => {
  it("gives back the discounts of its own draws", () => {
    const fit = value(fitTable({ rows: table(1), notes: [] }, { law: "multiplicative", bootstrap: 60, starts: 4 }));
    const law = value(openFit(JSON.parse(JSON.stringify(fit)) as FitFile)),
      [drawn] = law.synthesis ?? [];
    const { discount } = fit.synthesis.environments.genenv;
    expect(drawn).toMatchObject({ axis: "environments", method: "genenv", discount: discount.estimate });
    expect(drawn.draws).toHaveLength(law.draws.length);
    const mean = drawn.draws.reduce((sum, one) => sum + one.discount, 0) / drawn.draws.length;
    expect(mean).toBeGreaterThan(discount.low ?? NaN);
    expect(mean).toBeLessThan(discount.high ?? NaN);
  });
});
