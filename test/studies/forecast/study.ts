/**
 * How good forecasts of running trainings are, on published curves with their sources left out:
 *   npm run studies -- forecast            prints every figure beside its bar and writes docs/forecast.md's table and plot
 *   npm run studies -- forecast FILE       the same on other curves (one JSON object a line), writes nothing
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, quantile } from "../../../server/core/numerics/special";
import { shared } from "../../shared";
import { type CurveClass, readCurves } from "./curves";
import { type Judged, judgeAll, SHOWN, stops } from "./judge";
import { plot } from "./plot";

const CLASSES: readonly CurveClass[] = ["evaluations", "training curves", "classical"];
/** Bars of median error in points, by class, at each share shown. */
const ERROR: Readonly<Record<CurveClass, readonly number[]>> = {
  evaluations: [5, 4, 2.2, 1.6],
  "training curves": [13.5, 9, 5.3, 4.2],
  classical: [13, 8.5, 3.6, 2.2],
};
const WIDTH: Readonly<Record<CurveClass, number>> = { evaluations: 23, "training curves": 30, classical: 24 };

const own = process.argv[2];
const file = own ?? shared("data/curves.jsonl", process.cwd());
if (!file) {
  console.log("skipped: data/curves.jsonl is not there (set SCALING_LENS_SHARED, or name a file)");
  process.exit(0);
}
const curves = readCurves(file);
const judged = judgeAll(curves);
const lines: string[] = [];
let failed = 0;

function row(name: string, value: string, bar = "", holds = true): void {
  if (!holds) failed++;
  lines.push(`| ${name} | ${value} | ${bar}${bar === "" ? "" : holds ? " ✓" : " ✗"} |`);
}

const of = (kind: CurveClass | null) => judged.filter((each) => kind === null || each.class === kind);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const pts = (rate: number) => (rate * 100).toFixed(1);
const share = (value: number) => `${(value * 100).toFixed(1)} %`;
const errors = (list: readonly Judged[], shown: number, value: (each: Judged) => number) =>
  list.filter((each) => each.share === shown).map((each) => Math.abs(value(each) - each.truth));
const medians = (list: readonly Judged[], value: (each: Judged) => number) =>
  SHOWN.map((shown) => median(errors(list, shown, value)));
const slashed = (values: readonly number[]) => values.map(pts).join(" / ");

for (const kind of CLASSES) {
  const found = medians(of(kind), ({ estimate }) => estimate);
  row(
    `median error, ${kind}, ${SHOWN.map((s) => s * 100).join(" / ")} % shown (points)`,
    slashed(found),
    `≤ ${ERROR[kind].join(" / ")}`,
    found.every((value, i) => value * 100 <= ERROR[kind][i]),
  );
}
const pooled = medians(judged, ({ estimate }) => estimate);
const last = medians(judged, ({ rivals }) => rivals.last);
const sigmoid = medians(judged, ({ rivals }) => rivals.sigmoid);
row(
  "median error, all (points)",
  slashed(pooled),
  "below the next two",
  pooled.every((value, i) => value < last[i] && value < sigmoid[i]),
);
row("… of the last value", slashed(last));
row("… of a least-squares sigmoid", slashed(sigmoid));
row(
  "90 % of errors, all (points)",
  slashed(
    SHOWN.map((shown) =>
      quantile(
        errors(judged, shown, (each) => each.estimate),
        0.9,
      ),
    ),
  ),
);
const covers = (list: readonly Judged[]) =>
  mean(list.map(({ truth, low, high }) => (truth >= low && truth <= high ? 1 : 0)));
const halfWidth = (list: readonly Judged[]) => mean(list.map(({ low, high }) => (high - low) / 2));
row("95 % intervals cover, all", share(covers(judged)), "93–97 %", Math.abs(covers(judged) - 0.95) <= 0.02);
for (const kind of CLASSES) row(`… ${kind}`, share(covers(of(kind))), "≥ 90 %", covers(of(kind)) >= 0.9);
row("… by share shown", SHOWN.map((shown) => share(covers(judged.filter((each) => each.share === shown)))).join(" / "));
row("mean half-width, all (points)", pts(halfWidth(judged)), "≤ 26", halfWidth(judged) <= 0.26);
for (const kind of CLASSES)
  row(`… ${kind}`, pts(halfWidth(of(kind))), `≤ ${WIDTH[kind]}`, halfWidth(of(kind)) * 100 <= WIDTH[kind]);
const all = stops(judged);
const language = stops(judged.filter((each) => each.class !== "classical"));
row(
  "stopped runs that lose > 1 point beyond noise, all",
  `${share(all.lost)} of ${all.stopped}`,
  "≤ 10 %",
  all.lost <= 0.1,
);
row("… language models", `${share(language.lost)} of ${language.stopped}`, "≤ 5 %", language.lost <= 0.05);
row("saved, of what a perfect rule saves, all", share(all.saved), "≥ 25 %", all.saved >= 0.25);
for (const kind of CLASSES) {
  const { saved } = stops(of(kind));
  if (kind === "evaluations") row(`… ${kind}`, share(saved));
  else row(`… ${kind}`, share(saved), "≥ 25 %", saved >= 0.25);
}
row("mean of end − level at the stop, language models (points)", pts(language.signed), "≤ 0", language.signed <= 0);

console.log(["| figure | found | bar |", "|---|---|---|", ...lines].join("\n"));
console.log(`${curves.length} curves, ${judged.length} forecasts, ${failed} figures past their bar`);
if (own === undefined) {
  const page = join(process.cwd(), "docs", "forecast.md");
  const text = readFileSync(page, "utf8");
  const table = `<!-- study -->\n\n| figure | found | bar |\n|---|---|---|\n${lines.join("\n")}\n\n<!-- /study -->`;
  writeFileSync(
    page,
    text.replace(/<!-- study -->[^]*<!-- \/study -->/, () => table),
  );
  writeFileSync(join(process.cwd(), "docs", "images", "forecast.svg"), plot(judged));
}
process.exit(failed > 0 ? 1 : 0);
