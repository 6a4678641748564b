import type { JsonObject } from "../../../../records/json";
import type { WantedKeys } from "./wantedKeys";
import { isObject, parseJson, toNumber } from "../../../../records/json";

/** Terminal colours and cursor moves, as Ray and rich write them. */
const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g;

export function withoutColours(line: string): string {
  return line.includes("\u001b") ? line.replace(ANSI, "") : line;
}

/** A Python or NumPy scalar as it is printed: `0.5`, `np.float64(0.5)`, `tensor(0.5, device='cuda:0')`, `nan`, `True`. */
export function scalarOf(text: string): number | undefined {
  const inner =
    /^(?:np\.|numpy\.|torch\.)?(?:float|int|uint|bfloat|bool|tensor|double|half)[\w]*\(\s*([^,()]+?)\s*(?:,.*)?\)$/.exec(
      text,
    );
  const bare = inner ? inner[1] : text;
  if (bare === "True" || bare === "False") return bare === "True" ? 1 : 0;
  return toNumber(bare.replace(/^tensor\(/, ""));
}

/** Whether a line begins a step record of verl's local logger. */
export function isStepLine(line: string): boolean {
  return STEP_LINE.test(line);
}

const STEP_LINE = /(?:^|[\s\])|])step:\s*(\d+)\s+-\s+/;

export interface ConsoleRow {
  readonly step: number | undefined;
  readonly values: JsonObject;
}

/**
 * A logged row in a line of console text; undefined for any other line.
 * @param keys tells whether a dict can hold anything that is looked for
 * @param ended false for a last line without a line end, whose last number may be cut short and is left out
 */
export function consoleRow(raw: string, ended: boolean, keys?: WantedKeys): ConsoleRow | undefined {
  const line = withoutColours(raw);
  const found = line.includes("step:") ? STEP_LINE.exec(line) : null;
  if (found) return dashed(Number(found[1]), line.slice(found.index + found[0].length), ended);
  if (
    !line.includes("{") ||
    !/['"][\w./@ -]{1,120}['"]:\s*(?:np\.|numpy\.|tensor|torch|-?[\d.]|nan|inf|["'][\d.])/i.test(line)
  )
    return undefined;
  const end = line.lastIndexOf("}");
  if (end < 0 || keys?.anyIn(line) === false) return undefined;
  const object = looseObject(line.slice(line.indexOf("{"), end + 1));
  if (!object) return undefined;
  return { step: undefined, values: object };
}

/** A logged number with what a terminal may have after it is never longer; what a longer text holds is none. */
const LONGEST_VALUE = 256;

/** verl's local logger: `key:value - key:value`. Keys hold colons seldom and values never, so the last colon parts them. */
function dashed(step: number, text: string, ended: boolean): ConsoleRow {
  const values: JsonObject = {};
  const parts = text.split(" - ");
  for (const [at, part] of parts.entries()) {
    if (!ended && at === parts.length - 1) break;
    const colon = part.lastIndexOf(":");
    if (colon <= 0) continue;
    const value = scalarOf(
      part
        .slice(colon + 1, colon + 1 + LONGEST_VALUE)
        .trim()
        .replace(/\s*\[repeated .*$/, "")
        .split(/\s(?![^(]*\))/, 1)[0],
    );
    if (value !== undefined) values[part.slice(0, colon).trim()] = value;
  }
  return { step, values };
}

/** JSON, or a Python dict as `print` writes it, with scalars only; also where it is damaged. */
export function looseObject(text: string): JsonObject | undefined {
  if (text.length > 200_000) return undefined;
  // JSON has no single quotes around keys; trying costs more than all the rest.
  const strict = /^\{\s*'/.test(text) ? undefined : parseJson(text);
  if (strict !== undefined) return isObject(strict) ? strict : undefined;
  const values: JsonObject = {};
  let found = false;
  for (const match of text.matchAll(
    /(['"])((?:(?!\1)[^\\]){1,200})\1:\s*((?:np\.|numpy\.|torch\.)?\w+\([^()]{0,80}\)|[^,{}[\]()]{1,60})/g,
  )) {
    const value = scalarOf(match[3].trim().replace(/^(['"])(.*)\1$/, "$2"));
    if (value === undefined) continue;
    values[match[2]] = value;
    found = true;
  }
  return found ? values : undefined;
}
