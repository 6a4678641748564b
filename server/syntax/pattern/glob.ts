import { automatonOf, exactly, setAt, type CharacterTest, type Pattern } from "./automaton";

export interface GlobOptions {
  /** Whether `*`, `?` and `**` fit names that begin with a point. */
  readonly dot?: boolean;
}

/** Longer globs, deeper ones, ranges of more numbers and longer paths match nothing. */
const MOST_CHARACTERS = 2_000;
const DEEPEST = 30;
const MOST_NUMBERS = 1_000;
const MOST_PATH = 4_096;

const never = (): boolean => false;
const kept = new Map<string, (path: string) => boolean>();
const MOST_KEPT = 500;

/**
 * A glob as a test of whole paths: `*` and `?` within a name, `**` over folders, `[a-z]`, `{a,b}`, `{1..3}`, `@(a|b)` and its kin. Time grows
 * with path × glob, whatever the glob; one that is too large matches nothing.
 */
export function glob(pattern: string, { dot = false }: GlobOptions = {}): (path: string) => boolean {
  const key = `${dot}${pattern}`;
  let test = kept.get(key);
  if (test === undefined) {
    test = compiled(pattern, dot);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, test);
  }
  return test;
}

/** The glob that fits one path and no other. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|]/g, "\\$&");
}

/** Whether a path fits a glob; one without a slash is held against the name alone. */
export function fitsGlob(path: string, pattern: string, options?: GlobOptions): boolean {
  return glob(pattern, options)(pattern.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1));
}

function compiled(written: string, dot: boolean): (path: string) => boolean {
  if (written.length > MOST_CHARACTERS) return never;
  const negated = /^!(?!\()/.test(written);
  const tree = new GlobReader(written.replace(/^!(?!\()/, "").replace(/^(\.\/)+/, ""), dot).whole();
  const matches = tree && automatonOf(tree);
  if (!matches) return never;
  return (path) => path.length <= MOST_PATH && matches(path) !== negated;
}

const SLASH = exactly("/");
const EMPTY: Pattern = { kind: "sequence", parts: [] };
const NUMBERS = /^(-?\d{1,9})\.\.(-?\d{1,9})$/;

class GlobReader {
  readonly #text: string;
  readonly #inName: CharacterTest;
  readonly #anything: CharacterTest;
  #at = 0;
  #depth = 0;

  constructor(text: string, dot: boolean) {
    this.#text = text;
    this.#inName = (character, first) => character !== "/" && (dot || !first || character !== ".");
    this.#anything = (character, first) => dot || !first || character !== ".";
  }

  /** Undefined where it is nested too deeply. */
  whole(): Pattern | undefined {
    const tree = this.#sequence("");
    return this.#depth > DEEPEST ? undefined : tree;
  }

  /** Up to one of the marks that end a group, or the end of the text. */
  #sequence(ends: string): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#text.length && this.#depth <= DEEPEST && !ends.includes(this.#text[this.#at]))
      parts.push(this.#one());
    return parts.length === 1 ? parts[0] : { kind: "sequence", parts };
  }

  #one(): Pattern {
    const text = this.#text;
    const c = text[this.#at];
    if ("?*+@".includes(c) && text[this.#at + 1] === "(" && this.#closes(this.#at + 1, "(", ")")) {
      this.#at += 2;
      const part = this.#options("|", ")");
      return {
        kind: "repeat",
        part,
        least: c === "?" || c === "*" ? 0 : 1,
        most: c === "?" || c === "@" ? 1 : Infinity,
      };
    }
    switch (c) {
      case "*":
        return this.#star();
      case "?":
        this.#at++;
        return { kind: "one", fits: this.#inName };
      case "[": {
        const set = setAt(text, this.#at + 1);
        if (!set) break;
        this.#at = set.end + 1;
        return { kind: "one", fits: (character, first) => this.#inName(character, first) && set.fits(character) };
      }
      case "{":
        return this.#braces() ?? this.#literal();
      case "(":
        if (!this.#closes(this.#at, "(", ")")) break;
        this.#at++;
        return this.#options("|", ")");
      case "\\":
        if (this.#at + 1 < text.length) this.#at++;
        break;
      case "/":
        if (/^\/\*\*$/.test(text.slice(this.#at, this.#at + 4))) {
          // `a/**` is the folder itself too.
          this.#at += 3;
          return this.#maybe({ kind: "sequence", parts: [SLASH, this.#any()] });
        }
    }
    return this.#literal();
  }

  #literal(): Pattern {
    return exactly(this.#text[this.#at++]);
  }

  #any(): Pattern {
    return { kind: "repeat", part: { kind: "one", fits: this.#anything }, least: 0, most: Infinity };
  }

  #maybe(part: Pattern): Pattern {
    return { kind: "choice", options: [part, EMPTY] };
  }

  #star(): Pattern {
    const text = this.#text;
    const start = this.#at;
    while (text[this.#at] === "*") this.#at++;
    const opens = start === 0 || "/,{(|".includes(text[start - 1]);
    const closes = this.#at === text.length || "/,})|".includes(text[this.#at]);
    if (this.#at - start === 2 && opens && closes) {
      if (text[this.#at] !== "/") return this.#any();
      // `**/` is any number of folders, none among them.
      this.#at++;
      return this.#maybe({ kind: "sequence", parts: [this.#any(), SLASH] });
    }
    return {
      kind: "repeat",
      part: { kind: "one", fits: this.#inName },
      least: opens && closes ? 1 : 0,
      most: Infinity,
    };
  }

  #braces(): Pattern | undefined {
    const end = this.#closes(this.#at, "{", "}");
    if (end === undefined) return undefined;
    const inner = this.#text.slice(this.#at + 1, end);
    const range = NUMBERS.exec(inner);
    if (range) {
      const [from, to] = [Number(range[1]), Number(range[2])].sort((a, b) => a - b);
      if (to - from >= MOST_NUMBERS) return undefined;
      this.#at = end + 1;
      return {
        kind: "choice",
        options: Array.from({ length: to - from + 1 }, (_, i): Pattern => ({
          kind: "sequence",
          parts: [...String(from + i)].map(exactly),
        })),
      };
    }
    if (!inner.includes(",")) return undefined;
    this.#at++;
    return this.#options(",", "}");
  }

  /** Alternatives up to the closing mark, which is taken. */
  #options(separator: string, close: string): Pattern {
    this.#depth++;
    const options = [this.#sequence(separator + close)];
    while (this.#text[this.#at] === separator && this.#depth <= DEEPEST) {
      this.#at++;
      options.push(this.#sequence(separator + close));
    }
    this.#at++;
    if (this.#depth <= DEEPEST) this.#depth--;
    return { kind: "choice", options };
  }

  /** Where a mark is closed. */
  #closes(from: number, open: string, close: string): number | undefined {
    let depth = 0;
    for (let at = from; at < this.#text.length; at++) {
      const c = this.#text[at];
      if (c === "\\") at++;
      else if (c === open) depth++;
      else if (c === close && --depth === 0) return at;
    }
    return undefined;
  }
}
