import { defined } from "../../records/defined";
import { KNOWN_AXES } from "../../core/axes";
import type { Outcome, RunRow, SyntheticShare } from "../../core/table";
import { type Columns, RUN_COLUMNS } from "../../runs/columns";
import type { FoundFile } from "../../records/files";
import type { JsonObject } from "../../records/json";
import { toNumber } from "../../records/json";
import type { Notes } from "../../records/notes";
import type { RunFacts, RunOptions } from "../../runs/options";
import { ReadFault } from "../../records/bytes";
import { readRecords } from "../../records/records";
import type { RecordFormat, RecordPlace, RecordReading } from "../../records/recordTypes";
import { ROUNDING, type Scale } from "../../runs/scale";
import { settingOf } from "../../runs/setting";

/** Nobody has trained as many; a table of rollouts may look like one of runs. */
const MOST_RUNS = 50_000;

/** A cell that says "nothing here". */
function isAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === "string" && /^\s*(|na|n\/a|nan|null|none|-)\s*$/i.test(value)) ||
    (typeof value === "number" && Number.isNaN(value))
  );
}

function isName(value: unknown): boolean {
  return !isAbsent(value) && typeof value !== "object";
}

interface Range {
  readonly ok: (value: number) => boolean;
  readonly says: string;
}

const POSITIVE: Range = { ok: (value) => value > 0, says: "a number above 0" };
const NOT_NEGATIVE: Range = { ok: (value) => value >= 0, says: "a number of 0 or more" };
/** Shares of 1 but for rounding, or shares of 100: which of them a column holds shows when it is read whole. */
const RATE: Range = {
  ok: (value) => value >= -ROUNDING && value <= 100 + ROUNDING,
  says: "a success rate from 0 to 1, or from 0 to 100 as percent",
};
const DENSITY: Range = { ok: (value) => value > 0 && value <= 1, says: "a reward density above 0 and at most 1" };

/** Reads cells of one row; each cell that is not what its column holds gives a note with its place. */
class Cells {
  /** True once a cell was wrong whose absence would change the run's meaning. */
  broken = false;

  constructor(
    readonly record: JsonObject,
    readonly place: RecordPlace,
    readonly columns: Columns,
    readonly file: FoundFile,
    readonly notes: Notes,
    /** Whether some rate of the file has its percent sign. */
    readonly rates: { signed: boolean },
  ) {}

  number(theirs: string, range: Range, required: boolean): number | undefined {
    const value = this.record[theirs];
    if (isAbsent(value)) return undefined;
    // `61.2 %` leaves no doubt; a bare 61.2 is percent where the whole column is.
    const percent = range === RATE && typeof value === "string" ? /^(.*\d)\s*%$/.exec(value.trim()) : null;
    const written = percent ? toNumber(percent[1]) : typeof value === "boolean" ? undefined : toNumber(value);
    const number = percent && written !== undefined ? written / 100 : written;
    if (percent) this.rates.signed = true;
    if (number !== undefined && Number.isFinite(number) && range.ok(number) && !(percent && number > 1)) return number;
    const { line } = this.place;
    const column = this.place.column(theirs);
    if (required) this.broken = true;
    const consequence = required ? "The row was left out." : "The value counts as unknown.";
    this.notes.add(
      required ? "error" : "warning",
      "table.bad-cell",
      `Line ${line}, column ${theirs}: ${shown(value)} is not ${range.says}. ${consequence}`,
      {
        file: this.file.uri,
        line,
        ...(column !== undefined ? { column } : {}),
      },
    );
    return undefined;
  }

