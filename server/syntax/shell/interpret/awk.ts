import type { Span } from "../../text";
import { readExpression } from "../../quantity/expression";
import type { Script } from "../script";
import { expandJoined } from "./expand";
import type { Scope } from "./scope";
import { externalsOf, literal, sourcesOf, textOf, unknownIn, unknownSegment, type Word } from "./value";

const PROGRAM = /^\s*g?awk\s+"\s*BEGIN\s*\{([^]*)\}\s*"\s*$/;
const PRINT = /^print(?:f\s*\(?\s*"%(?:\.(\d+)f|(d|g|s))(?:\\n)?"\s*,)?\s*([^]+?)\s*$/;
const MOST = 2000;

/** `$(awk "BEGIN {print $a * $b}")`: arithmetic with fractions, which the shell itself does not have. */
export function awkOutput(script: Script, range: Span, scope: Scope): Word | undefined {
  const source = script.text.slice(range.start, range.end);
  const found = PROGRAM.exec(source);
  if (!found) return undefined;
  const start = range.start + source.indexOf("{") + 1;
  const body = expandJoined(script, { start, end: start + found[1].length }, scope, true);
  const shown = `$(${source.replace(/\s+/g, " ")})`;
  const missing = unknownIn(body);
  if (missing !== undefined) return [unknownSegment(missing, shown)];
  const printed = printedBy(textOf(body));
  if (printed === undefined) return undefined;
  // What stands outside of the program feeds it: to change that changes what is printed.
  const end = start + found[1].length;
  const given = sourcesOf(body).filter((span) => span.start < start || span.end > end);
  const external = externalsOf(body);
  return [
    literal(printed, {
      via: `${shown} = ${printed}`,
      ...(given.length ? { from: given } : {}),
      ...(external.size ? { external } : {}),
    }),
  ];
}

/** `name = …; if (name < 1) name = 1; printf "%.0f", name`: no loops, fields or functions. */
function printedBy(program: string): string | undefined {
  if (program.length > MOST) return undefined;
  const values = new Map<string, number>();
  const valueOf = (text: string): number | undefined => {
    const filled = text.replace(/[A-Za-z_]\w*/g, (name) => {
      const value = values.get(name);
      return value === undefined ? name : `(${value})`;
    });
    const result = readExpression(filled);
    return result.ok ? result.quantity.value : undefined;
  };
  for (const one of program.split(/[;\n]/)) {
    const statement = one.trim();
    if (statement === "") continue;
    const least = /^if\s*\(\s*(\w+)\s*([<>])\s*([^()]+)\)\s*(\w+\s*=[^=][^]*)$/.exec(statement);
    let set = statement;
    if (least) {
      const [left, right] = [values.get(least[1]), valueOf(least[3])];
      if (left === undefined || right === undefined) return undefined;
      if (!(least[2] === "<" ? left < right : left > right)) continue;
      set = least[4];
    }
    const assigned = /^([A-Za-z_]\w*)\s*=([^=][^]*)$/.exec(set);
    if (assigned) {
      const value = valueOf(assigned[2]);
      if (value === undefined) return undefined;
      values.set(assigned[1], value);
      continue;
    }
    const print = PRINT.exec(statement);
    if (!print) return undefined;
    const value = valueOf(print[3]);
    return value === undefined ? undefined : formatted(value, print[1], print[2]);
  }
  return undefined;
}

function formatted(value: number, digits: string | undefined, kind: string | undefined): string {
  if (digits !== undefined) return value.toFixed(Math.min(20, Number(digits)));
  if (kind === "d") return String(Math.trunc(value));
  // awk prints whole numbers whole, others with six digits.
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

/** `$(printf "%.0f" "$x")`: one number in a form. */
export function printfOutput(words: readonly Word[]): string | undefined {
  const form = /^%(?:\.(\d+)f|(d|g|s))(?:\\n)?$/.exec(textOf(words[0] ?? []));
  if (!form || words.length !== 2) return undefined;
  if (form[2] === "s") return textOf(words[1]);
  const value = Number(textOf(words[1]));
  return textOf(words[1]) === "" || !Number.isFinite(value) ? undefined : formatted(value, form[1], form[2]);
}
