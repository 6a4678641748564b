import { expect, test } from "vitest";
import { fitTable, openFit, predict, readFit } from "../../server/core/fit";
import type { RunTable } from "../../server/core/table";
import { cpuTime } from "../cpu";
import { RUNS } from "../fixtures/hostile/hostile";
import { Growth, HANG, MOST_GROWTH, SEED } from "./limits";
import { generator, mutate } from "./mutate";

const FITS = Number(process.env.SCALING_LENS_FUZZ_FITS ?? 200);

function honest(): string {
  const [, ...lines] = RUNS.trim().split("\n");
  const rows: RunTable["rows"] = lines.map((line, i) => {
    const [tasks, environments, trajectories, successes, trials] = line.split(",").map(Number);
    const outcome = { kind: "counts", successes, trials } as const;
    return { id: `r${i}`, axes: { tasks, environments, trajectories }, outcome, setting: "", files: [] };
  });
  const fit = fitTable({ rows, notes: [] }, { bootstrap: 20 });
  if (!fit.ok) throw new Error(fit.problem.message);
  return JSON.stringify(fit.value);
}

/** Numbers that sizes, powers and draws are made of, in place of one that is there. */
const NUMBERS = ["-1", "0", "1e308", "-1e308", "1e-308", "1000000", "4294967296", "0.5", "null", '"x"', "[]", "{}"];

function withOdd(text: string, random: () => number): string {
  const numbers = [...text.matchAll(/(?<=[:,[])-?\d[\d.e+-]*(?=[,\]}])/g)];
  const { index, 0: found } = numbers[Math.floor(random() * numbers.length)];
  return text.slice(0, index) + NUMBERS[Math.floor(random() * NUMBERS.length)] + text.slice(index + found.length);
}

test(
  `${FITS} mutated fits: each is refused, predicts within 0 and 1, or says that it does not`,
  () => {
    const whole = honest();
    const random = generator(SEED + 3);
    const growth = new Growth("fits");
    const slow: string[] = [];
    for (let i = 0; i < FITS; i++) {
      let text = whole;
      if (random() < 0.2) text = mutate(text, random);
      else for (let faults = 1 + Math.floor(random() * 4); faults > 0; faults--) text = withOdd(text, random);
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        continue;
      }
      const started = cpuTime();
      const read = readFit(json);
      const law = read.ok ? openFit(read.value) : read;
      if (law.ok) {
        const { successRate, outOfRange } = predict(law.value, { tasks: 1000, environments: 12, trajectories: 8 });
        if (successRate && !outOfRange)
          for (const rate of [successRate.estimate, successRate.low, successRate.high])
            expect(rate >= 0 && rate <= 1, `#${i}: ${rate}`).toBe(true);
      }
      const took = cpuTime() - started;
      growth.after(i, took);
      if (took > HANG) slow.push(`#${i}: ${took.toFixed(0)} ms`);
    }
    expect(slow).toEqual([]);
    expect(growth.bytes).toBeLessThan(MOST_GROWTH);
  },
  FITS * 2000 + 60_000,
);
