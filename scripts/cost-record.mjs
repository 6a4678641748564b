/**
 * Holds the cost model against the record of published costs: each run as a budget and a scaling.yaml, (1) its source left out of
 * the fit, by the model itself, and (2) through `inspect --json` of the built command line, with the coefficients that ship.
 * Writes the tables of docs/cost.md and docs/images/cost-record.svg; exits with 1 where a figure does not hold.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases, fitted, leaveSourcesOut, residualOf } from "./cost/fit.mjs";
import { costModule, shapeOf } from "./cost/model.mjs";
import { recordPlot } from "./cost/plot.mjs";
import { asFiles, completeness, observed, readRecord, sharedFolder } from "./cost/record.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const named = process.argv.slice(2).find((word) => !word.startsWith("--"));
const shared = sharedFolder();
const file = named ?? (shared && join(shared, "data/published-costs.csv"));
if (!file || !existsSync(file)) {
  console.error("The record of published costs is not here: name the file, or set SCALING_LENS_SHARED.");
  process.exit(2);
}
const rows = readRecord(file);
const module = await costModule();
const list = cases(module, rows, (row) => shapeOf(module, asFiles(row)));

/** Each run by a fit without its source; and with its team's intercept, where two other runs of its class are there. */
function leftOut() {
  const { errors, fits } = leaveSourcesOut(module, list);
  return errors.map((one) => {
    const { result, others } = fits.get(one.row.source_name);
    const residual = residualOf(errors.filter(({ row }) => row.source_name !== one.row.source_name));
    const coefficients = fitted(result, residual, others);
    const mates = errors.filter(
      (other) => other !== one && other.row.team === one.row.team && other.class === one.class,
    );
    const team =
      mates.length < 2
        ? null
        : module.teamIntercept(
            mates.map(({ error, shape }) => ({ error: -error, weight: module.likeness(shape, one.shape) })),
          );
    const { secondsPerStep } = module.runCost(one.shape, { coefficients });
    return {
      ...one,
      predicted: secondsPerStep,
      ofTeam: team && module.runCost(one.shape, { coefficients, team }).secondsPerStep,
    };
  });
}

/** The same runs through the command line. */
function throughCli(rows) {
  const cli = join(root, "dist/cli.js");
  if (!existsSync(cli)) return null;
  const folder = mkdtempSync(join(tmpdir(), "cost-record-"));
  try {
    const files = rows.map((row) => {
      const place = join(folder, row.id);
      mkdirSync(place);
      const { budget, scaling } = asFiles(row);
      writeFileSync(join(place, "run.budget.yaml"), budget);
      writeFileSync(join(place, "scaling.yaml"), scaling);
      return join(row.id, "run.budget.yaml");
    });
    const run = spawnSync(process.execPath, [cli, "inspect", "--json", ...files], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    const answers = JSON.parse(run.stdout);
    return rows.flatMap((row, i) => {
      const { cost } = answers[i].experiments[0];
      const seen = observed(row);
      const [predicted, truth] =
        seen.seconds !== null ? [cost.secondsPerStep, seen.seconds] : [cost.gpuHours, seen.gpuHours];
      return predicted && truth ? [{ row, kind: completeness(row), seen: { seconds: truth }, predicted }] : [];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const at = (values, p) => {
  const sorted = [...values].sort((a, b) => a - b);
  const place = p * (sorted.length - 1);
  const low = Math.floor(place);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (place - low);
};

function figures(found, pick = (one) => one.predicted) {
  const told = found.filter((one) => pick(one));
  if (told.length === 0) return null;
  const off = told.map((one) => Math.exp(Math.abs(Math.log(pick(one).estimate / one.seen.seconds))));
  const held = told.filter((one) => pick(one).low <= one.seen.seconds && one.seen.seconds <= pick(one).high);
  return {
    runs: told.length,
    coverage: held.length / told.length,
    median: at(off, 0.5),
    ninety: at(off, 0.9),
    half: at(
      told.map((one) => Math.sqrt(pick(one).high / pick(one).low)),
      0.5,
    ),
  };
}

const line = (name, f) =>
  f === null
    ? []
    : [
        `| ${name} | ${f.runs} | ${Math.round(100 * f.coverage)} % | ${f.median.toFixed(2)} | ${f.ninety.toFixed(2)} | ×/÷ ${f.half.toFixed(2)} |`,
      ];
const HEAD =
  "| runs | number | in their 80 % interval | median factor | 90 % factor | median half-width |\n|---|---|---|---|---|---|";

const found = leftOut();
const whole = found.filter(({ kind }) => kind !== "partial");
const complete = figures(whole);
const team = figures(whole, (one) => one.ofTeam);
const cli = throughCli(rows);
// Runs that were looked up after the fit and are in none.
const further = throughCli(readRecord(join(root, "test/fixtures/cost/further-runs.csv")));
const ofClass = (name) => figures(whole.filter((one) => one.class === name));
const table = [
  HEAD,
  ...line("**complete** (GPU, batch, and a mean or a cap)", complete),
  ...line("with the mean response", figures(whole.filter(({ kind }) => kind === "mean"))),
  ...line("with the cap only", figures(whole.filter(({ kind }) => kind === "cap"))),
  ...["dense", "mixture", "lora", "multi-turn"].flatMap((name) => line(name, ofClass(name))),
  ...line("**with the team's intercept** (2 or more of its runs)", team),
  ...line("without a GPU, a batch or any length", figures(found.filter(({ kind }) => kind === "partial"))),
  ...line("complete, their layout not stated", figures(whole.filter(({ row }) => row.layout === null))),
  ...(cli === null
    ? []
    : line(
        "complete, through `inspect --json`, nothing left out",
        figures(cli.filter(({ kind }) => kind !== "partial")),
      )),
  ...(further === null ? [] : line("**looked up later**, in no fit, through `inspect --json`", figures(further))),
].join("\n");
console.log(table);

const holds = [
  ["coverage 75–90 %", complete.coverage >= 0.75 && complete.coverage <= 0.9],
  ["median factor ≤ 1.9", complete.median <= 1.9],
  ["90 % factor ≤ 4.5", complete.ninety <= 4.5],
  ["half-width ≤ ×/÷ 3.3", complete.half <= 3.3],
  ["team: median factor ≤ 1.5", team.median <= 1.5],
  ["team: 90 % factor ≤ 2.5", team.ninety <= 2.5],
  ["team: half-width ≤ ×/÷ 2.3", team.half <= 2.3],
];
for (const [claim, ok] of holds) console.log(`${ok ? "holds" : "DOES NOT HOLD"}: ${claim}`);
if (cli === null) console.log("dist/cli.js is not built: the command line was not asked (npm run build)");

if (named === undefined || process.argv.includes("--write")) {
  const page = join(root, "docs/cost.md");
  const text = readFileSync(page, "utf8");
  const [open, close] = ["<!-- record -->", "<!-- end: record -->"];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error("docs/cost.md has no place for the record");
  writeFileSync(page, `${text.slice(0, start + open.length)}\n\n${table}\n\n${text.slice(end)}`);
  writeFileSync(join(root, "docs/images/cost-record.svg"), recordPlot(whole));
}
process.exit(holds.every(([, ok]) => ok) ? 0 : 1);
