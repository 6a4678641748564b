import { expect, it } from "vitest";
import { fitTable } from "../../server/core/fit";
import type { RunRow, RunTable } from "../../server/core/table";
import { keptFit } from "../../server/operations/keptFit";
import { memoryCache } from "../../server/operations/runJob";

const row = (tasks: number, rate: number): RunRow => ({
  id: `run-${tasks}`,
  axes: { tasks },
  outcome: { kind: "rate", rate, trials: 500 },
  setting: "",
  files: [],
});
const table = (last: number): RunTable => ({
  rows: [100, 200, 400, 800, 1600].map((tasks, i) => row(tasks, i === 4 ? last : 0.3 + 0.05 * i)),
  notes: [],
});

it("a fit is kept for the same runs and options, to the bit, and made again for others", async () => {
  const cache = memoryCache();
  let made = 0;
  const ask = (runs: RunTable, options = { bootstrap: 40, seed: 1 }) =>
    keptFit(cache, runs, options, () => {
      made++;
      return fitTable(runs, options);
    });
  const first = await ask(table(0.5));
  expect(first.ok).toBe(true);
  expect(JSON.stringify(await ask(table(0.5)))).toBe(JSON.stringify(first));
  expect(made).toBe(1);
  expect(await ask(table(0.51))).not.toEqual(first);
  expect(made).toBe(2);
  expect(await ask(table(0.5), { bootstrap: 40, seed: 2 })).not.toEqual(first);
  expect(made).toBe(3);
});

it("a damaged cache, or one that fails, costs time only", async () => {
  const runs = table(0.5);
  const fit = () => fitTable(runs, { bootstrap: 40 });
  for (const value of ["{}", "nonsense"]) {
    const cache = { get: () => Promise.resolve(value), set: () => Promise.reject(new Error("full")) };
    expect((await keptFit(cache, runs, { bootstrap: 40 }, fit)).ok).toBe(true);
  }
});
