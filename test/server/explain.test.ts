import { afterEach, describe, expect, it } from "vitest";
import { readWhatIf, whatIfAt, type WhatIf } from "../../server/core/figures/whatIf";
import { Requests, type ExplainReply } from "../../server/protocol";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI } from "./runs";

const clients: TestClient[] = [];

async function explained(text = BUDGET, scaling?: string): Promise<ExplainReply> {
  const host = new MemoryHost();
  addProject(host, "file:///w", scaling);
  const client = await TestClient.start({ host });
  clients.push(client);
  await client.open(BUDGET_URI, text);
  await client.until("a fit", async () => !(await client.lensText(BUDGET_URI)).includes("Fitting"));
  return client.ask<ExplainReply>(Requests.explain, { uri: BUDGET_URI });
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

describe("Explain's first screen", () => {
  it("has the verdict, what applying comes to, and a frontier on which the best split is never below the present one", async () => {
    const { views } = await explained();
    const [{ verdict, success, change, actions, whatIf, details, doubts }] = views;
    expect(verdict).toMatch(/^\d+(\.\d)? points below the best split$/);
    expect(success).toMatch(/^\d+ % success \[\d+–\d+\] expected at \$[\d.]+k? \(95 % interval\)\.$/);
    expect(change).toMatch(/^\d+ → \d+ % at the same \$[\d.]+k?$/);
    expect(actions.map(({ label }) => label)).toEqual(["Optimise"]);
    expect(doubts).toEqual([]);
    expect(details).toContain("## The split");
    const { points, cost, levels, shares } = whatIf!;
    expect(points.length).toBeGreaterThan(8);
    expect(points[0].cost).toBeLessThanOrEqual(0.26 * cost);
    expect(points[points.length - 1].cost).toBeGreaterThanOrEqual(7.9 * cost);
    expect(Object.keys(levels).sort()).toEqual(["environments", "tasks", "trajectories"]);
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
    let before = 0;
    for (const { now, best, shares: spent } of points) {
      // Whole numbers at the present cost lose a little.
      expect(best![0]).toBeGreaterThan(now![0] - 0.005);
      expect(best![0]).toBeGreaterThan(before - 0.005);
      expect(Object.values(spent).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
      before = best![0];
    }
    const here = whatIfAt(whatIf!, cost)!;
    expect(change).toContain(`${Math.round(100 * here.now![0])} → ${Math.round(100 * here.best![0])} %`);
  });

  it("proposes nothing where it is not known what is better, and offers the plan", async () => {
    const far = BUDGET.replace("1_000", "90_000");
    const [{ whatIf, actions, change, verdict }] = (await explained(far)).views;
    expect(verdict).toMatch(/^Can't tell/);
    expect(change).toBe("");
    expect(actions.map(({ label }) => label)).toEqual(["Plan next runs"]);
    for (const { best, levels } of whatIf?.points ?? []) {
      expect(best).toBeNull();
      expect(levels).toEqual({});
    }
  });

  it("without a fit has no success, no chart, and the ways to a fit", async () => {
    const [{ whatIf, actions, success, cost }] = (await explained(BUDGET, "pin: [parameters]\n")).views;
    expect(whatIf).toBeNull();
    expect(success).not.toMatch(/\d %/);
    expect(actions.map(({ label }) => label)).toEqual(["Fit run logs", "Calibrate with one run"]);
    expect(cost).toMatch(/rollouts · .* tokens/);
  });
});

describe("between the points of a frontier", () => {
  const DATA: WhatIf = {
    unit: "USD",
    cost: 100,
    levels: { tasks: 10 },
    shares: { tasks: 1 },
    points: [
      {
        cost: 50,
        now: [0.2, 0.1, 0.3],
        best: [0.3, 0.2, 0.4],
        levels: { tasks: 5 },
        shares: { tasks: 1 },
        beyond: false,
      },
      { cost: 200, now: [0.4, 0.3, 0.5], best: null, levels: { tasks: 20 }, shares: { tasks: 0.5 }, beyond: true },
    ],
  };

  it("amounts go by their logarithms, rates as they are; what is unknown at one end stays so", () => {
    const at = whatIfAt(DATA, 100)!;
    expect(at.levels.tasks).toBeCloseTo(10);
    expect(at.now![0]).toBeCloseTo(0.3);
    expect(at.shares.tasks).toBeCloseTo(0.75);
    expect(at.best).toBeNull();
    expect(whatIfAt(DATA, 50)).toBe(DATA.points[0]);
    expect(whatIfAt(DATA, 1e6)).toBe(DATA.points[1]);
  });

  it("a notebook's own text is read only where it is one", () => {
    expect(readWhatIf(JSON.stringify(DATA))).toEqual(DATA);
    for (const wrong of ["", "{}", "null", '{"points":[null]}', JSON.stringify({ ...DATA, points: [{ cost: "x" }] })])
      expect(readWhatIf(wrong)).toBeNull();
  });
});
