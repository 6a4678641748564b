import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, folderWith } from "./harness";

const LEVELS = "test/fixtures/logs/levels-in-names";

/** Twelve consoles of verl whose levels stand in their folders' names only. */
test("twelve logs with levels in their names: one rule of facts, three commands, and no run is discarded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-twelve-"));
  try {
    cpSync(LEVELS, folder, { recursive: true, filter: (name) => !name.endsWith("want.json") });
    const shown = await cli(folder, "runs");
    expect(shown.code).toBe(0);
    expect(shown.out).toContain("12 runs (12 finished)");
    expect(shown.out).toContain("tasks from facts in scaling.yaml");
    const why = await cli(folder, "runs", "--explain", "t200-e2-r16");
    expect(why.code).toBe(0);
    expect(why.out).toMatch(/val-core\/maze\/acc\/mean@1/);
    expect(why.out).toMatch(/200/);
    const fit = await cli(folder, "fit", "--json");
    expect(fit.code).toBe(0);
    const { rows, exponents } = JSON.parse(fit.out) as {
      rows: number;
      exponents: Record<string, { low: number; high: number }>;
    };
    expect(rows).toBe(12);
    expect(Object.keys(exponents).sort()).toEqual(["environments", "tasks", "trajectories"]);
    for (const { low, high } of Object.values(exponents)) {
      expect(low).toBeGreaterThan(0);
      expect(high).toBeLessThan(2);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("of many notes of one kind the first are printed, and how many more there are", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`run-${i}/metrics.jsonl`, '{"step":10,"success_rate":0.5}\n']),
  );
  const { folder, remove } = folderWith(files);
  try {
    const { err } = await cli(folder, "runs", ".");
    expect(err.split("\n").filter((line) => line.includes("no axis is known"))).toHaveLength(20);
    expect(err).toContain("run.no-axes: 10 more like these");
  } finally {
    remove();
  }
});

test("a forecast asks for no axes", async () => {
  const { folder, remove } = folderWith({
    "a/run.json": '{"steps":60}',
    "a/metrics.jsonl": Array.from(
      { length: 3 },
      (_, i) => `{"step":${10 * i + 10},"success_rate":${0.1 * i + 0.1}}\n`,
    ).join(""),
  });
  try {
    expect((await cli(folder, "forecast", ".")).err).not.toContain("run.no-axes");
    expect((await cli(folder, "runs", ".")).err).toContain("run.no-axes");
  } finally {
    remove();
  }
});
