import { expect, it } from "vitest";
import { timedOf, timesToKeep } from "../../server/assessment/keptTimes";
import type { FitState } from "../../server/assessment/types";
import type { RunRow } from "../../server/core/table";

const row = (index: number): RunRow => ({
  id: `run-${index}`,
  axes: { parameters: 7e9 },
  outcome: { kind: "rate", rate: 0.5 },
  setting: "",
  files: [`file:///home/me/runs/run-${index}/train.log`],
  timing: {
    steps: 100,
    secondsPerStep: 90 + index / 100,
    phases: { generation: 60 },
    promptsPerStep: 64,
    groupSize: 8,
    gpus: 8,
    variation: 0,
    framework: "verl",
  },
  sampling: { passRate: 0.4 },
});

const saved = (timed: unknown): FitState =>
  ({ kind: "ready", fit: { file: { provenance: { timed } } } }) as unknown as FitState;

it("a saved fit tells the same times as the logs behind it, without where those lie", () => {
  const { timed } = timesToKeep({ rows: [row(0), row(1)], notes: [] });
  expect(timed).toEqual(
    [row(0), row(1)].map(({ id, timing, sampling }) => ({ id, files: [], parameters: 7e9, timing, sampling })),
  );
  expect(timedOf(saved(JSON.parse(JSON.stringify(timed))))).toEqual(timed);
});

it("of many runs an even share is kept", () => {
  const { timed } = timesToKeep({ rows: Array.from({ length: 1000 }, (_, index) => row(index)), notes: [] });
  expect(timed?.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => `run-${5 * index}`));
});

it("a fit that comes from anywhere gives amounts or nothing", () => {
  const odd = [
    null,
    7,
    "x",
    [],
    {},
    { id: 3 },
    { id: "a", timing: {} },
    { id: "b", timing: { steps: 5, secondsPerStep: -1, phases: {} } },
  ];
  for (const timed of [undefined, null, "x", {}, odd]) expect(timedOf(saved(timed))).toEqual([]);
  const timing = {
    steps: 5,
    secondsPerStep: 9,
    phases: { generation: "1", update: 2 },
    gpus: -8,
    groupSize: 1e999,
    framework: 3,
  };
  expect(timedOf(saved([{ id: "c", parameters: "7B", timing, files: ["file:///etc/passwd"] }]))).toEqual([
    { id: "c", files: [], parameters: null, timing: { steps: 5, secondsPerStep: 9, phases: { update: 2 } } },
  ]);
});
