import { automatonOf, exactly, setAt, type Pattern } from "./automaton";

const MOST_CHARACTERS = 500;
const MOST_TEXT = 2_000;
const DEEPEST = 30;
const MOST_TIMES = 255;

class Unreadable extends Error {}

/**
 * Whether an extended regular expression, as bash's `=~` takes it, is found in a text; null where it cannot be read or is too large. Time
 * grows with text × expression.
 */
export function found(expression: string, text: string): boolean | null {
  if (expression.length > MOST_CHARACTERS || text.length > MOST_TEXT) return null;
  try {
    const matches = automatonOf(new ExpressionReader(expression).whole());
    return matches ? matches(text, true) : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

const ESCAPES: Readonly<Record<string, RegExp>> = { d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/ };

class ExpressionReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Pattern {
    const tree = this.#choice();
    if (this.#at < this.#text.length) throw new Unreadable();
    return tree;
  }

  #choice(): Pattern {
    if (++this.#depth > DEEPEST) throw new Unreadable();
    const options = [this.#sequence()];
    while (this.#text[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    this.#depth--;
    return options.length === 1 ? options[0] : { kind: "choice", options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")")
      parts.push(this.#repeated(this.#one()));
    return { kind: "sequence", parts };
  }

  #repeated(part: Pattern): Pattern {
    const c = this.#text[this.#at];
    const times = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.#text.slice(this.#at, this.#at + 12));
    if (times !== null) {
      this.#at += times[0].length;
      const least = Number(times[1]);
      const most = times[2] === undefined ? least : times[3] === "" ? Infinity : Number(times[3]);
      if (least > MOST_TIMES || most < least) throw new Unreadable();
      return this.#repeated({ kind: "repeat", part, least, most });
    }
    if (c !== "*" && c !== "+" && c !== "?") return part;
    this.#at++;
    return this.#repeated({ kind: "repeat", part, least: c === "+" ? 1 : 0, most: c === "?" ? 1 : Infinity });
  }

  #one(): Pattern {
    const c = this.#text[this.#at++];
    switch (c) {
      case "(": {
        if (this.#text.startsWith("?:", this.#at)) this.#at += 2;
        const inner = this.#choice();
        if (this.#text[this.#at++] !== ")") throw new Unreadable();
        return inner;
      }
      case "[": {
        const set = setAt(this.#text, this.#at);
        if (!set) throw new Unreadable();
        this.#at = set.end + 1;
        return { kind: "one", fits: set.fits };
      }
      case ".":
        return { kind: "one", fits: () => true };
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case "*":
      case "+":
      case "?":
        throw new Unreadable();
      case "\\": {
        const next = this.#text[this.#at++];
        if (next === undefined) throw new Unreadable();
        const known = ESCAPES[next];
        return known === undefined ? exactly(next) : { kind: "one", fits: (character) => known.test(character) };
      }
      default:
        return exactly(c);
    }
  }
}
