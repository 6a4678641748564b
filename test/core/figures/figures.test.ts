import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocate, type AllocationProblem } from "../../../server/core/allocation";
import { posynomialCost } from "../../../server/core/cost";
import {
  axisFits,
  exponentForest,
  pathInputs,
  splitInput,
  synthesisRatio,
  type FigureShape,
} from "../../../server/report/figures";
import { logSpace, logTicks, quantile } from "../../../server/core/figures/ticks";
import { fromCsv, parseCsv, toCsv } from "../../../server/core/figures/csv";
import { rowsOf } from "../../../server/core/figures/rows";
import { count, decimal, interval, list, percent, plural, times } from "../../../server/core/numbers";
import type { FittedLaw, LawInstance } from "../../../server/core/laws/law";
import { AXIS_FITS } from "../../../server/core/figures/shapes/axisFits";
import { allFigures } from "./all";
import { fitTable } from "../../../server/core/fit";
import { grid, oneSetting, stream, threeSettings } from "./fixture";

describe("numbers in words", () => {
  it.each([
    [9200, "9.2k"],
    [24, "24"],
    [0.333, "0.33"],
    [1e6, "1M"],
    [3.2e19, "3.2e19"],
    [0, "0"],
    [12345, "12.3k"],
    [123456, "123k"],
    [Infinity, "∞"],
    [NaN, "unknown"],
  ])("%d is %s", (value, words) => {
    expect(count(value)).toBe(words);
  });
  it("percent, decimals, intervals and factors", () => {
    expect(percent(0.6123)).toBe("61.2 %");
    expect(percent(1)).toBe("100 %");
    expect(decimal(-0.001, 1)).toBe("0");
    expect(decimal(-2.5, 1)).toBe("−2.5");
    expect(interval({ estimate: 0.33, low: 0.29, high: 0.371 })).toBe("0.33 [0.29, 0.37]");
    expect(interval({ estimate: 0.33, low: NaN, high: NaN })).toBe("0.33");
    expect(times({ estimate: 1.72, low: 1.38, high: 2.06 })).toBe("1.7× [1.4, 2.1]");
    expect(count(8.2e9)).toBe("8.2B");
    expect(plural(1, "run")).toBe("1 run");
    expect(list(["a", "b", "c"])).toBe("a, b and c");
  });
});

describe("CSV", () => {
  const columns = [
    { name: "a", label: "a", kind: "text" },
    { name: "b", label: "b", kind: "number" },
    { name: "c", label: "c", kind: "flag" },
  ] as const;

  it("gives back what was written", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            a: fc.string({ unit: "binary" }),
            b: fc.oneof(fc.integer({ min: -99999, max: 99999 }), fc.constant(null)),
            c: fc.boolean(),
          }),
          { minLength: 1 },
        ),
        (rows) => {
          expect(fromCsv(columns, toCsv(columns, rows))).toEqual(rows);
        },
      ),
    );
  });
  it("reads anything without failing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Array.isArray(parseCsv(text))).toBe(true);
        fromCsv(columns, text);
      }),
    );
  });
  it("takes unreadable and missing cells as unknown", () => {
    expect(fromCsv(columns, "b,zzz\nx,1\n,2\n1e400,3")).toEqual([
      { a: null, b: null, c: false },
      { a: null, b: null, c: false },
      { a: null, b: null, c: false },
    ]);
  });
});

