/** Published runs through `inspect --json`: those looked up after the fit, and the record that the coefficients rest on where it is at hand. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asFiles, completeness, observed, readRecord, sharedFolder } from "../../scripts/cost/record.mjs";
import { cli, folderWith } from "./harness";

interface Told {
  readonly inside: boolean;
  readonly off: number;
  readonly complete: boolean;
}

async function inspected(file: string): Promise<Told[]> {
  const rows = readRecord(file);
  const files = rows.flatMap((row) => {
    const { budget, scaling } = asFiles(row);
    return [
      [`${row.id}/run.budget.yaml`, budget],
      [`${row.id}/scaling.yaml`, scaling],
    ];
  });
  const place = folderWith(Object.fromEntries(files) as Record<string, string>);
  try {
    const { out } = await cli(place.folder, "inspect", "--json", ...rows.map(({ id }) => join(id, "run.budget.yaml")));
    const answers = JSON.parse(out) as { experiments: { cost: Record<string, Record<string, number> | null> }[] }[];
    return rows.flatMap((row, i) => {
      const { cost } = answers[i].experiments[0];
      const seen = observed(row);
      const truth = seen.seconds ?? seen.gpuHours;
      const told = seen.seconds !== null ? cost.secondsPerStep : cost.gpuHours;
      if (truth === null || told === null) return [];
      const inside = told.low <= truth && truth <= told.high;
      return [{ inside, off: Math.abs(Math.log(told.estimate / truth)), complete: completeness(row) !== "partial" }];
    });
  } finally {
    place.remove();
  }
}

const share = (told: readonly Told[]): number => told.filter(({ inside }) => inside).length / told.length;
const factor = (told: readonly Told[], p: number): number => {
  const sorted = told.map(({ off }) => off).sort((a, b) => a - b);
  return Math.exp(sorted[Math.round(p * (sorted.length - 1))]);
};

describe("published runs", () => {
  it("that are in no fit: most are inside their interval, half within a factor of 1.9", async () => {
    const told = await inspected("test/fixtures/cost/further-runs.csv");
    expect(told.length).toBeGreaterThanOrEqual(8);
    expect(share(told)).toBeGreaterThanOrEqual(0.75);
    expect(factor(told, 0.5)).toBeLessThanOrEqual(1.9);
    expect(factor(told, 0.9)).toBeLessThanOrEqual(4.5);
  });

  const shared = sharedFolder();
  const record = shared === null ? "" : join(shared, "data/published-costs.csv");
  it.skipIf(!existsSync(record))(
    "of the record, those that are complete (skipped where it is not at hand)",
    async () => {
      const told = (await inspected(record)).filter(({ complete }) => complete);
      expect(told.length).toBeGreaterThan(50);
      expect(share(told)).toBeGreaterThanOrEqual(0.75);
      expect(factor(told, 0.5)).toBeLessThanOrEqual(1.9);
      expect(factor(told, 0.9)).toBeLessThanOrEqual(4.5);
    },
  );
});
