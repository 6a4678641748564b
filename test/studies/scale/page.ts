import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plot } from "./plot";
import type { Point } from "./points";
import { ENVIRONMENTS, TASKS } from "./servers";

const power = (rows: number) => {
  const exponent = Math.log10(rows);
  return Number.isInteger(exponent) ? `10${"⁰¹²³⁴⁵⁶⁷⁸⁹"[exponent]}` : rows.toLocaleString("en");
};
const number = (value: number | null, digits = 1) => (value === null ? "" : value.toFixed(digits));
const amount = (bytes: number) => (bytes < 1e6 ? `${number(bytes / 1e3, 0)} kB` : `${number(bytes / 1e6, 0)} MB`);
const time = (seconds: number) =>
  seconds < 600 ? `${Number(seconds.toPrecision(2))} s` : `${Number((seconds / 60).toPrecision(2))} min`;

function table(points: readonly Point[]): string {
  const rows = points.map(
    ({ engine, rows, ours, processor, own, resident, bytes, same }) =>
      `| ${engine} | ${power(rows)} | ${number(ours)} | ${number(own)} | ${own === null ? "" : number(ours / own, 2)} | ${number(processor)} | ${number(resident, 0)} | ${amount(bytes)} | ${engine.startsWith("a file") ? "" : same === null ? "not compared" : same ? "the file's" : "another"} |`,
  );
  return [
    "| where | rollouts | `measure` (s) | the server's own time (s) | ratio | our processor time (s) | resident (MB) | travels | answer |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** What larger tables would take, by the two largest that were measured. */
function onPaper(points: readonly Point[]): string {
  const engines = [...new Set(points.flatMap(({ engine, own }) => (own === null ? [] : [engine])))];
  const rows = engines.flatMap((name) => {
    const [small, large] = points.filter(({ engine }) => engine === name).slice(-2);
    if (!large || small.own === null || large.own === null) return [];
    const slope = (large.own - small.own) / (large.rows - small.rows);
    const at = (rows: number) => time(large.own! + slope * (rows - large.rows));
    return [`| ${name} | ${number(slope * 1e6, 2)} | ${at(1e8)} | ${at(1e9)} |`];
  });
  return ["| where | s per 10⁶ rollouts | 10⁸ | 10⁹ |", "|---|---|---|---|", ...rows].join("\n");
}

/** Writes the figures and the picture of docs/scale.md. */
export function writePage(points: readonly Point[]): void {
  const page = join("docs", "scale.md");
  const servers = points.filter(({ own }) => own !== null);
  const days = [...new Set(points.map(({ day }) => day))].sort();
  const loads = points.map(({ load }) => load);
  const most = Math.max(...servers.map(({ resident }) => resident));
  const text = [
    table(points),
    "",
    `Generated rollouts of ${TASKS} tasks in ${ENVIRONMENTS} environments, measured on ${days.join(", ")} on ${points[0].processors} processors that other work shared (between ${number(Math.min(...loads), 0)} and ${number(Math.max(...loads), 0)} processes waited for them): the times are many times those of a machine of its own, and what they say is their ratio. \`measure\` is timed from the start of its process; the server's own time is what it says of the statements of that same run.`,
    "",
    `What grows with the rows is the server's part alone; ours had ${number(most, 0)} MB resident at most. By the slope between the two sizes larger tables would take of the server, on the same machine:`,
    "",
    onPaper(points),
  ].join("\n");
  const before = readFileSync(page, "utf8");
  writeFileSync(page, before.replace(/<!-- table -->[^]*<!-- end -->/, `<!-- table -->\n\n${text}\n\n<!-- end -->`));
  writeFileSync(join("docs", "images", "scale.svg"), plot(points));
}
