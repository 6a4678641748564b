/** The sampler against an answer that needs no sampler: a grid over two coordinates. */
import { describe, expect, it } from "vitest";
import { importanceSample, resampled } from "../../../server/core/solve/importance";
import { samplePosterior } from "../../../server/core/solve/posterior";
import { logPosterior, posteriorMode, type PosteriorProblem } from "../../../server/core/solve/posteriorMode";
import { coordinates, EXPONENT_SPREAD, observedScale, RUN_NOISE } from "../../../server/core/solve/priors";
import { quantile } from "../../../server/core/numerics/special";
import { lawFamily } from "../../../server/core/laws/list";
import { random } from "../../../server/core/numerics/random";

const x = [10, 40, 160, 640],
  y = Float64Array.of(0.62, 0.5, 0.36, 0.29);
const centre = Math.exp(x.reduce((sum, v) => sum + Math.log(v), 0) / 4);
const [full] = lawFamily("single-axis")!.members(["tasks"], {
  response: "success",
  top: 1,
  ranges: { tasks: { min: 10, max: 640, centre } },
});
const seen = { m: 4, u: Float64Array.from(x, (v) => Math.log(v / centre)), y, n: new Float64Array(4).fill(300) };
const problem: PosteriorProblem = {
  model: full,
  seen,
  coordinates: coordinates(full, observedScale("success", y, 1)),
  response: "success",
  trials: seen.n,
  noise: RUN_NOISE,
};

describe("posterior of a single-axis law from four runs", () => {
  const mode = posteriorMode(problem, []);
  const sample = samplePosterior(problem, mode, 4000, 3, () => true)!;

  it("agrees with a grid over all four coordinates", () => {
    const target = logPosterior(problem),
      top = target(mode.z);
    // Grid wide enough for the tails: ±6 marginal widths of the Gauss–Newton covariance, 25 points each.
    const axes = mode.z.length,
      points = 25;
    const widths = Array.from({ length: axes }, (_, j) => Math.sqrt(mode.covariance[j][j]) * 6);
    const marginal = new Float64Array(points);
    const z = Float64Array.from(mode.z);
    const at = (j: number, i: number): number => mode.z[j] + widths[j] * ((2 * i) / (points - 1) - 1);
    for (let a = 0; a < points; a++)
      for (let b = 0; b < points; b++)
        for (let c = 0; c < points; c++)
          for (let d = 0; d < points; d++) {
            z[0] = at(0, a);
            z[1] = at(1, b);
            z[2] = at(2, c);
            z[3] = at(3, d);
            marginal[c] += Math.exp(target(z) - top);
          }
    const total = marginal.reduce((s, v) => s + v, 0);
    const mean = marginal.reduce((s, v, i) => s + v * at(2, i), 0) / total;
    const sd = Math.sqrt(marginal.reduce((s, v, i) => s + v * (at(2, i) - mean) ** 2, 0) / total);
    const drawn = sample.coordinates.map((one) => one[2]);
    const drawnMean = drawn.reduce((s, v) => s + v, 0) / drawn.length,
      drawnSd = Math.sqrt(drawn.reduce((s, v) => s + (v - drawnMean) ** 2, 0) / drawn.length);
    expect(Math.abs(drawnMean - mean)).toBeLessThan(0.2 * sd);
    expect(drawnSd / sd).toBeGreaterThan(0.9);
    expect(drawnSd / sd).toBeLessThan(1.12);
  });

  it("importance sampling agrees with the chains, and its evidence with a grid", () => {
    const weighted = importanceSample(problem, mode, 4000, 5);
    expect(weighted.size).toBeGreaterThan(300);
    const drawn = resampled(weighted, 4000, 2).map((one) => one[2]),
      chains = sample.coordinates.map((one) => one[2]);
    for (const p of [0.1, 0.5, 0.9]) expect(Math.abs(quantile(drawn, p) - quantile(chains, p))).toBeLessThan(0.25);
    // ∫ exp(log posterior) over the prior's box, by the midpoint rule, against the sampled evidence.
    const target = logPosterior(problem),
      points = 24;
    const sds = [...problem.coordinates.map(({ sd }) => sd), problem.noise.sd];
    const widths = Array.from({ length: 4 }, (_, j) => Math.min(7 * Math.sqrt(mode.covariance[j][j]), 5 * sds[j]));
    const z = new Float64Array(4);
    let sum = 0;
    for (let i = 0; i < points ** 4; i++) {
      for (let j = 0, rest = i; j < 4; j++, rest = Math.floor(rest / points))
        z[j] = mode.z[j] + widths[j] * ((2 * ((rest % points) + 0.5)) / points - 1);
      sum += Math.exp(target(z) - mode.evidence);
    }
    const cell = widths.reduce((product, w) => (product * 2 * w) / points, 1);
    const evidence =
      mode.evidence +
      Math.log(sum * cell) -
      sds.reduce((total, sd) => total + Math.log(sd * Math.sqrt(2 * Math.PI)), 0);
    expect(weighted.evidence).toBeCloseTo(evidence, 0);
  });

  it("its chains agree, and it repeats to the bit", () => {
    expect(sample.disagreement).toBeLessThan(1.1);
    expect(samplePosterior(problem, mode, 200, 3, () => true)!.draws).toEqual(
      samplePosterior(problem, mode, 200, 3, () => true)!.draws,
    );
    expect(samplePosterior(problem, mode, 200, 3, () => false)).toBeNull();
  });

  it("without data it is the prior", () => {
    const empty = { ...seen, m: 0, u: new Float64Array(0), y: new Float64Array(0), n: new Float64Array(0) };
    const none: PosteriorProblem = { ...problem, seen: empty, trials: new Float64Array(0) };
    const draws = samplePosterior(none, posteriorMode(none, []), 4000, 1, () => true)!.coordinates.map((one) => one[2]);
    expect(quantile(draws, 0.5)).toBeCloseTo(Math.log(0.25), 0);
    expect(quantile(draws, 0.841) - quantile(draws, 0.159)).toBeCloseTo(2 * EXPONENT_SPREAD, 0);
  });
});

describe("random numbers", () => {
  it("have the moments of their distributions", () => {
    const stream = random(99),
      n = 20_000;
    const mean = (draw: () => number): [number, number] => {
      const values = Array.from({ length: n }, draw),
        m = values.reduce((a, b) => a + b) / n;
      return [m, values.reduce((s, v) => s + (v - m) ** 2, 0) / n];
    };
    for (const [draw, m, v] of [
      [() => stream.next(), 0.5, 1 / 12],
      [() => stream.normal(), 0, 1],
      [() => stream.gamma(0.4), 0.4, 0.4],
      [() => stream.gamma(7), 7, 7],
      [() => stream.beta(2, 6), 0.25, 12 / 576],
      [() => stream.binomial(600, 0.3), 180, 126],
      [() => stream.binomial(7, 0.9), 6.3, 0.63],
    ] as const) {
      const [found, spread] = mean(draw);
      expect(Math.abs(found - m)).toBeLessThan(5 * Math.sqrt(v / n));
      expect(spread / v).toBeGreaterThan(0.93);
      expect(spread / v).toBeLessThan(1.07);
    }
    expect(new Set(Array.from({ length: 1000 }, () => random(5).below(1000))).size).toBe(1);
    expect(random(5).next()).not.toBe(random(6).next());
  });
});
