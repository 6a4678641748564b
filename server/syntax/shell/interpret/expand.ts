import type { Span } from "../../text";
import { closingQuote, closingParenthesis, closingBrace, closingBracket, closingArithmetic } from "../closing";
import type { Script } from "../script";
import { SEGMENTS_A_STEP, WordFields } from "./fields";
import { ParameterValues } from "./parameter";
import type { Scope } from "./scope";
import { literal, textOf, unknownSegment, type Word } from "./value";

const NAME = /^(?:[A-Za-z_]\w*|\d+|[@*#?$!_-])/;

/** Expands the word that stands at a range of a script into zero or more words. */
export function expandRange(script: Script, range: Span, scope: Scope, depth = 0): Word[] {
  return new Expander(script, scope, depth).words(range.start, range.end);
}

/** The same without splitting: an assignment's right side, a test's operand, a heredoc. */
export function expandJoined(script: Script, range: Span, scope: Scope, quoted = false, depth = 0): Word {
  return new Expander(script, scope, depth).joined(range.start, range.end, quoted);
}

class Expander {
  readonly #script: Script;
  readonly #scope: Scope;
  readonly #depth: number;
  readonly #values: ParameterValues;
  #fields: WordFields;

  constructor(script: Script, scope: Scope, depth: number) {
    this.#script = script;
    this.#scope = scope;
    this.#depth = depth;
    this.#fields = new WordFields(script, scope, true);
    this.#values = new ParameterValues(script, scope, (start, end, quoted) =>
      new Expander(script, scope, depth + 1).joined(start, end, quoted),
    );
  }

  words(start: number, end: number): Word[] {
    this.#scan(start, end, false);
    return this.#fields.words();
  }

  joined(start: number, end: number, quoted: boolean): Word {
    this.#fields = new WordFields(this.#script, this.#scope, false);
    this.#scan(start, end, quoted);
    return this.#fields.joined();
  }

  #scan(start: number, end: number, inQuotes: boolean): void {
    const text = this.#script.text;
    if (this.#depth > 30) return;
    let at = start;
    while (at < end) {
      const c = text[at];
      if (c === "\\") {
        if (text[at + 1] === "\n") {
          at += 2;
          continue;
        }
        if (text[at + 1] === "\r" && text[at + 2] === "\n") {
          at += 3;
          continue;
        }
        if (inQuotes && !/["\\$`]/.test(text[at + 1] ?? "")) {
          this.#fields.literal(at, at + 1, true);
          at += 1;
          continue;
        }
        if (at + 1 < end) this.#fields.literal(at + 1, at + 2, true);
        at += 2;
      } else if (c === "'" && !inQuotes) {
        const close = text.indexOf("'", at + 1);
        const stop = close < 0 || close >= end ? end : close;
        this.#fields.literal(at + 1, stop, true);
        at = stop + 1;
      } else if (c === '"' && !inQuotes) {
        const stop = closingQuote(text, at + 1, end);
        // `"${ARGS[@]}"` of an empty list is no word at all; any other quotes make one, if only an empty one.
        if (!EVERY_ELEMENT.test(text.slice(at + 1, Math.min(stop, at + 120)))) this.#fields.open();
        this.#scan(at + 1, stop, true);
        at = stop + 1;
      } else if (c === "$" && at + 1 < end) {
        at = this.#dollar(at, end, inQuotes);
      } else if (c === "`") {
        const close = text.indexOf("`", at + 1);
        const stop = close < 0 || close >= end ? end : close;
        this.#fields.insert(this.#scope.output(this.#script, { start: at + 1, end: stop }), inQuotes);
        at = stop + 1;
      } else {
        let stop = at + 1;
        while (stop < end && !SPECIAL.has(text[stop])) stop++;
        this.#fields.literal(at, stop, inQuotes);
        at = stop;
      }
    }
  }

  #dollar(at: number, end: number, quoted: boolean): number {
    const text = this.#script.text;
    if (!this.#scope.spend()) return end;
    if (text.startsWith("$((", at)) {
      const close = closingArithmetic(text, at + 3, end);
      if (close >= 0) {
        this.#fields.insert(this.#values.arithmetic(at, at + 3, close), quoted);
        return close + 2;
      }
    }
    if (text[at + 1] === "[") {
      // Arithmetic as bash wrote it before `$(( … ))`, and still takes it.
      const close = text.indexOf("]", at + 2);
      if (close >= 0 && close < end) {
        this.#fields.insert(this.#values.arithmetic(at, at + 2, close, close + 1), quoted);
        return close + 1;
      }
    }
    if (text[at + 1] === "(") {
      const close = closingParenthesis(text, at + 2, end);
      this.#fields.insert(this.#scope.output(this.#script, { start: at + 2, end: close }), quoted);
      return close + 1;
    }
    if (text[at + 1] === "{") {
      const close = closingBrace(text, at + 2, end);
      this.#parameter(at + 2, close, quoted);
      return close + 1;
    }
    if (text[at + 1] === "'" && !quoted) {
      const close = text.indexOf("'", at + 2);
      const stop = close < 0 || close >= end ? end : close;
      this.#fields.literal(at + 2, stop, true);
      return stop + 1;
    }
    const name = NAME.exec(text.slice(at + 1, Math.min(end, at + 1 + 200)))?.[0];
    if (!name) {
      this.#fields.literal(at, at + 1, quoted);
      return at + 1;
    }
    const short = /^\d/.test(name) ? name[0] : name;
    this.#value(short, `$${short}`, quoted);
    return at + 1 + short.length;
  }

  /** `$name` and `${name}`. */
  #value(name: string, shown: string, quoted: boolean): void {
    if (name === "@" || name === "*") {
      if (!this.#scope.spend(this.#scope.argumentCount / SEGMENTS_A_STEP)) return;
      const words = Array.from(
        { length: this.#scope.argumentCount },
        (_, index) => this.#scope.argument(index + 1) ?? [],
      );
      if (name === "*" && quoted) {
        this.#fields.open();
        this.#fields.insertMany(
          words.length ? [words.flatMap((word, index) => (index ? [literal(" "), ...word] : [...word]))] : [],
          quoted,
        );
      } else this.#fields.insertMany(words, quoted);
      return;
    }
    const word = this.#values.scalar(name, shown);
    if (quoted) this.#fields.open();
    this.#fields.insert(word, quoted);
  }

  /** `${…}` between its braces. */
  #parameter(start: number, close: number, quoted: boolean): void {
    const text = this.#script.text;
    const shown = text.slice(start - 2, close + 1);
    let at = start;
    const prefix = text[at];
    if ((prefix === "#" || prefix === "!") && close - at > 1) at++;
    const name = NAME.exec(text.slice(at, close))?.[0];
    if (!name) {
      this.#fields.insert([unknownSegment(`${shown} is not understood`, shown)], quoted);
      return;
    }
    at += name.length;
    let index: Span | null = null;
    if (text[at] === "[") {
      const bracket = closingBracket(text, at + 1, close);
      index = { start: at + 1, end: bracket };
      at = bracket + 1;
    }
    const indexText = index ? text.slice(index.start, index.end) : null;
    const all = indexText === "@" || indexText === "*";
    if (prefix === "#" && at > start + 1) {
      this.#fields.insert([this.#values.lengthOf(name, all)], quoted);
      return;
    }
    if (prefix === "!" && all) {
      this.#fields.insertMany(this.#values.keysOf(name), quoted);
      return;
    }
    if (all || ((name === "@" || name === "*") && at === close)) {
      this.#allOf(name, indexText, at, close, quoted);
      return;
    }
    let word: Word | undefined = index ? this.#values.element(name, index) : this.#values.lookup(name);
    let target = name;
    if (prefix === "!" && word) {
      target = textOf(word);
      word = this.#values.lookup(target);
    }
    if (!index) word ??= this.#values.symbolic(target);
    if (quoted) this.#fields.open();
    this.#fields.insert(this.#values.operated(target, word, at, close, shown), quoted);
  }

  #allOf(name: string, index: string | null, at: number, close: number, quoted: boolean): void {
    if (name === "@" || name === "*") {
      this.#value(name, `$${name}`, quoted);
      return;
    }
    const variable = this.#scope.get(name);
    let words: readonly Word[] = !variable
      ? []
      : variable.kind === "scalar"
        ? [variable.word]
        : variable.kind === "list"
          ? variable.words
          : [...variable.entries.values()];
    const slice = /^:(\d+)(?::(\d+))?$/.exec(this.#script.text.slice(at, close));
    if (slice)
      words = words.slice(Number(slice[1]), slice[2] === undefined ? undefined : Number(slice[1]) + Number(slice[2]));
    if (index === "*" && quoted)
      this.#fields.insert(
        words.flatMap((word, position) => (position ? [literal(" "), ...word] : [...word])),
        true,
      );
    else this.#fields.insertMany(words, quoted);
  }
}

const EVERY_ELEMENT = /^\$(@|\{(@|\w+\[@\])\})$/;
const SPECIAL = new Set(["\\", "'", '"', "$", "`"]);
