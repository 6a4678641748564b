import type { Json, JsonObject } from "../../../../records/json";

const DEEPEST = 64;
const SPACE = /\s*/y;
const NUMBER = /[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?(?![\w.])/y;
const SIGNED_WORD = /[-+]?(?:nan|inf|NaN|Infinity)\b/y;
const NAME = /[A-Za-z_][\w.]*/y;
const STRING_START = /[rRbBuUfF]{0,2}(['"])/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

export interface ReadValue {
  readonly value: Json;
  /** Index after the value. */
  readonly end: number;
}

/**
 * A Python value as `print` and `pprint` write it (JSON too), from `start`: dicts, lists, tuples, adjacent strings, scalars of
 * NumPy and torch. An object that has no literal (`<class 'float'>`) is null. Undefined where it is none, or is cut short.
 */
export function pythonValue(text: string, start = 0): ReadValue | undefined {
  try {
    const reader = new Reader(text, start);
    const value = reader.value(0);
    return { value, end: reader.at };
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}

class NoValue extends Error {}

class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string, start: number) {
    this.#text = text;
    this.at = start;
  }

  value(depth: number): Json {
    if (depth > DEEPEST) throw new NoValue();
    this.#match(SPACE);
    switch (this.#text[this.at]) {
      case "{":
        return this.#dict(depth);
      case "[":
        this.at++;
        return this.#items("]", depth).list;
      case "(": {
        this.at++;
        const { list, commas } = this.#items(")", depth);
        // Without a comma it is a value in parentheses, such as a long string over several lines.
        return list.length === 1 && commas === 0 ? list[0] : list;
      }
      case "<":
        return this.#object();
      default:
        return this.#scalar(depth);
    }
  }

  #dict(depth: number): Json {
    this.at++;
    const object: JsonObject = {};
    const set: Json[] = [];
    while (!this.#take("}")) {
      const key = this.value(depth + 1);
      if (this.#take(":")) {
        const value = this.value(depth + 1);
        const name = typeof key === "string" ? key : JSON.stringify(key);
        if (name !== "__proto__") object[name] = value;
      } else set.push(key);
      if (!this.#take(",") && this.#text[this.at] !== "}") throw new NoValue();
    }
    return set.length > 0 ? set : object;
  }

  #items(end: string, depth: number): { list: Json[]; commas: number } {
    const list: Json[] = [];
    let commas = 0;
    while (!this.#take(end)) {
      // Arguments may be named: `dtype=float32`.
      const name = this.#match(NAME);
      if (name === undefined || !this.#take("=")) {
        if (name !== undefined) this.at -= name.length;
        list.push(this.value(depth + 1));
      } else this.value(depth + 1);
      if (this.#take(",")) commas++;
      else if (this.#text[this.at] !== end) throw new NoValue();
    }
    return { list, commas };
  }

  #scalar(depth: number): Json {
    const string = this.#strings();
    if (string !== undefined) return string;
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number.replaceAll("_", ""));
    const word = this.#match(SIGNED_WORD);
    if (word !== undefined) return /nan/i.test(word) ? NaN : word.startsWith("-") ? -Infinity : Infinity;
    const name = this.#match(NAME);
    if (name === undefined) throw new NoValue();
    if (this.#take("(")) {
      const { list } = this.#items(")", depth + 1);
      // What is in it tells more than what it is called: `np.float64(0.5)`, `OrderedDict({…})`.
      return list.find((item) => typeof item === "object" && item !== null && !Array.isArray(item)) ?? list[0] ?? null;
    }
    return name === "True" || name === "true" ? true : name === "False" || name === "false" ? false : null;
  }

  /** Adjacent string literals are one string. */
  #strings(): string | undefined {
    let whole: string | undefined;
    for (;;) {
      const before = this.at;
      this.#match(SPACE);
      const opening = this.#match(STRING_START);
      if (opening === undefined) {
        this.at = before;
        return whole;
      }
      whole = (whole ?? "") + this.#string(opening);
    }
  }

  #string(opening: string): string {
    const quote = opening[opening.length - 1];
    const raw = /r/i.test(opening);
    let string = "";
    for (;;) {
      const char = this.#text[this.at++];
      if (char === undefined) throw new NoValue();
      if (char === quote) return string;
      if (char !== "\\" || raw) string += char;
      else {
        const escaped = this.#text[this.at++] ?? "";
        const digits = escaped === "x" ? 2 : escaped === "u" ? 4 : escaped === "U" ? 8 : 0;
        const code = digits > 0 ? Number.parseInt(this.#text.slice(this.at, this.at + digits), 16) : NaN;
        if (code >= 0 && code <= 0x10ffff) {
          string += String.fromCodePoint(code);
          this.at += digits;
        } else string += ESCAPES[escaped] ?? escaped;
      }
    }
  }

  /** `<Role.Actor: 1>`, `<class 'float'>`. */
  #object(): null {
    let open = 0;
    for (; this.at < this.#text.length; this.at++) {
      const char = this.#text[this.at];
      if (char === "<") open++;
      else if (char === ">" && --open === 0) {
        this.at++;
        return null;
      }
    }
    throw new NoValue();
  }

  #take(char: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.at = pattern.lastIndex;
    return found[0];
  }
}
