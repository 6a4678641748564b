import type { Span } from "../../text";
import { arithmetic } from "./arithmetic";
import { expandJoined } from "./expand";
import type { Scope } from "./scope";
import { found } from "../../pattern/expression";
import { matchesPattern } from "./pattern";
import type { Script } from "../script";
import { externalsOf, OUTPUT, textOf, unknownIn, type Word } from "./value";

/** A way to make a comparison come out otherwise: give `name` this value from outside. */
export interface Alternative {
  readonly name: string;
  readonly value: string;
}

export interface Verdict {
  /** Null: it cannot be known without running something. */
  readonly value: boolean | null;
  /** True when it rests on something that is not set here, or on the machine: then it is a guess. */
  readonly weak: boolean;
  /** True when something given from outside could make it come out otherwise. */
  readonly outside?: boolean;
  /** True when only a run decides: it is compared with what a command prints, or asks for a file of the machine. */
  readonly printed?: boolean;
  readonly alternatives: readonly Alternative[];
}

export const GUESS: Verdict = { value: null, weak: true, alternatives: [] };

export function sure(value: boolean): Verdict {
  return { value, weak: false, alternatives: [] };
}

/** Evaluates `[ … ]`, `[[ … ]]` or `(( … ))` that stands at a range. */
export function evaluateTest(script: Script, range: Span, scope: Scope): Verdict {
  const text = script.text.slice(range.start, range.end);
  if (text.startsWith("((")) {
    const inner = expandJoined(script, { start: range.start + 2, end: range.end - 2 }, scope, true);
    return arithmeticVerdict(inner, scope);
  }
  const width = text.startsWith("[[") ? 2 : 1;
  const tokens = lexTest(script.text, range.start + width, range.end - width);
  return new TestParser(script, scope, tokens, width === 2).whole();
}

/** `test …` and `[ …` given as ranges of words. */
export function evaluateTestWords(script: Script, words: readonly Span[], scope: Scope): Verdict {
  return new TestParser(script, scope, words, false).whole();
}

function arithmeticVerdict(inner: Word, scope: Scope): Verdict {
  const externals = new Set(externalsOf(inner));
  let weak = unknownIn(inner) !== undefined;
  const value = arithmetic(
    textOf(inner),
    (name) => {
      const variable = scope.get(name);
      if (variable?.kind !== "scalar" || unknownIn(variable.word) !== undefined) {
        weak = true;
        return variable?.kind === "scalar" ? null : 0;
      }
      for (const external of externalsOf(variable.word)) externals.add(external);
      return Number(textOf(variable.word)) || 0;
    },
    (name, next) => scope.set(name, { kind: "scalar", word: [{ text: String(next), via: "arithmetic" }] }),
  );
  return { value: value === null ? null : value !== 0, weak: weak || value === null, alternatives: [] };
}

/** Cuts the inside of a test into words, quotes kept whole. */
function lexTest(text: string, start: number, end: number): Span[] {
  const words: Span[] = [];
  let at = start;
  while (at < end) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    if (text[at] === "\\" && /[\r\n]/.test(text[at + 1] ?? "")) {
      at += 2;
      continue;
    }
    const double = text.slice(at, at + 2);
    if (double === "&&" || double === "||") {
      words.push({ start: at, end: at + 2 });
      at += 2;
      continue;
    }
    if (text[at] === "(" || text[at] === ")") {
      words.push({ start: at, end: at + 1 });
      at++;
      continue;
    }
    const from = at;
    while (at < end && !/\s/.test(text[at])) {
      const c = text[at];
      if (c === "\\") at++;
      else if (c === "'" || c === '"') {
        let close = at + 1;
        while (close < end && text[close] !== c) close += c === '"' && text[close] === "\\" ? 2 : 1;
        at = close;
      } else if (c === "$" && (text[at + 1] === "{" || text[at + 1] === "(")) {
        const [open, shut] = text[at + 1] === "{" ? ["{", "}"] : ["(", ")"];
        let depth = 0;
        for (at++; at < end; at++) {
          if (text[at] === open) depth++;
          else if (text[at] === shut && --depth === 0) break;
        }
      }
      at++;
    }
    words.push({ start: from, end: Math.min(at, end) });
  }
  return words;
}

class TestParser {
  readonly #script: Script;
  readonly #scope: Scope;
  readonly #tokens: readonly Span[];
  readonly #double: boolean;
  #at = 0;
  #depth = 0;

  constructor(script: Script, scope: Scope, tokens: readonly Span[], double: boolean) {
    this.#script = script;
    this.#scope = scope;
    this.#tokens = tokens;
    this.#double = double;
  }

  whole(): Verdict {
    if (this.#tokens.length === 0) return sure(false);
    const verdict = this.#or();
    return this.#at === this.#tokens.length ? verdict : GUESS;
  }

  #raw(offset = 0): string | undefined {
    const token = this.#tokens[this.#at + offset];
    return token && this.#script.text.slice(token.start, token.end);
  }

  #or(): Verdict {
    let left = this.#and();
    while (this.#raw() === "||" || this.#raw() === "-o") {
      this.#at++;
      left = either(left, this.#and());
    }
    return left;
  }

  #and(): Verdict {
    let left = this.#not();
    while (this.#raw() === "&&" || this.#raw() === "-a") {
      this.#at++;
      left = both(left, this.#not());
    }
    return left;
  }

