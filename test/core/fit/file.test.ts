import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  calibrateFit,
  fitTable,
  openFit,
  predict,
  printedFit,
  PUBLISHED_EXPONENTS,
  readFit,
  relativeGains,
} from "../../../server/core/fit";
import { packDraws, unpackDraws } from "../../../server/core/numerics/packed";
import type { RunRow } from "../../../server/core/table";
import { GRID, simulate, TRUTHS } from "./simulate";

const rows = simulate(21, TRUTHS.multiplicative.error, GRID);
const made = fitTable({ rows, notes: [] }, { bootstrap: 100, starts: 6, seed: 5, provenance: { files: ["runs.csv"] } });
if (!made.ok) throw new Error(made.problem.message);
const fit = made.value;

describe("the fit file", () => {
  it("is the same to the bit for the same seed, and another for another", () => {
    const again = fitTable(
      { rows, notes: [] },
      { bootstrap: 100, starts: 6, seed: 5, provenance: { files: ["runs.csv"] } },
    );
    expect(JSON.stringify(again.ok && again.value)).toBe(JSON.stringify(fit));
    const other = fitTable({ rows, notes: [] }, { bootstrap: 100, starts: 6, seed: 6 });
    expect(other.ok && other.value.draws.data).not.toBe(fit.draws.data);
  });

  it("survives JSON, with the same predictions", () => {
    const read = readFit(JSON.parse(JSON.stringify(fit)));
    if (!read.ok) throw new Error(read.problem.message);
    const [a, b] = [openFit(read.value), openFit(fit)];
    if (!a.ok || !b.ok) throw new Error("closed");
    const at = { tasks: 3000, environments: 50, trajectories: 8 };
    expect(predict(a.value, at)).toEqual(predict(b.value, at));
    expect(a.value.draws).toHaveLength(fit.rivals.length === 0 ? 100 : a.value.draws.length);
    expect(Math.abs(a.value.draws.length - 100)).toBeLessThanOrEqual(3);
  });

  it("prints exactly the contract", () => {
    expect(Object.keys(printedFit(fit))).toEqual([
      "law",
      "link",
      "rows",
      "settings",
      "parameters",
      "exponents",
      "floor",
      "objective",
      "starts",
      "selection",
      "ordering",
      "synthesis",
      "warnings",
      "provenance",
      "dispersion",
      "draws",
    ]);
    expect(printedFit(fit)).toMatchObject({
      parameters: {
        E: {
          estimate: expect.any(Number),
          low: expect.any(Number),
          high: expect.any(Number),
          atBound: expect.any(Boolean),
        },
      },
      exponents: {
        tasks: { estimate: expect.any(Number), low: expect.any(Number), high: expect.any(Number), status: "fitted" },
      },
      floor: { estimate: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
      starts: { count: expect.any(Number), withinOnePercent: expect.any(Number) },
      ordering: { axes: ["environments", "tasks", "trajectories"], probability: expect.any(Number) },
      provenance: { files: ["runs.csv"] },
      draws: { kind: "posterior", count: 100 },
    });
    expect(Object.keys(printedFit(fit).selection[0])).toEqual(
      expect.arrayContaining(["law", "parameters", "aicc", "heldOutRmse"]),
    );
    expect(JSON.stringify(printedFit(fit))).not.toContain('null,"low"');
  });

  it("carries what charts need, and says that the runs are simulated", () => {
    expect(fit.simulated).toBe(true);
    expect(fit.runs).toHaveLength(64);
    expect(fit.runs.filter((run) => run.heldOut)).toHaveLength(13);
    for (const run of fit.runs) expect(run.low! < run.rate! && run.rate! < run.high!).toBe(true);
  });

  it("every field that is damaged is refused, never half read", () => {
    const paths: string[][] = [];
    const walk = (value: unknown, path: string[]): void => {
      if (path.length > 0) paths.push(path);
      if (typeof value === "object" && value !== null && path.length < 3)
        for (const [key, inner] of Object.entries(value).slice(0, 6)) walk(inner, [...path, key]);
    };
    walk(fit, []);
    const junk = [undefined, null, "junk", -1, NaN, {}, [], [null], { a: 1 }];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.constantFrom(...junk), (path, value) => {
        const copy = JSON.parse(JSON.stringify(fit)) as Record<string, unknown>;
        let at = copy;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
        at[path.at(-1)!] = value;
        const read = readFit(copy);
        if (!read.ok) return read.problem.code.startsWith("fit.");
        const law = openFit(read.value);
        if (!law.ok) return true;
        predict(law.value, { tasks: 10 });
        return true;
      }),
      { numRuns: 400 },
    );
    expect(readFit(null)).toMatchObject({ ok: false, problem: { code: "fit.not-a-fit" } });
    expect(readFit({ ...fit, version: 99 })).toMatchObject({ ok: false, problem: { code: "fit.version" } });
    // The length is checked with the fields, before anything is unpacked; only text of the right length reaches the draws.
    expect(readFit({ ...fit, draws: { ...fit.draws, data: "AAAA" } })).toMatchObject({
      ok: false,
      problem: { code: "fit.damaged" },
    });
    const garbled = "!".repeat(fit.draws.data.length);
    expect(readFit({ ...fit, draws: { ...fit.draws, data: garbled } }).ok).toBe(false);
    expect(readFit({ ...fit, law: "constructor" })).toMatchObject({ ok: false, problem: { code: "fit.unknown-law" } });
    expect(readFit({ ...fit, theta: fit.theta.slice(1) })).toMatchObject({
      ok: false,
      problem: { code: "fit.damaged" },
    });
  });

  it("packs draws as float32 and back", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.float({ noNaN: true }), fc.float({ noNaN: true }), fc.float({ noNaN: true })), {
          maxLength: 20,
        }),
        (draws) => {
          expect(unpackDraws(packDraws("bootstrap", ["a", "b", "c"], draws))!.map((row) => Array.from(row))).toEqual(
            draws,
          );
        },
      ),
    );
  });
});