  text(ours: string): string | undefined {
    const value = this.columns.get(this.record, ours);
    return isAbsent(value) || typeof value === "object" ? undefined : String(value).trim();
  }
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Reads a file that holds one finished run a row. Rows appear in the order of the file. */
export async function readTableFile(
  format: RecordFormat,
  reading: Omit<RecordReading, "onRecord" | "only">,
  mapping: Columns,
  factsFor: RunOptions["facts"],
  scale?: Scale,
): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  const lines: number[] = [];
  const rates = { signed: false };
  const whole = factsFor?.([reading.file.uri]);
  const ids = new Set<string>();
  const { file, notes } = reading;
  // Rows of JSON lines may differ in their columns; those of a table seldom do.
  let last = { names: "", columns: mapping };
  const columnsOf = (record: JsonObject) => {
    const names = Object.keys(record);
    const joined = names.join("\n");
    if (joined !== last.names) last = { names: joined, columns: mapping.within(new Set(names)) };
    return last.columns;
  };
  await readRecords(format, {
    ...reading,
    onRecord(record, place) {
      const columns = columnsOf(record);
      const own =
        [...RUN_COLUMNS, "name"].map((name) => record[name]).find(isName) ??
        record[columns.first(new Set(Object.keys(record)), "run", RUN_COLUMNS) ?? ""];
      // A run's name may state its levels, as a folder's may.
      const facts = factsFor && isName(own) ? factsFor([file.uri, `${file.uri}#${String(own)}`]) : whole;
      const row = tableRow(new Cells(record, place, columns, file, notes, rates), facts);
      if (!row) return;
      if (rows.length >= MOST_RUNS)
        throw new ReadFault(
          "table.too-long",
          `The table holds more than ${MOST_RUNS} runs; those from line ${place.line} on were left out.`,
        );
      let id = !isName(own) ? `${file.path}:${place.line}` : String(own);
      if (ids.has(id)) id = `${file.path}:${place.line}`;
      ids.add(id);
      rows.push({ ...row, id });
      lines.push(place.line);
    },
  });
  return sharesOfOne(rows, { lines, scale, signed: rates.signed }, file, notes);
}

/** Rates as shares of 1, where no percent sign says so: a column that is mostly above 1 is of percent, and a few values are slips. */
function sharesOfOne(
  rows: RunRow[],
  { lines, scale, signed }: { readonly lines: readonly number[]; readonly scale?: Scale; readonly signed: boolean },
  file: FoundFile,
  notes: Notes,
): RunRow[] {
  const rateOf = ({ outcome }: RunRow) => (outcome.kind === "rate" ? outcome.rate : 0);
  const above = rows.filter((row) => rateOf(row) > 1 + ROUNDING).length;
  if (above === 0 && scale !== "percent") return rows.map((row) => withRate(row, Math.min(1, rateOf(row))));
  if (scale === "percent" || (!signed && above * 2 >= rows.length)) {
    if (scale === undefined)
      notes.inform(
        "table.percent",
        "The success rates have values above 1 and none above 100; they are read as percent.",
        {
          file: file.uri,
          line: 1,
        },
      );
    return rows.map((row) => withRate(row, Math.min(1, rateOf(row) / 100)));
  }
  return rows.filter((row, at) => {
    if (rateOf(row) <= 1 + ROUNDING) return true;
    notes.error(
      "table.bad-cell",
      `${row.id}: ${rateOf(row)} is not a success rate from 0 to 1. The row was left out.`,
      {
        file: file.uri,
        line: lines[at],
      },
    );
    return false;
  });
}

function withRate(row: RunRow, rate: number): RunRow {
  return row.outcome.kind === "rate" && row.outcome.rate !== rate ? { ...row, outcome: { ...row.outcome, rate } } : row;
}

