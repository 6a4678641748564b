import type { Span } from "../../text";
import type { Script } from "../script";
import { arithmetic } from "./arithmetic";
import { replacePattern, stripPattern } from "./pattern";
import type { Scope } from "./scope";
import {
  externalsOf,
  literal,
  shownOf,
  sliceWord,
  sourcesOf,
  textOf,
  unknownIn,
  unknownSegment,
  type Segment,
  type Word,
} from "./value";

const SYMBOLIC: ReadonlySet<string> = new Set(["HOME", "PWD", "USER"]);

/** What stands behind names, `${…}` and `$(( … ))`: values, with where they come from. */
export class ParameterValues {
  readonly #script: Script;
  readonly #scope: Scope;
  /** Expands a range one level deeper. */
  readonly #joined: (start: number, end: number, quoted: boolean) => Word;

  constructor(script: Script, scope: Scope, joined: (start: number, end: number, quoted: boolean) => Word) {
    this.#script = script;
    this.#scope = scope;
    this.#joined = joined;
  }

  /** The scalar value of a name; an unset one is an unknown piece that names it. */
  scalar(name: string, shown: string): Word {
    const word = this.lookup(name);
    if (word) return word;
    const symbolic = this.symbolic(name);
    if (symbolic) return symbolic;
    // How many arguments there are is decided outside, whatever it is here.
    if (name === "#") return [literal(String(this.#scope.argumentCount), { external: new Set(["#"]) })];
    if (name === "?") return [literal("0")];
    const reason = /^\d+$/.test(name)
      ? `argument ${shown} of the script is not known here`
      : `\`${name}\` is not set in this script`;
    return [unknownSegment(reason, shown, new Set([name]))];
  }

  /** A name that every shell has and no script sets. */
  symbolic(name: string): Word | undefined {
    return SYMBOLIC.has(name) ? [literal(`$${name}`, { via: "the environment" })] : undefined;
  }

  lookup(name: string): Word | undefined {
    if (/^\d+$/.test(name)) return this.#scope.argument(Number(name));
    const variable = this.#scope.get(name);
    if (!variable) return undefined;
    if (variable.kind === "scalar") return variable.word;
    return variable.kind === "list" ? (variable.words[0] ?? []) : (variable.entries.get("0") ?? []);
  }

  /** `$(( … ))`. */
  arithmetic(from: number, start: number, close: number, after = close + 2): Word {
    const shown = this.#script.text.slice(from, after);
    const inner = this.#joined(start, close, true);
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
              const word = this.lookup(name);
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

  /** `${#name}`, and of all elements `${#name[@]}`. */
  lengthOf(name: string, all: boolean): Segment {
    const variable = this.#scope.get(name);
    if (!variable) return all ? literal("0") : unknownSegment(`\`${name}\` is not set in this script`, `\${#${name}}`);
    if (variable.kind === "scalar") return literal(String(all ? 1 : textOf(variable.word).length));
    return literal(String(variable.kind === "list" ? variable.words.length : variable.entries.size), {
      via: `number of elements of ${name}`,
    });
  }

  /** `${!name[@]}`. */
  keysOf(name: string): Word[] {
    const variable = this.#scope.get(name);
    if (variable?.kind === "list") return variable.words.map((_, index) => [literal(String(index))]);
    return variable?.kind === "map" ? [...variable.entries.keys()].map((key) => [literal(key)]) : [];
  }

  /** `${name[index]}`. */
  element(name: string, index: Span): Word | undefined {
    const variable = this.#scope.get(name);
    const inner = this.#joined(index.start, index.end, true);
    if (!variable) return undefined;
    if (variable.kind === "map") return variable.entries.get(textOf(inner));
    if (unknownIn(inner) !== undefined)
      return [unknownSegment(unknownIn(inner) ?? "", `\${${name}[${shownOf(inner)}]}`)];
    const position = arithmetic(textOf(inner), (other) => Number(textOf(this.lookup(other) ?? [])) || 0);
    if (position === null) return undefined;
    if (variable.kind === "scalar") return position === 0 ? variable.word : undefined;
    return variable.words.at(position);
  }

  /** `${name…}` with what follows the name: a default, a pattern, a slice. */
  operated(name: string, word: Word | undefined, at: number, close: number, shown: string): Word {
    const text = this.#script.text;
    const operator = /^(:?[-=+?]|##?|%%?|\/\/?|,,?|\^\^?|:|@)/.exec(text.slice(at, close))?.[0] ?? "";
    const from = at + operator.length;
    const unset =
      word === undefined ||
      (operator.startsWith(":") && operator.length === 2 && textOf(word) === "" && unknownIn(word) === undefined);
    switch (operator) {
      case "":
        return word ?? this.scalar(name, shown);
      case ":-":
      case "-":
      case ":=":
      case "=": {
        if (!unset && word) {
          // A value that is itself unknown may be unset: then the default counts, for it is what the script falls back to.
          if (unknownIn(word) === undefined || textOf(word) !== "") return word;
        }
        const fallback = this.#joined(from, close, false);
        const marked = word !== undefined && unknownIn(word) === undefined ? fallback : outside(fallback, name);
        if (operator.endsWith("=")) this.#scope.set(name, { kind: "scalar", word: marked });
        return marked;
      }
      case ":+":
      case "+":
        return unset || (word && unknownIn(word) !== undefined) ? [] : this.#joined(from, close, false);
      case ":?":
      case "?":
        return !unset && word ? word : this.scalar(name, shown);
    }
    if (!word) return this.scalar(name, shown);
    if (unknownIn(word) !== undefined) return [unknownSegment(unknownIn(word) ?? "", shown, externalsOf(word))];
    const value = textOf(word);
    const argument = () => textOf(this.#joined(from, close, false));
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
