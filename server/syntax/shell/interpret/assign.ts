import { arithmetic } from "./arithmetic";
import { expandJoined, expandRange } from "./expand";
import type { Scope } from "./scope";
import type { Assignment, Script } from "../script";
import { literal, textOf, unknownIn, type Variable, type Word } from "./value";

/** Elements beyond this index are not made: a script may write any number there. */
const MOST_ELEMENTS = 10_000;

/** What a variable holds after an assignment; undefined where it stays as it is. */
export function assigned(
  script: Script,
  one: Assignment,
  before: Variable | undefined,
  associative: boolean,
  scope: Scope,
): Variable | undefined {
  if (one.items) return list(script, one, one.items, before, associative, scope);
  const value = one.value ? expandJoined(script, one.value, scope) : [];
  const word = value.length > 0 ? value : [literal("")];
  if (one.index && before && !scope.spend(sizeOf(before) / 4)) return undefined;
  if (one.index) return element(textOf(expandJoined(script, one.index, scope)), before, word);
  if (one.append && before && !scope.spend(sizeOf(before) / 4)) return undefined;
  if (one.append && before?.kind === "scalar") return { kind: "scalar", word: [...before.word, ...word] };
  if (one.append && before?.kind === "list")
    return { kind: "list", words: [[...(before.words[0] ?? []), ...word], ...before.words.slice(1)] };
  return { kind: "scalar", word };
}

function list(
  script: Script,
  one: Assignment,
  items: NonNullable<Assignment["items"]>,
  before: Variable | undefined,
  associative: boolean,
  scope: Scope,
): Variable | undefined {
  const words = items.flatMap((item) => expandRange(script, item, scope));
  if (!associative && before?.kind !== "map") {
    const old =
      !one.append || !before
        ? []
        : before.kind === "list"
          ? before.words
          : before.kind === "scalar"
            ? [before.word]
            : [];
    // An array that is put together anew costs by its elements, or one that doubles in a loop would be past all memory soon.
    return scope.spend((old.length + words.length) / 4) ? { kind: "list", words: [...old, ...words] } : undefined;
  }
  if (before && !scope.spend(sizeOf(before) / 4)) return undefined;
  const entries = new Map(before?.kind === "map" && one.append ? before.entries : []);
  for (const item of items) {
    const match = /^\[(["']?)([^\]]*?)\1\]=/.exec(script.text.slice(item.start, item.end));
    if (match)
      entries.set(match[2], expandJoined(script, { start: item.start + match[0].length, end: item.end }, scope));
  }
  return { kind: "map", entries };
}

function sizeOf(variable: Variable): number {
  return variable.kind === "scalar"
    ? variable.word.length
    : variable.kind === "list"
      ? variable.words.length
      : variable.entries.size;
}

function element(key: string, before: Variable | undefined, word: Word): Variable | undefined {
  if (before?.kind === "map") return { kind: "map", entries: new Map(before.entries).set(key, word) };
  const position = Number(key);
  if (!Number.isInteger(position) || position < 0 || position >= MOST_ELEMENTS) return undefined;
  const words = before?.kind === "list" ? [...before.words] : [];
  words[position] = word;
  return { kind: "list", words: Array.from(words, (entry) => entry ?? []) };
}

/** Arithmetic that may set variables; null where a part is not known. */
export function calculate(text: string, via: string, variables: Map<string, Variable>): number | null {
  return arithmetic(
    text,
    (name) => {
      const variable = variables.get(name);
      const value = variable?.kind === "scalar" && unknownIn(variable.word) === undefined ? textOf(variable.word) : "";
      return /^-?\d+$/.test(value) ? Number(value) : null;
    },
    (name, value) => variables.set(name, { kind: "scalar", word: [literal(String(value), { via })] }),
  );
}