  #not(): Verdict {
    if (++this.#depth > 100) return GUESS;
    if (this.#raw() === "!") {
      this.#at++;
      return negated(this.#not());
    }
    if (this.#raw() === "(") {
      this.#at++;
      const inner = this.#or();
      if (this.#raw() === ")") this.#at++;
      return inner;
    }
    return this.#primary();
  }

  #word(): Word {
    const token = this.#tokens[this.#at++];
    return token ? expandJoined(this.#script, token, this.#scope) : [];
  }

  #primary(): Verdict {
    const raw = this.#raw() ?? "";
    const next = this.#raw(1);
    const binary =
      next !== undefined &&
      /^(==?|!=|=~|-(eq|ne|lt|le|gt|ge|ef|nt|ot)|<|>|\\<|\\>)$/.test(next) &&
      this.#raw(2) !== undefined;
    if (!binary && /^-[a-zA-Z]$/.test(raw) && next !== undefined) {
      this.#at++;
      return unary(raw, this.#word());
    }
    const left = this.#word();
    if (!binary) return { value: textOf(left) !== "", weak: unknownIn(left) !== undefined, alternatives: [] };
    this.#at++;
    const pattern = this.#tokens[this.#at];
    const right = this.#word();
    return compared(
      left,
      next ?? "",
      right,
      this.#double && pattern !== undefined && !/^["']/.test(this.#script.text.slice(pattern.start, pattern.end)),
    );
  }
}

function unary(operator: string, word: Word): Verdict {
  const weak = unknownIn(word) !== undefined;
  const text = textOf(word);
  switch (operator) {
    case "-z":
      return { value: text === "", weak, outside: externalsOf(word).size > 0, alternatives: [] };
    case "-n":
      return { value: text !== "", weak, outside: externalsOf(word).size > 0, alternatives: [] };
    case "-v":
      return { value: false, weak: true, alternatives: [] };
    // What is on the machine only a run knows: a script's fallback for what is missing works everywhere, but its values are not sure.
    default:
      return { value: false, weak: true, printed: true, alternatives: [] };
  }
}

function compared(left: Word, operator: string, right: Word, pattern: boolean): Verdict {
  const verdict = comparedTexts(left, operator, right, pattern);
  return isPrinted(left) || isPrinted(right) ? { ...verdict, printed: true } : verdict;
}

/** Whether a word rests on the output of a command that cannot be worked out. */
export function isPrinted(word: Word): boolean {
  return unknownIn(word)?.startsWith(OUTPUT) === true;
}

function comparedTexts(left: Word, operator: string, right: Word, pattern: boolean): Verdict {
  const weak = unknownIn(left) !== undefined || unknownIn(right) !== undefined;
  const a = textOf(left);
  const b = textOf(right);
  const outside = externalsOf(left).size + externalsOf(right).size > 0;
  const numeric = /^-(eq|ne|lt|le|gt|ge)$/.exec(operator)?.[1];
  if (numeric) {
    const x = Number(a.trim() || "0");
    const y = Number(b.trim() || "0");
    if (!Number.isFinite(x) || !Number.isFinite(y)) return { value: null, weak: true, alternatives: [] };
    const value = { eq: x === y, ne: x !== y, lt: x < y, le: x <= y, gt: x > y, ge: x >= y }[numeric] ?? null;
    return {
      value,
      weak,
      outside,
      alternatives: numeric === "eq" || numeric === "ne" ? alternativesOf(left, right) : [],
    };
  }
  switch (operator) {
    case "=":
    case "==":
      return {
        value: pattern && /[*?[]/.test(b) ? matchesPattern(b, a) : a === b,
        weak,
        outside,
        alternatives: pattern && /[*?[]/.test(b) ? [] : alternativesOf(left, right),
      };
    case "!=":
      return {
        value: pattern && /[*?[]/.test(b) ? !matchesPattern(b, a) : a !== b,
        weak,
        outside,
        alternatives: alternativesOf(left, right),
      };
    case "=~":
      return { value: found(b, a), weak, outside, alternatives: [] };
    case "<":
    case "\\<":
      return { value: a < b, weak, alternatives: [] };
    case ">":
    case "\\>":
      return { value: a > b, weak, alternatives: [] };
    default:
      return GUESS;
  }
}

/** `[ "$METHOD" = SPO ]` where METHOD may come from outside: SPO is another way to start the script. */
export function alternativesOf(left: Word, right: Word): Alternative[] {
  for (const [side, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const names = [...externalsOf(side)];
    const value = textOf(other);
    if (
      side.length === 1 &&
      names.length === 1 &&
      /^\w+$/.test(names[0]) &&
      externalsOf(other).size === 0 &&
      unknownIn(other) === undefined &&
      value !== "" &&
      value !== textOf(side)
    ) {
      return [{ name: names[0], value }];
    }
  }
  return [];
}

function both(a: Verdict, b: Verdict): Verdict {
  const value = a.value === false || b.value === false ? false : a.value === null || b.value === null ? null : true;
  return {
    value,
    weak: a.weak || b.weak,
    outside: a.outside === true || b.outside === true,
    printed: (a.printed === true && !isSure(b, false)) || (b.printed === true && !isSure(a, false)),
    alternatives: [...a.alternatives, ...b.alternatives],
  };
}

function either(a: Verdict, b: Verdict): Verdict {
  const value = a.value === true || b.value === true ? true : a.value === null || b.value === null ? null : false;
  return {
    value,
    weak: a.weak || b.weak,
    outside: a.outside === true || b.outside === true,
    printed: (a.printed === true && !isSure(b, true)) || (b.printed === true && !isSure(a, true)),
    alternatives: [...a.alternatives, ...b.alternatives],
  };
}

function isSure(verdict: Verdict, value: boolean): boolean {
  return verdict.value === value && !verdict.weak;
}

export function negated(a: Verdict): Verdict {
  return { ...a, value: a.value === null ? null : !a.value };
}

export { both as bothVerdicts, either as eitherVerdict };