describe("predictions", () => {
  const law = openFit(fit);
  if (!law.ok) throw new Error(law.problem.message);

  it("carry an extrapolation factor per axis", () => {
    const { extrapolation } = predict(law.value, { tasks: 12800, environments: 32, trajectories: 1 });
    expect(extrapolation).toEqual({ tasks: expect.closeTo(2), environments: 1, trajectories: expect.closeTo(2) });
  });

  it("say which axes were not given, and take nonsense for not given", () => {
    expect(predict(law.value, { tasks: 400 }).assumed).toEqual(["environments", "trajectories"]);
    expect(predict(law.value, { tasks: -4, environments: NaN, trajectories: Infinity }).assumed).toHaveLength(3);
  });

  it("gradients agree with finite differences", () => {
    const x = [500, 20, 6],
      gradient = law.value.point.gradient(x);
    gradient.forEach((slope, i) => {
      const up = x.map((v, j) => (j === i ? v * Math.exp(1e-5) : v)),
        down = x.map((v, j) => (j === i ? v * Math.exp(-1e-5) : v));
      expect(slope).toBeCloseTo((law.value.point.error(up) - law.value.point.error(down)) / 2e-5, 6);
    });
  });
});

describe("one run", () => {
  const run: RunRow = {
    id: "pilot",
    axes: { tasks: 2000, environments: 24, trajectories: 16, parameters: 8.2e9 },
    outcome: { kind: "counts", successes: 244, trials: 400 },
    setting: "",
    files: [],
  };
  const calibrated = calibrateFit(run);
  if (!calibrated.ok) throw new Error(calibrated.problem.message);

  it("calibrates the published law: its own success, and priors for the rest", () => {
    const { value } = calibrated;
    for (const [axis, one] of Object.entries(value.exponents)) {
      expect(one).toMatchObject({
        status: "prior",
        estimate: PUBLISHED_EXPONENTS[axis],
        shares: { data: 0, prior: 1 },
      });
      expect(one.high! / one.estimate!).toBeGreaterThan(2);
    }
    expect(value.priorOnly.slice().sort()).toEqual(["environments", "parameters", "tasks", "trajectories"]);
    expect(value.warnings.map((one) => one.code)).toContain("fit.prior-only");
    expect(readFit(JSON.parse(JSON.stringify(value))).ok).toBe(true);
    const law = openFit(value);
    if (!law.ok) throw new Error(law.problem.message);
    const here = predict(law.value, run.axes),
      beyond = predict(law.value, { ...run.axes, environments: 240 });
    expect(here.value.estimate).toBeCloseTo(0.61, 6);
    // 400 tasks and 2.5 points of run noise: about 3.5 points of standard error.
    expect(here.value.high - here.value.low).toBeGreaterThan(0.1);
    expect(here.value.high - here.value.low).toBeLessThan(0.2);
    expect(beyond.value.estimate).toBeGreaterThan(0.61);
    expect(beyond.extrapolation.environments).toBeCloseTo(10);
  });

  it("refuses what it cannot use", () => {
    expect(calibrateFit({ ...run, outcome: { kind: "loss", loss: 2 } })).toMatchObject({
      ok: false,
      problem: { code: "calibrate.one-success-rate" },
    });
    expect(calibrateFit({ ...run, outcome: { kind: "rate", rate: 61 } }).ok).toBe(false);
    expect(calibrateFit({ ...run, axes: {} })).toMatchObject({ ok: false, problem: { code: "table.no-axes" } });
  });

  it("relative answers need no level: (e − E)(1 − 2^−α)", () => {
    const law = openFit(fit);
    if (!law.ok) throw new Error(law.problem.message);
    const told = relativeGains({ rate: 0.7, trials: 600 }, ["tasks", "trajectories", "parameters"], { law: law.value });
    if (!told.ok) throw new Error(told.problem.message);
    if (fit.law === "multiplicative") {
      expect(told.value.tasks.gain.estimate).toBeCloseTo(
        (0.3 - fit.floor.estimate!) * (1 - 2 ** -fit.exponents.tasks.estimate!),
        10,
      );
      expect(told.value.tasks.status).toBe("fitted");
    }
    expect(told.value.parameters.status).toBe("prior");
    const published = relativeGains({ rate: 0.7 }, ["tasks", "trajectories"]);
    if (!published.ok) throw new Error(published.problem.message);
    const { tasks, trajectories } = published.value;
    expect(tasks.gain.estimate).toBeGreaterThan(trajectories.gain.estimate);
    expect(
      tasks.gain.low >= 0 &&
        tasks.gain.low < tasks.gain.estimate &&
        tasks.gain.estimate < tasks.gain.high &&
        tasks.gain.high < 0.3,
    ).toBe(true);
    expect(relativeGains({ rate: 7 }, ["tasks"])).toMatchObject({ ok: false, problem: { code: "relative.rate" } });
    expect(relativeGains({ rate: 0.7 }, ["tasks"], { factor: 0 })).toMatchObject({
      ok: false,
      problem: { code: "relative.factor" },
    });
  });
});
