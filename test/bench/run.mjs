// Prints one table of every figure that we promise. `--check` fails past the limits; `--only=fit,runs` runs some;
// `--write` keeps the result in docs/benchmarks.md with machine and date.
import { readdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildBundles, root, setup } from "../../scripts/setup.mjs";

/**
 * A bench module exports `default async () => Row[]`. A row: `name`, `value` with its `unit`, an optional `peer`
 * (what it is compared with, in words and numbers), `ratio` (ours ÷ peer's) and `limit`: `{ max }` or `{ min }` on
 * `ratio` when there is one, else on `value`.
 * @typedef {{ name: string, value: number, unit: string, peer?: string, ratio?: number, limit?: { max?: number, min?: number }, skipped?: string }} Row
 */

const only = process.argv
  .find((argument) => argument.startsWith("--only="))
  ?.slice(7)
  .split(",");
const here = join(root, "test", "bench");

function number(value) {
  if (!Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** @param {Row} row */
function within(row) {
  if (row.skipped || !row.limit) return true;
  const judged = row.ratio ?? row.value;
  return (
    Number.isFinite(judged) &&
    (row.limit.max === undefined || judged <= row.limit.max) &&
    (row.limit.min === undefined || judged >= row.limit.min)
  );
}

/** @param {Row} row */
function cells(row) {
  const limit = row.limit
    ? [row.limit.max !== undefined ? `≤ ${row.limit.max}` : "", row.limit.min !== undefined ? `≥ ${row.limit.min}` : ""]
        .filter(Boolean)
        .join(", ")
    : "";
  if (row.skipped) return [row.name, `not measured: ${row.skipped}`, row.peer ?? "", "", limit, ""];
  return [
    row.name,
    `${number(row.value)} ${row.unit}`,
    row.peer ?? "",
    row.ratio === undefined ? "" : `${number(row.ratio)}×`,
    limit,
    row.limit ? (within(row) ? "ok" : "PAST LIMIT") : "",
  ];
}

setup();
buildBundles(["--production"]);
const modules = readdirSync(here)
  .filter((name) => name.endsWith(".bench.mjs") && (!only || only.some((part) => name.startsWith(part))))
  .sort();
const rows = [];
let broken = 0;
for (const name of modules) {
  console.error(`… ${name}`);
  try {
    const { default: bench } = await import(pathToFileURL(join(here, name)).href);
    rows.push(...(await bench()));
  } catch (error) {
    broken++;
    console.error(`${name} failed: ${error?.stack ?? error}`);
  }
}

const header = ["figure", "measured", "peer in the same run", "ratio", "limit", ""];
const table = [header, ...rows.map(cells)];
const widths = header.map((_, i) => Math.max(...table.map((row) => row[i].length)));
for (const [i, row] of table.entries()) {
  console.log(
    row
      .map((cell, j) => cell.padEnd(widths[j]))
      .join("  ")
      .trimEnd(),
  );
  if (i === 0) console.log(widths.map((width) => "─".repeat(width)).join("  "));
}

const machine = `${cpus().length} × ${cpus()[0].model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
console.log(`\n${machine}`);
if (process.argv.includes("--write")) {
  const date = new Date().toISOString().slice(0, 10);
  const lines = table.map((row) => `| ${row.map((cell) => cell.replace(/\|/g, "\\|")).join(" | ")} |`);
  lines.splice(1, 0, `|${header.map(() => "---|").join("")}`);
  writeFileSync(
    join(root, "docs", "benchmarks.md"),
    `# Benchmarks\n\nMade by \`npm run bench -- --write\` on ${date}: ${machine}. Ratios compare with the peer in the same run.\n\n${lines.join("\n")}\n`,
  );
}
const past = rows.filter((row) => !within(row));
if (broken || (process.argv.includes("--check") && past.length > 0)) process.exit(1);
