// Writes server/core/forecast/residuals.ts: by how much forecasts of published curves were off, in multiples of their own
// scale. Needs the curves (data/curves.jsonl of the shared folder, or a file named as argument).
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "studies");
mkdirSync(folder, { recursive: true });
const outfile = join(folder, "residuals.cjs");
buildSync({
  entryPoints: [join(root, "test", "studies", "forecast", "table.ts")],
  bundle: true,
  platform: "node",
  target: "node20",
  outfile,
  logLevel: "warning",
  define: { __dirname: JSON.stringify(join(root, "test")) },
});
const { table, count, groups } = createRequire(import.meta.url)(outfile).publishedTable(process.argv[2]);
const row = (values) => `[${values.map((value) => Number(value.toFixed(3))).join(", ")}]`;
const target = join(root, "server", "core", "forecast", "residuals.ts");
writeFileSync(
  target,
  `import { LEVELS, type ResidualTable, SHARES } from "./calibration";

/**
 * Errors of forecasts on ${count} published learning curves of ${groups} sources (language-model trainings of 11 repositories; Procgen,
 * DMControl, SMAC and others), as quantiles at each share of the planned steps. docs/forecast.md names the sources.
 * Written by scripts/forecast-residuals.mjs: not by hand.
 */
export const SHIPPED_RESIDUALS: ResidualTable = {
  shares: SHARES,
  levels: LEVELS,
  quantiles: [
${table.quantiles.map((values) => `    ${row(values)},`).join("\n")}
  ],
};
`,
);
console.log(`${target}: ${count} curves, ${groups} groups`);