describe("scales", () => {
  it("ticks lie in the range, rise, and are neither too few nor too many", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -6, max: 12, noNaN: true }),
        fc.double({ min: 0.05, max: 9, noNaN: true }),
        fc.integer({ min: 3, max: 9 }),
        (from, decades, most) => {
          const [low, high] = [10 ** from, 10 ** (from + decades)];
          const ticks = logTicks(low, high, most);
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(most);
          for (let i = 1; i < ticks.length; i++) expect(ticks[i]).toBeGreaterThanOrEqual(ticks[i - 1]);
          // Between names that a reader knows, two of two digits may stand just outside.
          for (const tick of ticks) expect(tick >= low * 0.94 && tick <= high * 1.06).toBe(true);
        },
      ),
    );
  });
  it("levels have exact ends; quantiles are those of the textbook", () => {
    const levels = logSpace(3, 700, 9);
    expect([levels[0], levels[8]]).toEqual([3, 700]);
    expect(levels[4]).toBeCloseTo(Math.sqrt(2100), 9);
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe("payloads", () => {
  const figures = allFigures();

  it("look up what rows repeat, and give the same rows back", () => {
    const { data } = figures.withFiles;
    const rows = rowsOf(AXIS_FITS, data).filter(({ kind }) => kind === "point");
    expect(rows).toHaveLength(48 * 3);
    expect(data.runs.split("\n")).toHaveLength(49);
    for (const row of rows) {
      const run = oneSetting().runs.find(({ id }) => id === row.run);
      expect(row.observed).toBeCloseTo(1 - (run?.rate ?? NaN), 3);
      expect(row.x).toBe(run?.axes[String(row.panel)]);
      expect(row.files).toContain("metrics.jsonl");
    }
  });

  it("a line that the lookup lacks leaves its cells unknown", () => {
    const shape: FigureShape = AXIS_FITS;
    expect(rowsOf(shape, { rows: "kind,run\npoint,7\npoint,x", runs: "run\nonly" })).toHaveLength(2);
  });

  it("stay small: a PNG of 70 KiB beside them fits into a quarter of a megabyte", () => {
    for (const [name, payload] of Object.entries(figures))
      expect(JSON.stringify(payload).length, name).toBeLessThan(80_000);
  });

  it("say what they show in one sentence, with numbers", () => {
    expect(figures.axisFits.text).toMatch(
      /^tasks: exponent 0\.\d\d \[0\.\d\d, 0\.\d\d\], 48 runs; environments: .*held-out error \d(\.\d)? points\.$/,
    );
    expect(figures.forestThree.text).toMatch(
      /pooled exponent 0\.\d\d \[.*\] over 3 settings, heterogeneity \d+(\.\d)? %/,
    );
    expect(figures.synthesisRatio.text).toContain("environments · genenv: r* 5.0 [3.8, 6.8], broken shape, fitted");
    expect(figures.synthesisRatio.text).toContain(
      "tasks · self-instruct: no r* (The interval of r* spans every ratio that was tried), saturating shape",
    );
    expect(figures.discounts.text).toBe(
      "Best: genenv on environments, κ 0.55 [0.47, 0.63]; worst: self-instruct on tasks, κ 0.30 [0.22, 0.38]; 2 in all.",
    );
    expect(figures.split.text).toContain(
      "appworld-8b: 7.3 points below the best split. Largest change first: trajectories 16 → 6",
    );
    expect(figures.frontier.text).toBe(
      "At 3.2e19 FLOPs the current split gives 40 % and the best one 44.6 %; the best split needs 41.2 % [29–52] less compute for the same success.",
    );
    expect(figures.calibration.text).toMatch(
      /^Coverage: \d+ of 48 runs \(\d+(\.\d)? %\) in their 95 % intervals; RMSE \d(\.\d)? points, \d(\.\d)? points on the held-out largest runs\.$/,
    );
    expect(figures.growth.text).toContain(
      "environments grow as C^0.45, tasks grow as C^0.35, trajectories grow as C^0.2; unchanged: parameters",
    );
  });

  it("name refused axes and what was left out", () => {
    const fit = oneSetting();
    const refused = {
      ...fit,
      refused: [{ axis: "tasks", level: 1500, code: "one-level", reason: "Every run has 1500 tasks." }],
      exponents: {
        ...fit.exponents,
        tasks: {
          estimate: null,
          low: null,
          high: null,
          status: "refused" as const,
          reason: "Every run has 1500 tasks.",
        },
      },
    };
    const perfect = { ...refused, runs: refused.runs.map((run, i) => (i < 2 ? { ...run, rate: 1 } : run)) };
    const fits = axisFits(perfect, { link: "x" });
    expect(fits.text).toContain("tasks: refused (Every run has 1500 tasks)");
    expect(fits.notes.join(" ")).toContain("2 runs without a failure cannot stand on a log scale and are not drawn.");
    const forest = exponentForest(
      { ...perfect, settings: perfect.settings.map((one) => ({ ...one, exponents: perfect.exponents })) },
      { link: "x" },
    );
    expect(forest.notes.join(" ")).toContain("1 exponent could not be identified");
  });

  it("say of each setting what its own runs lack: one model each is not one model for all", () => {
    const sizes = { "4B": 4e9, "8B": 8e9, "14B": 14e9 };
    const made = fitTable(
      {
        rows: Object.entries(sizes).flatMap(([size, parameters], i) =>
          grid(size, 5 + i).map((row) => ({ ...row, axes: { ...row.axes, parameters } })),
        ),
        notes: [],
      },
      { law: "multiplicative", bootstrap: 8, seed: 1, mode: "bootstrap" },
    );
    if (!made.ok) throw new Error(made.problem.message);
    const { text } = axisFits(made.value, { link: "x" });
    for (const size of Object.keys(sizes))
      expect(text).toContain(`${size}: All runs use ${size}, so the effect of model size can't be measured`);
    expect(text).not.toMatch(/\(All runs use/);
  });

  it("without synthetic runs say so", () => {
    expect(synthesisRatio({ ...oneSetting(), synthesis: {} }, { link: "x" }).text).toBe(
      "No run of this fit states synthetic data.",
    );
  });

  it("of several settings fit each apart", () => {
    const rows = rowsOf(AXIS_FITS, axisFits(threeSettings(), { link: "x" }).data);
    expect(new Set(rows.map(({ setting }) => setting)).size).toBe(3);
  });
});

describe("the numbers of an allocation's figures", () => {
  const axes = ["environments", "tasks", "trajectories"] as const;
  const instance = (alpha: readonly number[]): LawInstance => {
    const term = (x: readonly number[]): number =>
      0.9 * x.reduce((product, level, i) => product * level ** -alpha[i], 1);
    return {
      axes,
      error: (x) => 0.02 + term(x),
      gradient: (x) => alpha.map((a) => -a * term(x)),
      posynomial: () => ({ floor: 0.02, terms: [{ logCoefficient: Math.log(0.9), exponents: alpha.map((a) => -a) }] }),
    };
  };
  const ALPHA = [0.3, 0.2, 0.1];
  const next = stream(11);
  const law: FittedLaw = {
    law: "multiplicative",
    response: "success",
    axes,
    point: instance(ALPHA),
    draws: Array.from({ length: 40 }, () => instance(ALPHA.map((a) => a * (1 + 0.2 * (next() - 0.5))))),
    drawKind: "bootstrap",
    ranges: {
      environments: { min: 2, max: 100, centre: 14 },
      tasks: { min: 100, max: 5000, centre: 700 },
      trajectories: { min: 2, max: 60, centre: 11 },
    },
    refused: [],
    priorOnly: [],
  };
  // Σ p_i x_i: the optimal spend shares are α_i/Σα and every growth exponent is 1.
  const prices = { environments: 40, tasks: 1, trajectories: 60 };
  const cost = posynomialCost(
    Object.entries(prices).map(([axis, coefficient]) => ({
      id: axis,
      label: axis,
      axis,
      part: "all",
      coefficient,
      exponents: { [axis]: 1 },
      owned: 0,
    })),
    "USD",
  );
  const problem: AllocationProblem = {
    law,
    cost,
    current: { environments: 10, tasks: 2000, trajectories: 20 },
    options: { robustDraws: 0, sensitivity: false },
  };
  const solved = allocate(problem);
  if (!solved.ok) throw new Error(solved.problem.message);
  const words = { experiment: "x", simulated: true, prior: false, worth: "7 points below the best split" };

  it("shares at the optimum are α/Σα, and their intervals those of the draws' own optima", () => {
    const { axes: rows } = splitInput(problem, solved.value, words);
    const alpha = { environments: 0.3, tasks: 0.2, trajectories: 0.1 } as Record<string, number>;
    for (const row of rows) {
      expect(row.optimumShare).toBeCloseTo(alpha[row.axis] / 0.6, 4);
      const expected = law.draws
        .map((draw) => {
          const [exponents] = draw.posynomial()?.terms.map((term) => term.exponents) ?? [[]];
          return exponents[axes.indexOf(row.axis as "tasks")] / exponents.reduce((sum, a) => sum + a, 0);
        })
        .sort((a, b) => a - b);
      expect(row.shareInterval?.low).toBeCloseTo(quantile(expected, 0.025), 3);
      expect(row.shareInterval?.high).toBeCloseTo(quantile(expected, 0.975), 3);
    }
  });

  it("the best path grows every axis as C^1 and lies above the current one; the arrow is the multiplier", () => {
    const paths = pathInputs(problem, solved.value, words);
    if (!paths) throw new Error("no paths");
    const { growth, frontier } = paths;
    const inside = growth.points.filter(({ levels }) => Math.min(...Object.values(levels).map(Number)) > 1.01);
    const [first, last] = [inside[0], inside[inside.length - 1]];
    for (const axis of axes)
      expect(
        Math.log((last.levels[axis] ?? NaN) / (first.levels[axis] ?? NaN)) / Math.log(last.cost / first.cost),
      ).toBeCloseTo(1, 2);
    for (const { shares } of inside)
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
    frontier.current.forEach(({ cost: budget, success }) => {
      const best = frontier.optimum.find((point) => Math.abs(point.cost / budget - 1) < 1e-9);
      expect((best?.success.estimate ?? NaN) - success.estimate).toBeGreaterThan(-1e-4);
    });
    // exp(KL(optimal‖actual)) with spend shares 400, 2000, 1200 of 3600.
    const optimal = [0.5, 1 / 3, 1 / 6];
    const actual = [400 / 3600, 2000 / 3600, 1200 / 3600];
    const kl = optimal.reduce((sum, share, i) => sum + share * Math.log(share / actual[i]), 0);
    expect(frontier.gain?.estimate).toBeCloseTo(Math.exp(kl), 3);
    expect(frontier.here.cost / (frontier.equalSuccessCost ?? NaN)).toBeCloseTo(Math.exp(kl), 3);
    expect(frontier.optimum.filter(({ beyond }) => beyond).length).toBeGreaterThan(0);
  });
});
