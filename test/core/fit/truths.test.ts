/** A part of `npm run studies -- laws`, at eight tables each: coverage, widths and lack of fit over truths of unlike families. */
import { expect, it, vi } from "vitest";
import { measure, type Tally } from "../../studies/laws/measure";

vi.setConfig({ testTimeout: 600_000 });

const REPEATS = 8;
const mean = (tallies: readonly Tally[], value: (tally: Tally) => number): number =>
  tallies.reduce((sum, tally) => sum + value(tally), 0) / tallies.length;

it("64 runs: truths that a law contains are covered in 92 %, at 6 points' width; others in 85 %, with the misfit said", () => {
  const contained = ["multiplicative", "nested", "logistic"].map((name) => measure(name, 64, REPEATS));
  const foreign = ["mixed", "product"].map((name) => measure(name, 64, REPEATS));
  console.log(contained, foreign);
  for (const { coverage, misfit } of contained) {
    expect(coverage).toBeGreaterThanOrEqual(0.85);
    expect(misfit).toBeLessThanOrEqual(0.25);
  }
  expect(mean(contained, ({ coverage }) => coverage)).toBeGreaterThanOrEqual(0.92);
  expect(mean(contained, ({ width }) => width)).toBeLessThanOrEqual(6.5);
  for (const { coverage } of foreign) expect(coverage).toBeGreaterThanOrEqual(0.85);
  expect(mean(foreign, ({ misfit }) => misfit)).toBeGreaterThanOrEqual(0.7);
});

it("12 runs: the same coverage at 12 points' width", () => {
  const contained = ["additive", "logit"].map((name) => measure(name, 12, REPEATS));
  const foreign = ["probit", "mixed"].map((name) => measure(name, 12, REPEATS));
  console.log(contained, foreign);
  expect(mean(contained, ({ coverage }) => coverage)).toBeGreaterThanOrEqual(0.92);
  expect(mean(contained, ({ width }) => width)).toBeLessThanOrEqual(12);
  for (const { coverage } of foreign) expect(coverage).toBeGreaterThanOrEqual(0.8);
});