function tableRow(cells: Cells, facts: RunFacts | undefined): RunRow | undefined {
  const { columns, record, place, file, notes } = cells;
  const present = new Set(Object.keys(record));
  const outcome = outcomeOf(cells);
  if (cells.broken) return undefined;
  if (!outcome) {
    notes.warn(
      "table.no-outcome",
      `Line ${place.line} states no success rate, no successes of trials and no loss, and was left out.`,
      { file: file.uri, line: place.line },
    );
    return undefined;
  }
  const axes: Record<string, number> = {};
  for (const [axis, theirs] of columns.axes(present, outcome.kind === "loss")) {
    const isWord =
      outcome.kind === "loss" &&
      !(KNOWN_AXES as readonly string[]).includes(axis) &&
      typeof record[theirs] === "string" &&
      toNumber(record[theirs]) === undefined;
    // In a loss table any numeric column is an axis; a column of words is none.
    if (isWord) continue;
    const level = cells.number(theirs, POSITIVE, true);
    if (level !== undefined) axes[axis] = level;
  }
  if (Object.keys({ ...facts?.axes, ...axes }).length === 0) {
    notes.warn(
      "table.no-axes",
      `Line ${place.line} states no axis, and no facts in scaling.yaml hold for it; the row was left out.`,
      { file: file.uri, line: place.line },
    );
    return undefined;
  }
  const rewardDensity = cells.number(columns.name("reward_density"), DENSITY, false) ?? facts?.rewardDensity;
  const synthesis = synthesisOf(cells);
  if (cells.broken) return undefined;
  const loss = outcome.kind === "loss";
  const tokens = loss ? undefined : cells.number(columns.name("tokens"), POSITIVE, false);
  const tokensPerTrajectory = loss
    ? undefined
    : (cells.number(columns.name("tokens_per_trajectory"), POSITIVE, false) ?? facts?.tokensPerTrajectory);
  const steps = loss ? undefined : cells.number(columns.name("steps"), POSITIVE, false);
  const gpuHours = loss ? undefined : cells.number(columns.name("gpu_hours"), POSITIVE, false);
  const model = cells.text("model") ?? facts?.model;
  const algorithm = cells.text("algorithm") ?? facts?.algorithm;
  const domain = cells.text("domain") ?? facts?.domain;
  const seed = cells.text("seed") ?? facts?.seed;
  const rewardScheme = cells.text("reward_scheme") ?? facts?.rewardScheme;
  const simulated = !/^(false|0|no|)$/i.test(cells.text("simulated")?.trim() ?? "") || facts?.simulated === true;
  return {
    id: "",
    axes: { ...facts?.axes, ...axes },
    outcome,
    setting: cells.text("setting") ?? facts?.setting ?? settingOf(model, algorithm, domain),
    ...defined({
      model,
      algorithm,
      domain,
      seed,
      rewardDensity,
      rewardScheme,
      tokens,
      tokensPerTrajectory,
      steps,
      gpuHours,
    }),
    ...(synthesis || facts?.synthesis ? { synthesis: { ...facts?.synthesis, ...synthesis } } : {}),
    ...(simulated ? { simulated } : {}),
    finalRule: "table",
    files: [file.uri],
  };
}

function outcomeOf(cells: Cells): Outcome | undefined {
  const { columns } = cells;
  const successes = cells.number(columns.name("successes"), NOT_NEGATIVE, true);
  const trials = cells.number(columns.name("trials"), POSITIVE, true);
  const rate = cells.number(columns.name("success_rate"), RATE, true);
  if (successes !== undefined && trials !== undefined) {
    if (successes > trials) {
      const { line } = cells.place;
      cells.broken = true;
      cells.notes.error(
        "table.bad-cell",
        `Line ${line}: ${successes} successes of ${trials} trials cannot be. The row was left out.`,
        { file: cells.file.uri, line },
      );
      return undefined;
    }
    return { kind: "counts", successes, trials };
  }
  if (rate !== undefined) return { kind: "rate", rate: Math.max(0, rate), ...(trials !== undefined ? { trials } : {}) };
  const loss = cells.number(columns.name("loss"), { ok: () => true, says: "a finite number" }, true);
  return loss === undefined ? undefined : { kind: "loss", loss };
}

function synthesisOf(cells: Cells): Record<string, SyntheticShare> | undefined {
  const found: Record<string, SyntheticShare> = {};
  for (const axis of KNOWN_AXES) {
    const real = cells.number(cells.columns.name(`${axis}_real`), NOT_NEGATIVE, true);
    const synthetic = cells.number(cells.columns.name(`${axis}_synthetic`), NOT_NEGATIVE, true);
    if (real === undefined && synthetic === undefined) continue;
    if (real === undefined || synthetic === undefined) {
      const { line } = cells.place;
      cells.notes.warn(
        "table.half-synthesis",
        `Line ${line} states only one of ${axis}_real and ${axis}_synthetic; its synthetic share counts as unknown.`,
        { file: cells.file.uri, line },
      );
      continue;
    }
    found[axis] = { real, synthetic, method: cells.text(`${axis}_method`) ?? "unnamed" };
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
