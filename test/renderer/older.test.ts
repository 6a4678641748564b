import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rowsOf } from "../../server/core/figures/rows";
import { CHARTS } from "../../renderer/charts/index";
import { figureOf } from "../../renderer/figure";
import { readPayload } from "../../renderer/payload";
import { sceneOf } from "./scene";

/** Payloads as they were written into notebooks. A file here is never changed: a later build must still draw it. */
const FORMAT_1 = JSON.parse(readFileSync("test/fixtures/figures/format-1.json", "utf8")) as Record<string, unknown>;

describe("figures in notebooks that were saved before", () => {
  it("of format 1 are there for all charts that were written in it", () => {
    // `curves` came after the first release: no saved notebook has one of before.
    const written = CHARTS.map(({ shape }) => shape.template).filter((template) => template !== "curves");
    expect(Object.keys(FORMAT_1).sort()).toEqual(written.sort());
  });

  it.each(Object.entries(FORMAT_1))("%s is drawn", async (_, stored) => {
    const { payload, problem } = readPayload(JSON.stringify(stored));
    expect(problem).toBeNull();
    if (!payload) return;
    const figure = figureOf(payload);
    expect(figure?.rows.length).toBe(rowsOf(figure?.template.shape ?? CHARTS[0].shape, payload.data).length);
    const scene = await sceneOf(payload);
    const drawn = ["symbol", "line", "area", "rule", "text"].flatMap((type) => scene.marks(type));
    expect(drawn.length).toBeGreaterThan(3);
    for (const { x, y } of scene.marks("symbol")) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
  });
});
