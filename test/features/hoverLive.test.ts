/** What hovers say of the run that is on: its steps, and the groups that its log says have no gradient. */
import { describe, expect, it } from "vitest";
import { liveRows } from "../../server/report/forecast";
import { generationFactor } from "../../server/report/signal";
import { RUN_FORECASTS } from "../core/figures/runForecasts";

describe("rows of a run", () => {
  it("say where it heads, what is left and what to do", () => {
    const rows = Object.fromEntries(liveRows(RUN_FORECASTS[0]));
    expect(rows.Run).toMatch(/^grpo-7b: running/);
    expect(rows["Heading for"]).toMatch(/^\d+ % \[\d+–\d+\]$/);
    expect(rows["Reaches the law"]).toMatch(/^61\.0 %: \d+ %$/);
    expect(rows["Reaches the best run"]).toMatch(/%$/);
    expect(rows["Left to gain"]).toMatch(/points/);
    expect(rows["Left to spend"]).toBe("60 GPU-hours");
    expect(rows.Advice).toMatch(/^\*\*(continue|stop|look)\*\*/);
  });

  it("say what a finished one came to, and nothing of what is left", () => {
    const rows = Object.fromEntries(liveRows(RUN_FORECASTS[2]));
    expect(rows["Ended at"]).toMatch(/%/);
    expect(rows["Left to gain"]).toBeUndefined();
    expect(liveRows(null)).toEqual([]);
  });
});

it("dynamic sampling generates 1/(1 − share without gradient) times as much", () => {
  expect(generationFactor(0.375)).toBeCloseTo(1.6);
  expect(generationFactor(0)).toBe(1);
  expect(generationFactor(1)).toBeNull();
});
