/** Any JSON value, as parsed. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Python's json writes NaN and Infinity bare, others `nan` or `inf`, and some a comma too many; `JSON.parse` rejects them.
 * A string that never ends is one token, or each quote within it would be looked through to the end again.
 */
const BARE = /"(?:[^"\\]|\\.)*(?:"|$)|-?\b(?:nan|inf(?:inity)?)(?=\s*(?:[,}\]]|$))|,(?=\s*[}\]])/gi;
const MAY_BE_BARE = /nan|inf|,\s*[}\]]/i;

/** A text longer than this (characters) is looked through before it is parsed; one that holds more values than this fills the memory. */
const LONG = 4e6;
const MOST_VALUES = 4e6;

/** Whether a text holds more values than anything that is logged: each takes many times its own characters. */
function holdsTooMuch(text: string): boolean {
  if (text.length <= LONG) return false;
  let values = 0;
  for (let at = 0; at < text.length && values <= MOST_VALUES; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2c || code === 0x5b || code === 0x7b) values++;
  }
  return values > MOST_VALUES;
}

/**
 * One JSON value, with Python's `NaN`, `Infinity` and `-Infinity` accepted (as NaN and ±∞ — never as 0), and a comma after
 * the last item. Undefined when it is not JSON, or holds millions of values.
 */
export function parseJson(text: string): Json | undefined {
  if (holdsTooMuch(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (!MAY_BE_BARE.test(text)) return undefined;
  }
  try {
    const marked = text.replace(BARE, (token) =>
      token[0] === '"' ? token : token === "," ? "" : `"\\u0000${bareNumber(token)}"`,
    );
    return JSON.parse(marked, (_key, value: unknown) =>
      typeof value === "string" && value.charCodeAt(0) === 0 ? Number(value.slice(1)) : value,
    ) as Json;
  } catch {
    return undefined;
  }
}

function bareNumber(token: string): string {
  return /nan/i.test(token) ? "NaN" : token[0] === "-" ? "-Infinity" : "Infinity";
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number, or a text that is one (`"0.5"`, `"1e-3"`, `"nan"`); undefined for everything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text === "") return undefined;
  if (/^[+-]?nan$/i.test(text)) return NaN;
  if (/^[+-]?inf(inity)?$/i.test(text)) return text[0] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?[\d._]+(e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text.replace(/(?<=\d)_(?=\d)/g, ""));
  return Number.isNaN(number) ? undefined : number;
}

/** Nested keys joined by `/`, as the loggers do: `{a: {b: 1}}` → `a/b`. Lists are left out. Bounded in depth. */
export function flatten(value: JsonObject, out: JsonObject = {}, prefix = "", depth = 0): JsonObject {
  for (const key in value) {
    const item = value[key];
    if (isObject(item)) {
      if (depth < 12) flatten(item, out, `${prefix}${key}/`, depth + 1);
    } else out[prefix + key] = item;
  }
  return out;
}

/** Dotted keys to nested objects: MLflow's `data.train_batch_size` → `{data: {train_batch_size}}`. */
export function nest(flat: JsonObject, separator = "."): JsonObject {
  const root: JsonObject = {};
  for (const [path, value] of Object.entries(flat)) {
    const keys = path.split(separator);
    if (keys.some((key) => key === "__proto__") || keys.length > 32) continue;
    let at = root;
    for (const key of keys.slice(0, -1)) {
      const next = at[key];
      if (isObject(next)) at = next;
      else at = at[key] = {};
    }
    at[keys[keys.length - 1]] = value;
  }
  return root;
}
