/** Whether a character fits; `first` at the beginning of the text, or after a slash. */
export type CharacterTest = (character: string, first: boolean) => boolean;

/** A pattern as a tree, whatever it was written in. */
export type Pattern =
  | { readonly kind: "one"; readonly fits: CharacterTest }
  | { readonly kind: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly kind: "choice"; readonly options: readonly Pattern[] }
  /** `most` is Infinity for any number. */
  | { readonly kind: "repeat"; readonly part: Pattern; readonly least: number; readonly most: number }
  | { readonly kind: "start" | "end" };

/** A pattern of more states than this is refused: with texts of bounded length that bounds the time. */
const MOST_STATES = 5_000;

interface State {
  readonly fits?: CharacterTest;
  readonly at?: "start" | "end";
  /** Where to go on; none: the pattern is matched. */
  readonly next: number[];
}

class TooLarge extends Error {}

/**
 * A matcher that never goes back: it is in all the states at once that the text so far allows, so that time grows with text × pattern
 * (Thompson, Regular expression search algorithm, 1968). Undefined where the pattern is too large.
 */
export function automatonOf(pattern: Pattern): ((text: string, anywhere?: boolean) => boolean) | undefined {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= MOST_STATES) throw new TooLarge();
    return states.push(state) - 1;
  };
  /** Builds backwards: gives the state from which `part` leads to `next`. */
  const build = (part: Pattern, next: number): number => {
    switch (part.kind) {
      case "one":
        return add({ fits: part.fits, next: [next] });
      case "start":
      case "end":
        return add({ at: part.kind, next: [next] });
      case "sequence":
        return part.parts.reduceRight((after, one) => build(one, after), next);
      case "choice":
        return add({ next: part.options.map((option) => build(option, next)) });
      case "repeat": {
        let after = next;
        if (part.most === Number.POSITIVE_INFINITY) {
          const loop: State = { next: [next] };
          const entry = add(loop);
          loop.next.push(build(part.part, entry));
          after = entry;
        } else for (let i = part.least; i < part.most; i++) after = add({ next: [next, build(part.part, after)] });
        for (let i = 0; i < part.least; i++) after = build(part.part, after);
        return after;
      }
    }
  };
  let first: number;
  try {
    first = build(pattern, add({ next: [] }));
  } catch (error) {
    // Deep nesting runs out of stack instead.
    if (error instanceof TooLarge || error instanceof RangeError) return undefined;
    throw error;
  }
  return (text, anywhere = false) => run(states, first, text, anywhere);
}

/** State 0 is the end of the pattern. */
function run(states: readonly State[], first: number, text: string, anywhere: boolean): boolean {
  const seen = new Int32Array(states.length).fill(-1);
  let now: number[] = [];
  const reach = (from: number, into: number[], at: number): void => {
    const open = [from];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen[state] === at) continue;
      seen[state] = at;
      const { fits, at: place, next } = states[state];
      if (fits !== undefined || state === 0) into.push(state);
      else if (place === undefined || (place === "start" ? at === 0 : at === text.length)) open.push(...next);
    }
  };
  reach(first, now, 0);
  for (let at = 0; at < text.length; at++) {
    if (anywhere && now.includes(0)) return true;
    const then: number[] = [];
    const segmentStart = at === 0 || text[at - 1] === "/";
    for (const state of now)
      if (states[state].fits?.(text[at], segmentStart)) reach(states[state].next[0], then, at + 1);
    if (anywhere) reach(first, then, at + 1);
    else if (then.length === 0) return false;
    now = then;
  }
  return now.includes(0);
}

export const exactly = (wanted: string): Pattern => ({ kind: "one", fits: (character) => character === wanted });

/** A set in brackets, from after its `[`: what it fits and where its `]` stands; undefined where it is not closed. */
export function setAt(
  pattern: string,
  from: number,
): { readonly fits: (character: string) => boolean; readonly end: number } | undefined {
  const negated = pattern[from] === "!" || pattern[from] === "^";
  const start = negated ? from + 1 : from;
  const ranges: (readonly [string, string])[] = [];
  const classes: RegExp[] = [];
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "]" && at > start) {
      const fits = (character: string) =>
        ranges.some(([low, high]) => character >= low && character <= high) ||
        classes.some((one) => one.test(character));
      return { fits: negated ? (character) => !fits(character) : fits, end: at };
    }
    const named = pattern.startsWith("[:", at) ? /^\[:(\w{1,10}):\]/.exec(pattern.slice(at, at + 16)) : null;
    if (named !== null) {
      classes.push(CLASSES[named[1]] ?? NOTHING);
      at += named[0].length - 1;
      continue;
    }
    if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
    const low = pattern[at];
    if (pattern[at + 1] === "-" && at + 2 < pattern.length && pattern[at + 2] !== "]") {
      at += 2;
      if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
      ranges.push([low, pattern[at]]);
    } else ranges.push([low, low]);
  }
  return undefined;
}

const NOTHING = /[^\s\S]/;
const CLASSES: Readonly<Record<string, RegExp>> = {
  digit: /\d/,
  alpha: /[a-z]/i,
  alnum: /[a-z\d]/i,
  space: /\s/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[\da-f]/i,
  word: /\w/,
};
