/** Public logs, cut after five steps: what `forecast` says is left against what the rest took. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cli, folderWith } from "./harness";

const { runs } = JSON.parse(readFileSync("test/fixtures/cost/step-times.json", "utf8")) as {
  runs: { source: string; seconds: number[]; every?: number }[];
};
const SEEN = 5;

it("from five logged steps, the hours left are within 15 % in nine public logs of ten", async () => {
  const files = runs.flatMap(({ seconds, every = 1 }, i) => {
    const lines = seconds.slice(0, SEEN).map((second, at) => ({
      step: every * (at + 1),
      success_rate: 0.3 + 0.01 * at,
      "timing_s/step": second,
    }));
    return [
      [`r${String(i).padStart(2, "0")}/metrics.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join("")],
      [
        `r${String(i).padStart(2, "0")}/run.json`,
        JSON.stringify({ steps: every * seconds.length, gpus: 8, evaluation: { tasks: 500 } }),
      ],
    ];
  });
  const place = folderWith(Object.fromEntries(files) as Record<string, string>);
  try {
    const { out } = await cli(place.folder, "forecast", ".", "--json");
    const told = (
      JSON.parse(out) as {
        runs: { gpuHoursLeft: number; gpuHoursLeftInterval: { low: number; high: number } | null }[];
      }
    ).runs;
    expect(told).toHaveLength(runs.length);
    const errors = runs.map(({ seconds, every = 1 }, i) => {
      const left = (8 * every * seconds.slice(SEEN).reduce((sum, second) => sum + second, 0)) / 3600;
      const { gpuHoursLeft, gpuHoursLeftInterval: interval } = told[i];
      return {
        off: gpuHoursLeft / left - 1,
        inside: interval !== null && interval.low <= left && left <= interval.high,
      };
    });
    expect(runs.length).toBeGreaterThanOrEqual(20);
    expect(errors.filter(({ off }) => Math.abs(off) <= 0.15).length / runs.length).toBeGreaterThanOrEqual(0.9);
    expect(errors.filter(({ inside }) => inside).length / runs.length).toBeGreaterThanOrEqual(0.9);
  } finally {
    place.remove();
  }
});
