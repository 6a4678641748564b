/** Published data sets: the right answers are known from elsewhere. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitTable } from "../../../server/core/fit";
import type { RunRow } from "../../../server/core/table";
import { shared } from "../../shared";

const DATA = shared("data") ?? "";
const here = shared("data/chinchilla-figure4.csv") !== null;
if (!here)
  console.log(
    "The reference data (../shared/data beside the repository) are absent: tests against published data are skipped.",
  );

/** Rows by column name; none where the data are absent, since a skipped suite still runs its set-up. */
function csv(name: string): Record<string, string>[] {
  if (!here) return [];
  const [head, ...lines] = readFileSync(join(DATA, name), "utf8").trim().split(/\r?\n/);
  const names = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i], cell])));
}

describe.skipIf(!here)("Chinchilla's figure 4", () => {
  const rows = csv("chinchilla-figure4.csv")
    .map((line, i): RunRow & { outcome: { kind: "loss"; loss: number } } => ({
      id: `figure4.csv:${i + 2}`,
      setting: "",
      files: [],
      outcome: { kind: "loss", loss: Number(line.loss) },
      axes: { parameters: Number(line.parameters), tokens: Number(line.training_flop) / (6 * Number(line.parameters)) },
    }))
    .sort((a, b) => b.outcome.loss - a.outcome.loss)
    .slice(5);
  const fit = fitTable({ rows, notes: [] }, { law: "additive", loss: "huber", huberDelta: 1e-3, bootstrap: 4000 });

  it("reaches the best known optimum and its parameters to four digits", () => {
    if (!fit.ok) throw new Error(fit.problem.message);
    const { value } = fit;
    expect(value.rows).toBe(240);
    expect(value.objective).toBeLessThanOrEqual(0.0010182745);
    expect(value.parameters.A_parameters.estimate).toBeCloseTo(477.8, 1);
    expect(value.parameters.A_tokens.estimate / 2143).toBeCloseTo(1, 3);
    expect(value.parameters.E.estimate).toBeCloseTo(1.8172, 4);
    expect(value.exponents.parameters.estimate).toBeCloseTo(0.3473, 4);
    expect(value.exponents.tokens.estimate).toBeCloseTo(0.3672, 4);
    expect(value.starts.withinOnePercent).toBeGreaterThan(0.6);
  });

  it("gives the published bootstrap intervals within ±0.006", () => {
    if (!fit.ok) throw new Error(fit.problem.message);
    const { parameters, tokens } = fit.value.exponents;
    for (const [found, published] of [
      [parameters.low, 0.317],
      [parameters.high, 0.373],
      [tokens.low, 0.331],
      [tokens.high, 0.415],
    ]) {
      expect(Math.abs(found! - published!)).toBeLessThanOrEqual(0.006);
    }
    expect(fit.value.draws).toMatchObject({ kind: "bootstrap", count: 4000 });
  });
});

describe.skipIf(!here)("robot diversity grids", () => {
  const lines = here ? csv("robot-diversity.csv") : [];
  const tables = [...new Set(lines.map((line) => line.table))];
  const failure = (line: Record<string, string>): number => 1 - Number(line.score) / Number(line.max_score);

  it.each([
    ["pour-obj", 0.825, 0.703],
    ["pour-env", 1.18, 0.844],
    ["pour-pair", 1.068, 0.579],
  ])("%s: a log-log line gives the published exponent", (name, a, b) => {
    const table = tables.find((one) => one === name) ?? tables[["pour-obj", "pour-env", "pour-pair"].indexOf(name)];
    const full = lines.filter((line) => line.table === table && Number(line.demonstration_fraction) === 1);
    const rows = full.map((line, i): RunRow => ({
      id: `${i}`,
      setting: "",
      files: [],
      axes: { environments: Number(line.units) },
      outcome: { kind: "loss", loss: failure(line) },
    }));
    const byName = fitTable({ rows, notes: [] }, { law: "power", loss: "gaussian", bootstrap: 50 });
    const byHand = fitTable(
      { rows, notes: [] },
      {
        law: "custom",
        loss: "gaussian",
        bootstrap: 50,
        custom: {
          expression: "a * environments ^ (-b)",
          parameters: { a: { low: 0.01, high: 100 }, b: { low: 0.02, high: 3 } },
        },
      },
    );
    if (!byName.ok || !byHand.ok) throw new Error("refused");
    expect(Math.abs(byHand.value.parameters.b.estimate - b)).toBeLessThanOrEqual(0.005);
    expect(byHand.value.parameters.a.estimate).toBeCloseTo(a, 2);
    expect(Math.abs(byName.value.exponents.environments.estimate! - b)).toBeLessThanOrEqual(0.005);
  });

  it("AICc prefers the interaction form to the additive one in all three tables", () => {
    const expected = [
      [-118.7, -94.0],
      [-100.5, -84.6],
      [-101.1, -97.8],
    ];
    expect(tables).toHaveLength(3);
    tables.forEach((table, t) => {
      const rows = lines
        .filter((line) => line.table === table)
        .map((line, i): RunRow => ({
          id: `${i}`,
          setting: "",
          files: [],
          axes: { environments: Number(line.units), trajectories: Number(line.demonstration_fraction) },
          outcome: { kind: "rate", rate: 1 - failure(line) },
        }));
      const fit = fitTable({ rows, notes: [] }, { loss: "gaussian", bootstrap: 100 });
      if (!fit.ok) throw new Error(fit.problem.message);
      const aicc = (law: string): number => fit.value.selection.find((one) => one.law === law)!.aicc!;
      expect(aicc("interaction")).toBeLessThan(aicc("additive"));
      expect(aicc("interaction")).toBeCloseTo(expected[t][0], 1);
      expect(aicc("additive")).toBeCloseTo(expected[t][1], 1);
    });
  });
});
