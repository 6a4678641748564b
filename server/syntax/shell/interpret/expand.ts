import type { Span } from "../../text";
import { arithmetic } from "./arithmetic";
import { closingQuote, closingParenthesis, closingBrace, closingBracket, closingArithmetic } from "../closing";
import { replacePattern, stripPattern } from "./pattern";
import type { Script } from "../script";
import {
  externalsOf,
  literal,
  shownOf,
  sliceWord,
  sourcesOf,
  splitFields,
  textOf,
  tidy,
  unknownIn,
  unknownSegment,
  type Segment,
  type Variable,
  type Word,
} from "./value";

/** What an expansion asks of the interpreter. */
export interface Scope {
  get(name: string): Variable | undefined;
  set(name: string, value: Variable): void;
  /** `$1`, `$2`, … of the function or script; undefined when it was not given. */
  argument(index: number): Word | undefined;
  readonly argumentCount: number;
  /** The output of a command, when it can be worked out without running it. */
  output(script: Script, text: Span): Word;
  /** Takes work for words and characters that are made; false when the bound is reached. */
  spend(amount?: number): boolean;
}

const SYMBOLIC: ReadonlySet<string> = new Set(["HOME", "PWD", "USER"]);
/** Longer literals of text put together are not taken apart. */
const MOST_PARTED = 2_000;
const MOST_SEGMENTS = 4_000;
const MOST_TEXT = 200_000;
/** So many pieces, or characters, of a word that is copied cost a unit of work. */
const SEGMENTS_A_STEP = 4;
const CHARACTERS_A_STEP = 250;
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
  #fields: Segment[][] = [];
  #current: Segment[] | null = null;
  #split = true;
  #segments = 0;
  #length = 0;

  constructor(script: Script, scope: Scope, depth: number) {
    this.#script = script;
    this.#scope = scope;
    this.#depth = depth;
  }

  words(start: number, end: number): Word[] {
    this.#scan(start, end, false);
    if (this.#current) this.#fields.push(this.#current);
    return this.#fields.map(tidy);
  }

  joined(start: number, end: number, quoted: boolean): Word {
    this.#split = false;
    this.#scan(start, end, quoted);
    if (this.#current) this.#fields.push(this.#current);
    return tidy(
      this.#fields.flatMap((field, index) => (index === 0 ? field : [literal(" ", { quoted: true }), ...field])),
    );
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
          this.#literal(at, at + 1, true);
          at += 1;
          continue;
        }
        if (at + 1 < end) this.#literal(at + 1, at + 2, true);
        at += 2;
      } else if (c === "'" && !inQuotes) {
        const close = text.indexOf("'", at + 1);
        const stop = close < 0 || close >= end ? end : close;
        this.#literal(at + 1, stop, true);
        at = stop + 1;
      } else if (c === '"' && !inQuotes) {
        const stop = closingQuote(text, at + 1, end);
        // `"${ARGS[@]}"` of an empty list is no word at all; any other quotes make one, if only an empty one.
        if (!EVERY_ELEMENT.test(text.slice(at + 1, Math.min(stop, at + 120)))) this.#open();
        this.#scan(at + 1, stop, true);
        at = stop + 1;
      } else if (c === "$" && at + 1 < end) {
        at = this.#dollar(at, end, inQuotes);
      } else if (c === "`") {
        const close = text.indexOf("`", at + 1);
        const stop = close < 0 || close >= end ? end : close;
        this.#insert(this.#scope.output(this.#script, { start: at + 1, end: stop }), inQuotes);
        at = stop + 1;
      } else {
        let stop = at + 1;
        while (stop < end && !SPECIAL.has(text[stop])) stop++;
        this.#literal(at, stop, inQuotes);
        at = stop;
      }
    }
  }

  #open(): Segment[] {
    return (this.#current ??= []);
  }

  #literal(start: number, end: number, quoted: boolean): void {
    const place = this.#script.locate
      ? this.#script.locate(start, end)
      : { span: { start, end }, ...(this.#script.file ? { file: this.#script.file } : {}) };
    if (place === undefined && end - start > 1 && end - start <= MOST_PARTED) return this.#parted(start, end, quoted);
    this.#open().push(literal(this.#script.text.slice(start, end), { ...place, ...(quoted ? { quoted: true } : {}) }));
  }

  /** A literal of text that was put together from several places: each run of it keeps its own. */
  #parted(start: number, end: number, quoted: boolean): void {
    const locate = (from: number, to: number) => this.#script.locate?.(from, to);
    for (let from = start; from < end;) {
      let to = from + 1;
      let place = locate(from, to);
      for (; place && to < end; to++) {
        const longer = locate(from, to + 1);
        if (!longer) break;
        place = longer;
      }
      this.#open().push(literal(this.#script.text.slice(from, to), { ...place, ...(quoted ? { quoted: true } : {}) }));
      from = to;
    }
  }

  /** Words that grow without end (`x=$x$x` in a loop) become unknown. */
  #bounded(word: Word): Word {
    this.#segments += word.length;
    let made = 0;
    for (const segment of word) made += segment.text.length;
    this.#length += made;
    if (!this.#scope.spend(1 + word.length / SEGMENTS_A_STEP + made / CHARACTERS_A_STEP))
      return [unknownSegment("the script does too much to be followed", "…")];
    if (this.#segments <= MOST_SEGMENTS && this.#length <= MOST_TEXT) return word;
    return [unknownSegment("it grows too long to be followed", "…")];
  }

  /** Puts the result of an expansion into the word, split at blanks when it is not quoted. */
  #insert(given: Word, quoted: boolean): void {
    const word = this.#bounded(given);
    if (quoted || !this.#split) {
      this.#open().push(...word.map((segment) => ({ ...segment, quoted: true })));
      return;
    }
    const loose = word.map((segment) => ({ ...segment, quoted: false }));
    const known = textOf(loose);
    if (loose.length > 0 && known === "" && unknownIn(loose) === undefined) return;
    const fields = splitFields(loose);
    if (/^\s/.test(known) && this.#current) {
      this.#fields.push(this.#current);
      this.#current = null;
    }
    for (const [index, field] of fields.entries()) {
      if (index > 0 && this.#current) {
        this.#fields.push(this.#current);
        this.#current = null;
      }
      // Blanks now separate words; what is left must not be split again.
      this.#open().push(...field.map((segment) => ({ ...segment, quoted: true })));
    }
    if (/\s$/.test(known) && this.#current) {
      this.#fields.push(this.#current);
      this.#current = null;
    }
  }

  #insertMany(words: readonly Word[], quoted: boolean): void {
    // Each word is charged before it is made: `f "$@" "$@"` doubles them at every call.
    for (const [index, word] of words.entries()) {
      if (!this.#scope.spend()) return;
      if (index > 0 && this.#split) {
        if (this.#current) this.#fields.push(this.#current);
        this.#current = null;
      } else if (index > 0) this.#open().push(literal(" ", { quoted: true }));
      this.#insert(word, quoted);
    }
  }

  #dollar(at: number, end: number, quoted: boolean): number {
    const text = this.#script.text;
    if (!this.#scope.spend()) return end;
    if (text.startsWith("$((", at)) {
      const close = closingArithmetic(text, at + 3, end);
      if (close >= 0) {
        this.#insert(this.#arithmetic(at, at + 3, close), quoted);
        return close + 2;
      }
    }
    if (text[at + 1] === "[") {
      // Arithmetic as bash wrote it before `$(( … ))`, and still takes it.
      const close = text.indexOf("]", at + 2);
      if (close >= 0 && close < end) {
        this.#insert(this.#arithmetic(at, at + 2, close, close + 1), quoted);
        return close + 1;
      }
    }
    if (text[at + 1] === "(") {
      const close = closingParenthesis(text, at + 2, end);
      this.#insert(this.#scope.output(this.#script, { start: at + 2, end: close }), quoted);
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
      this.#literal(at + 2, stop, true);
      return stop + 1;
    }
    const name = NAME.exec(text.slice(at + 1, Math.min(end, at + 1 + 200)))?.[0];
    if (!name) {
      this.#literal(at, at + 1, quoted);
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
        this.#open();
        this.#insertMany(
          words.length ? [words.flatMap((word, index) => (index ? [literal(" "), ...word] : [...word]))] : [],
          quoted,
        );
      } else this.#insertMany(words, quoted);
      return;
    }
    const word = this.#scalar(name, shown);
    if (quoted) this.#open();
    this.#insert(word, quoted);
  }

  /** The scalar value of a name; an unset one is an unknown piece that names it. */
  #scalar(name: string, shown: string): Word {
    const word = this.#lookup(name);
    if (word) return word;
    if (SYMBOLIC.has(name)) return [literal(`$${name}`, { via: "the environment" })];
    // How many arguments there are is decided outside, whatever it is here.
    if (name === "#") return [literal(String(this.#scope.argumentCount), { external: new Set(["#"]) })];
    if (name === "?") return [literal("0")];
    const reason = /^\d+$/.test(name)
      ? `argument ${shown} of the script is not known here`
      : `\`${name}\` is not set in this script`;
    return [unknownSegment(reason, shown, new Set([name]))];
  }

  #lookup(name: string): Word | undefined {
    if (/^\d+$/.test(name)) return this.#scope.argument(Number(name));
    const variable = this.#scope.get(name);
    if (!variable) return undefined;
    if (variable.kind === "scalar") return variable.word;
    return variable.kind === "list" ? (variable.words[0] ?? []) : (variable.entries.get("0") ?? []);
  }

  #arithmetic(from: number, start: number, close: number, after = close + 2): Word {
    const shown = this.#script.text.slice(from, after);
    const inner = this.#sub().joined(start, close, true);
    const externals = new Set(externalsOf(inner));
    const sources = [...inner.filter((segment) => segment.via !== undefined || segment.from !== undefined)].flatMap(
      (segment) => sourcesOf([segment]),
    );
    let reason = unknownIn(inner);
    const value =
      reason !== undefined
        ? null
        : arithmetic(
            textOf(inner),
            (name) => {
              const word = this.#lookup(name);
              if (word && sources.length < 50) sources.push(...sourcesOf(word));
              for (const external of word ? externalsOf(word) : []) externals.add(external);
              const missing = word ? unknownIn(word) : `\`${name}\` is not set in this script`;
              if (missing !== undefined) {
                reason ??= missing;
                return null;
              }
              return word && /^-?\d+$/.test(textOf(word).trim()) ? Number(textOf(word)) : null;
            },
            (name, next) =>
              this.#scope.set(name, { kind: "scalar", word: [literal(String(next), { via: "arithmetic" })] }),
          );
    if (value === null) return [unknownSegment(reason ?? `${shown} cannot be computed here`, shown, externals)];
    return [
      literal(String(value), {
        via: `${shown} = ${value}`,
        ...(sources.length ? { from: sources } : {}),
        ...(externals.size ? { external: externals } : {}),
      }),
    ];
  }

  #sub(): Expander {
    return new Expander(this.#script, this.#scope, this.#depth + 1);
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
      this.#insert([unknownSegment(`${shown} is not understood`, shown)], quoted);
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
      this.#insert([this.#lengthOf(name, all)], quoted);
      return;
    }
    if (prefix === "!" && all) {
      this.#insertMany(this.#keysOf(name), quoted);
      return;
    }
    if (all || ((name === "@" || name === "*") && at === close)) {
      this.#allOf(name, indexText, at, close, quoted);
      return;
    }
    let word: Word | undefined = index ? this.#element(name, index) : this.#lookup(name);
    let target = name;
    if (prefix === "!" && word) {
      target = textOf(word);
      word = this.#lookup(target);
    }
    if (!word && SYMBOLIC.has(target) && !index) word = [literal(`$${target}`, { via: "the environment" })];
    if (quoted) this.#open();
    this.#insert(this.#operated(target, word, at, close, shown), quoted);
  }

  #lengthOf(name: string, all: boolean): Segment {
    const variable = this.#scope.get(name);
    if (!variable) return all ? literal("0") : unknownSegment(`\`${name}\` is not set in this script`, `\${#${name}}`);
    if (variable.kind === "scalar") return literal(String(all ? 1 : textOf(variable.word).length));
    return literal(String(variable.kind === "list" ? variable.words.length : variable.entries.size), {
      via: `number of elements of ${name}`,
    });
  }

  #keysOf(name: string): Word[] {
    const variable = this.#scope.get(name);
    if (variable?.kind === "list") return variable.words.map((_, index) => [literal(String(index))]);
    return variable?.kind === "map" ? [...variable.entries.keys()].map((key) => [literal(key)]) : [];
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
      this.#insert(
        words.flatMap((word, position) => (position ? [literal(" "), ...word] : [...word])),
        true,
      );
    else this.#insertMany(words, quoted);
  }

  #element(name: string, index: Span): Word | undefined {
    const variable = this.#scope.get(name);
    const inner = this.#sub().joined(index.start, index.end, true);
    if (!variable) return undefined;
    if (variable.kind === "map") return variable.entries.get(textOf(inner));
    if (unknownIn(inner) !== undefined)
      return [unknownSegment(unknownIn(inner) ?? "", `\${${name}[${shownOf(inner)}]}`)];
    const position = arithmetic(textOf(inner), (other) => Number(textOf(this.#lookup(other) ?? [])) || 0);
    if (position === null) return undefined;
    if (variable.kind === "scalar") return position === 0 ? variable.word : undefined;
    return variable.words.at(position);
  }

  #operated(name: string, word: Word | undefined, at: number, close: number, shown: string): Word {
    const text = this.#script.text;
    const operator = /^(:?[-=+?]|##?|%%?|\/\/?|,,?|\^\^?|:|@)/.exec(text.slice(at, close))?.[0] ?? "";
    const from = at + operator.length;
    const unset =
      word === undefined ||
      (operator.startsWith(":") && operator.length === 2 && textOf(word) === "" && unknownIn(word) === undefined);
    switch (operator) {
      case "":
        return word ?? this.#scalar(name, shown);
      case ":-":
      case "-":
      case ":=":
      case "=": {
        if (!unset && word) {
          // A value that is itself unknown may be unset: then the default counts, for it is what the script falls back to.
          if (unknownIn(word) === undefined || textOf(word) !== "") return word;
        }
        const fallback = this.#sub().joined(from, close, false);
        const marked = word !== undefined && unknownIn(word) === undefined ? fallback : outside(fallback, name);
        if (operator.endsWith("=")) this.#scope.set(name, { kind: "scalar", word: marked });
        return marked;
      }
      case ":+":
      case "+":
        return unset || (word && unknownIn(word) !== undefined) ? [] : this.#sub().joined(from, close, false);
      case ":?":
      case "?":
        return !unset && word ? word : this.#scalar(name, shown);
    }
    if (!word) return this.#scalar(name, shown);
    if (unknownIn(word) !== undefined) return [unknownSegment(unknownIn(word) ?? "", shown, externalsOf(word))];
    const value = textOf(word);
    const argument = () => textOf(this.#sub().joined(from, close, false));
    // Patterns cost more than words: they use up the bound of work as they use time.
    for (let cost = Math.min(1_000, (value.length * (close - from)) / 8); cost > 1; cost--)
      if (!this.#scope.spend()) return word;
    const made = (result: string): Word =>
      result === value ? word : [literal(result, { via: shown, external: externalsOf(word) })];
    switch (operator) {
      case "#":
        return made(stripPattern(value, argument(), "start", false));
      case "##":
        return made(stripPattern(value, argument(), "start", true));
      case "%":
        return made(stripPattern(value, argument(), "finish", false));
      case "%%":
        return made(stripPattern(value, argument(), "finish", true));
      case ",,":
        return made(value.toLowerCase());
      case "^^":
        return made(value.toUpperCase());
      case ",":
        return made(value.slice(0, 1).toLowerCase() + value.slice(1));
      case "^":
        return made(value.slice(0, 1).toUpperCase() + value.slice(1));
      case "/":
      case "//": {
        const [pattern, replacement = ""] = splitReplacement(argument());
        return made(replacePattern(value, pattern, replacement, operator === "//"));
      }
      case ":": {
        const [offset, length] = argument()
          .split(":")
          .map((part) => arithmetic(part, () => null));
        if (offset === null || offset === undefined) return [unknownSegment(`${shown} is not understood`, shown)];
        const begin = offset < 0 ? value.length + offset : offset;
        return sliceWord(
          word,
          begin,
          length === undefined || length === null ? undefined : length < 0 ? value.length + length : begin + length,
        );
      }
      default:
        return [unknownSegment(`${shown} is not understood`, shown)];
    }
  }
}

const EVERY_ELEMENT = /^\$(@|\{(@|\w+\[@\])\})$/;
const SPECIAL = new Set(["\\", "'", '"', "$", "`"]);

/** Marks a default: it holds because `name` was not given from outside. */
function outside(word: Word, name: string): Word {
  const external = new Set([...externalsOf(word), name]);
  if (word.length === 0) return [literal("", { external, via: `default of \${${name}}` })];
  return word.map((segment) => ({ ...segment, external, via: segment.via ?? `default of \${${name}}` }));
}

function splitReplacement(text: string): string[] {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "/") return [text.slice(0, i), text.slice(i + 1)];
  }
  return [text];
}
