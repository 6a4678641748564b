import { isObject, type JsonObject, parseJson, toNumber } from "../../records/json";
import { STEP_COLUMNS } from "../../runs/columns";
import { type Ending, endingOf } from "../../runs/state";
import { consoleRow, withoutColours } from "../files/readers/parts/consoleText";
import { unwrapRow } from "../files/readers/parts/flat";
import { unprefixed } from "../files/readers/parts/printedBlocks";
import { beside } from "../files/readers/parts/printedRow";

/** What one line of a growing log tells. */
export interface Told {
  readonly step?: number;
  /** The success metric, as logged. */
  readonly value?: number;
  readonly ending?: Ending;
}

/**
 * What a line of metrics.jsonl or of console text says of its run; undefined for most lines of console text.
 * @param keys the run's success metric: one key, or the several whose mean it is
 */
export function told(raw: string, keys: readonly string[]): Told | undefined {
  // A progress bar overwrites its line: what was logged between stands after a carriage return.
  const line = withoutColours(raw.includes("\r") ? raw.slice(raw.lastIndexOf("\r", raw.length - 2) + 1) : raw);
  if (line.trim() === "") return undefined;
  const row = rowOf(line);
  if (!row) {
    const { text, writer } = unprefixed(line);
    const ending = endingOf(text.trimStart(), 0, writer);
    return ending && { ending };
  }
  const { values } = row;
  const step = row.step ?? stepOf(values) ?? beside(line.slice(0, line.indexOf("{")), values).step;
  const measured = keys.map((key) => toNumber(values[key]));
  const all = measured.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
  const value =
    all.length === keys.length && keys.length > 0 ? all.reduce((sum, each) => sum + each, 0) / all.length : undefined;
  if (step === undefined && value === undefined) return undefined;
  return { ...(step !== undefined && { step }), ...(value !== undefined && { value }) };
}

function rowOf(line: string): { readonly step?: number; readonly values: JsonObject } | undefined {
  if (line.startsWith("{")) {
    const value = parseJson(line);
    if (isObject(value)) return { values: unwrapRow(value) };
  }
  const row = consoleRow(line, true);
  return row && { ...(row.step !== undefined && { step: row.step }), values: unwrapRow(row.values) };
}

function stepOf(values: JsonObject): number | undefined {
  for (const name of STEP_COLUMNS) {
    const step = toNumber(values[name]);
    if (step !== undefined && Number.isFinite(step)) return step;
  }
  return undefined;
}
