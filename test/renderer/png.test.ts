import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { drawPng, drawSvg, vegaLite, type PictureAssets } from "../../renderer/png";
import { allFigures } from "../core/figures/all";

const figures = allFigures();
const assets: PictureAssets = {
  wasm: readFileSync("node_modules/@resvg/resvg-wasm/index_bg.wasm"),
  fonts: ["latin-400", "latin-600", "greek-400"].map((name) =>
    readFileSync(`node_modules/@fontsource/inter/files/inter-${name}-normal.woff2`),
  ),
};
const size = (png: Uint8Array): number[] => {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
};

describe("pictures for readers without the extension", () => {
  it("are PNGs of a readable size, words included", async () => {
    const png = await drawPng(figures.split, assets);
    if (!png) throw new Error("no picture");
    expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const [width, height] = size(png);
    expect(width).toBeGreaterThan(700);
    expect(height).toBeGreaterThan(250);
    // Without a font every word would be missing, and the picture much smaller.
    const bare = await drawPng(figures.split, { ...assets, fonts: [] });
    expect(png.length).toBeGreaterThan(1.5 * (bare?.length ?? Infinity));
  });

  it("stand by themselves: literal colours on white, title, notes and whether the data are simulated", async () => {
    for (const payload of Object.values(figures)) {
      const svg = await drawSvg(payload);
      expect(svg).not.toContain("var(");
      expect(svg).toContain("simulated data");
      expect(svg).toContain('fill="#ffffff"');
    }
    expect(await drawSvg({ ...figures.split, simulated: false })).not.toContain("simulated data");
  });

  it("keep hostile words as words", async () => {
    const svg = await drawSvg({
      ...figures.split,
      title: "<script>alert(1)</script>",
      notes: ['"><image href="http://elsewhere/x"/>'],
    });
    expect(svg).not.toMatch(/<script|<image/);
    expect(svg).toContain("&lt;script&gt;");
  });

  it("are none for a chart that this build does not know", async () => {
    expect(await drawPng({ ...figures.split, template: "pie" }, assets)).toBeNull();
    expect(vegaLite({ ...figures.split, template: "pie" })).toBeNull();
  });
});
