import { describe, expect, it } from "vitest";
import { measuredSuccess } from "../../server/assessment/prediction";
import type { LawInForce } from "../../server/assessment/types";

const runs = (rates: Readonly<Record<string, number>>) =>
  ({ fit: { file: { runs: Object.entries(rates).map(([id, rate]) => ({ id, rate })) } } }) as unknown as LawInForce;

describe("the run that a config belongs to", () => {
  it.each([
    ["file:///w/runs/a/config.yaml", { a: 0.25, b: 0.5 }, 0.25],
    ["file:///w/runs/a/.hydra/config.yaml", { a: 0.25 }, 0.25],
    ["file:///w/runs/my%20run/run.yaml", { "my run": 0.25 }, 0.25],
    // A folder of the same name further up, a part of a name, and a run of a run's name.
    ["file:///w/a/configs/b/run.yaml", { a: 0.25 }, null],
    ["file:///w/runs/extra/run.yaml", { ra: 0.25 }, null],
    ["file:///w/runs/exp/a/run.yaml", { a: 0.25, "exp/a": 0.5 }, 0.5],
    ["file:///home/runs/w/configs/run.yaml", { runs: 0.25 }, null],
  ])("%s among %j: %s", (uri, rates, own) => {
    expect(measuredSuccess(uri, runs(rates as unknown as Record<string, number>))).toBe(own);
  });
});
