import { describe, expect, it } from "vitest";
import { powerOf, resolution } from "../../../server/core/forecast/power";
import { random } from "../../../server/core/numerics/random";

describe("power", () => {
  it("gives the textbook numbers", () => {
    const found = powerOf({ difference: 0.02, baseline: 0.5 });
    expect(found).toMatchObject({ ok: true, value: { unpaired: 9812, paired: 3925, seeds: 25 } });
  });

  it("finds a true difference as often as it says", () => {
    const found = powerOf({ difference: 0.1, baseline: 0.4 });
    if (!found.ok) throw new Error(found.problem.message);
    const n = found.value.unpaired;
    const stream = random(1);
    let hits = 0;
    const repeats = 1500;
    for (let i = 0; i < repeats; i++) {
      let a = 0;
      let b = 0;
      for (let k = 0; k < n; k++) {
        if (stream.next() < 0.35) a++;
        if (stream.next() < 0.45) b++;
      }
      const se = Math.sqrt(((a / n) * (1 - a / n) + (b / n) * (1 - b / n)) / n);
      if (Math.abs(a - b) / n > 1.959964 * se) hits++;
    }
    expect(hits / repeats).toBeGreaterThan(0.76);
    expect(hits / repeats).toBeLessThan(0.84);
  });

  it("turns round: as many tasks resolve just that difference", () => {
    expect(resolution(9812).unpaired).toBeCloseTo(0.02, 5);
    expect(resolution(3925).paired).toBeCloseTo(0.02, 5);
  });

  it("refuses what cannot be", () => {
    expect(powerOf({ difference: 0, baseline: 0.5 }).ok).toBe(false);
    expect(powerOf({ difference: 0.02, baseline: 1 }).ok).toBe(false);
    expect(powerOf({ difference: 0.3, baseline: 0.5, discordant: 0.2 }).ok).toBe(false);
  });
});
