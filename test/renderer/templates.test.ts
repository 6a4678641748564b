import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
// eslint-disable-next-line @typescript-eslint/ban-ts-comment
// @ts-ignore: a build script without types
import { loadTemplates, toVega } from "../../scripts/charts.mjs";
import type { ChartTemplate } from "../../renderer/charts/template";
import { vegaLiteOf } from "../../renderer/exports";
import { figureOf } from "../../renderer/figure";
import { allFigures } from "../core/figures/all";

const { CHARTS, CONFIG } = (await loadTemplates()) as { CHARTS: readonly ChartTemplate[]; CONFIG: object };

type Compiler = (spec: object, options?: object) => { spec: object };

/** Vega-Lite 5.6, as JupyterLab ships it. */
async function older(): Promise<Compiler> {
  // Its own files import `vega`, which is a peer: bundled, only what compiling needs is left.
  const outfile = join(mkdtempSync(join(tmpdir(), "vega-lite-")), "older.mjs");
  await build({
    stdin: { contents: `export { compile } from "vega-lite-5";`, resolveDir: process.cwd() },
    bundle: true,
    outfile,
    format: "esm",
    platform: "browser",
    mainFields: ["module", "main"],
    logLevel: "error",
    plugins: [
      {
        name: "no-vega",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^vega$/ }, () => ({ path: "vega", namespace: "none" }));
          onLoad({ filter: /.*/, namespace: "none" }, () => ({
            contents: `export * from "vega-util";`,
            resolveDir: join(process.cwd(), "node_modules/vega-lite-5"),
          }));
        },
      },
    ],
  });
  return ((await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { compile: Compiler }).compile;
}

const compile = await older();

describe("chart templates", () => {
  it("are nine, each with an id and a version", () => {
    expect(CHARTS.map(({ shape }) => `${shape.template} ${shape.templateVersion}`)).toMatchInlineSnapshot(`
      [
        "axis-fits 1",
        "exponent-forest 1",
        "synthesis-ratio 1",
        "discounts 1",
        "split 1",
        "frontier 1",
        "calibration 1",
        "growth 1",
        "curves 1",
      ]
    `);
  });

  it.each(CHARTS.map((chart) => [chart.shape.template, chart] as const))(
    "%s compiles without a warning",
    (_, chart) => {
      expect(() => toVega(chart, CONFIG) as unknown).not.toThrow();
    },
  );

  it.each(CHARTS.map((chart) => [chart.shape.template, chart] as const))(
    "%s compiles without a warning on Vega-Lite 5.6",
    (_, chart) => {
      expect(() => toVega(chart, CONFIG, compile) as unknown).not.toThrow();
    },
  );

  it("exported sources compile without a warning on Vega-Lite 5.6", () => {
    for (const payload of Object.values(allFigures())) {
      const warnings: unknown[] = [];
      const logger = {
        level: () => logger,
        warn: (...words: unknown[]) => (warnings.push(words), logger),
        error: (...words: unknown[]) => (warnings.push(words), logger),
        info: () => logger,
        debug: () => logger,
      };
      const figure = figureOf(payload);
      if (!figure) throw new Error(payload.template);
      compile(vegaLiteOf(figure, 760), { logger });
      expect(warnings).toEqual([]);
    }
  });

  it("every chart reads columns that its shape has", () => {
    for (const { shape, spec } of CHARTS) {
      const names = new Set(shape.columns.map(({ name }) => name));
      for (const [, field] of JSON.stringify(spec).matchAll(/datum\.(\w+)/g)) {
        if (!["value", "end"].includes(field)) expect(names, `${shape.template}: ${field}`).toContain(field);
      }
      for (const table of shape.tables) for (const column of table.columns) expect(names).toContain(column);
    }
  });
});
