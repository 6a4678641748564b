import { setAt } from "./automaton";

/** Stands before the number of a level in a pattern. */
export const MARK = "\u0000";

type Token =
  | { readonly kind: "one"; readonly fits: (character: string) => boolean }
  /** `*`: within a name. */
  | { readonly kind: "star" }
  /** `**`: over folders. */
  | { readonly kind: "any" }
  /** A word within a name, or a number as names have it: `400`, `0.5`, `8e9`, `8B`, `20k`. */
  | { readonly kind: "level"; readonly index: number; readonly word: boolean };

const NUMBER = /^\d+(?:\.\d+)?(?:e\d+)?[kKmMbB]?$/;
const LONGEST_NUMBER = 40;
const MOST_CHARACTERS = 500;
const MOST_WHOLES = 64;

/** `{a,b}` written out, innermost first; as it stands where that would be too many. */
export function withoutBraces(pattern: string): readonly string[] {
  let wholes: readonly string[] = [pattern];
  for (let round = 0; round < 12; round++) {
    const next = wholes.flatMap((one) => {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(one);
      return braces === null
        ? [one]
        : braces[1]
            .split(",")
            .map((part) => one.slice(0, braces.index) + part + one.slice(braces.index + braces[0].length));
    });
    if (next.length > MOST_WHOLES) return wholes;
    if (next.length === wholes.length) return next;
    wholes = next;
  }
  return wholes;
}

export function tokensOf(pattern: string, words: readonly boolean[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < Math.min(pattern.length, MOST_CHARACTERS); at++) {
    const c = pattern[at];
    if (c === MARK) {
      const index = pattern.charCodeAt(++at);
      tokens.push({ kind: "level", index, word: words[index] });
    } else if (c === "*") {
      const start = at;
      while (pattern[at + 1] === "*") at++;
      tokens.push({ kind: at > start ? "any" : "star" });
      // `**/` is no folder too.
      if (at > start && pattern[at + 1] === "/") at++;
    } else if (c === "?") tokens.push({ kind: "one", fits: (character) => character !== "/" });
    else {
      const set = c === "[" ? setAt(pattern, at + 1) : undefined;
      if (set) {
        tokens.push({ kind: "one", fits: set.fits });
        at = set.end;
      } else tokens.push({ kind: "one", fits: (character) => character === c });
    }
  }
  return tokens;
}

/** The levels by number where a whole text fits, else undefined. What failed once from a place is not tried again: time grows with tokens × text. */
export function levelsIn(tokens: readonly Token[], text: string): readonly string[] | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const failed = new Set<number>();
  const levels: string[] = [];
  const from = (token: number, at: number): boolean => {
    if (token === tokens.length) return at === text.length;
    const key = token * (text.length + 1) + at;
    if (failed.has(key)) return false;
    const now = tokens[token];
    let fits = false;
    if (now.kind === "one") fits = at < text.length && now.fits(text[at]) && from(token + 1, at + 1);
    else if (now.kind === "level") {
      const ends = now.word ? wordEnds(text, at) : numberEnds(text, at);
      fits = ends.some((end) => {
        levels[now.index] = text.slice(at, end);
        return from(token + 1, end);
      });
    } else
      fits =
        from(token + 1, at) || (at < text.length && (now.kind === "any" || text[at] !== "/") && from(token, at + 1));
    if (!fits) failed.add(key);
    return fits;
  };
  return from(0, 0) ? levels : undefined;
}

/** The shortest first. */
function wordEnds(text: string, from: number): number[] {
  const ends: number[] = [];
  for (let end = from + 1; end <= text.length && text[end - 1] !== "/"; end++) ends.push(end);
  return ends;
}

/** The longest first. */
function numberEnds(text: string, from: number): number[] {
  const ends: number[] = [];
  for (let end = Math.min(text.length, from + LONGEST_NUMBER); end > from; end--)
    if (NUMBER.test(text.slice(from, end))) ends.push(end);
  return ends;
}
