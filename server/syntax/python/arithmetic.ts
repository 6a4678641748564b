import type { ScalarNode } from "../tree";

type Value = ScalarNode["value"];

/** The longest text that is made (characters), whichever way; one that is written out may be longer. */
export const MAX_TEXT = 10_000;

/** Python's truth of a constant. */
export function truthy(value: Value): boolean {
  return !(value === null || value === false || value === 0 || value === "");
}

const number = (value: Value): number | null =>
  typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : null;

/** The result of a binary operator on constants as Python has it; undefined where it is none of ours. */
export function binary(operator: string, left: Value, right: Value): Value | undefined {
  if (typeof left === "string" && typeof right === "string" && operator === "+") {
    return left.length + right.length > MAX_TEXT ? undefined : left + right;
  }
  if (typeof left === "string" && typeof right === "number" && operator === "*") {
    return right >= 0 && left.length * right <= MAX_TEXT && Number.isInteger(right) ? left.repeat(right) : undefined;
  }
  const [a, b] = [number(left), number(right)];
  if (a === null || b === null) return undefined;
  const result = calculate(operator, a, b);
  return result !== undefined && Number.isFinite(result) ? result : undefined;
}

function calculate(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    // Python's remainder has the sign of the divisor.
    case "%":
      return b === 0 ? undefined : a - b * Math.floor(a / b);
    case "**":
      return a ** b;
    case "<<":
      return b >= 0 && b < 53 ? a * 2 ** b : undefined;
    case ">>":
      return b >= 0 && b < 53 ? Math.floor(a / 2 ** b) : undefined;
    default:
      return undefined;
  }
}

/** A comparison of constants; undefined where Python would fail or we do not know. */
export function compare(operator: string, left: Value, right: Value): boolean | undefined {
  switch (operator) {
    case "==":
      return same(left, right);
    case "!=":
      return !same(left, right);
    case "is":
      return left === right;
    case "is not":
      return left !== right;
  }
  if (typeof left === "string" && typeof right === "string") {
    if (operator === "in") return right.includes(left);
    if (operator === "not in") return !right.includes(left);
    return ordered(operator, left < right ? -1 : left > right ? 1 : 0);
  }
  const [a, b] = [number(left), number(right)];
  return a === null || b === null ? undefined : ordered(operator, a - b);
}

function same(left: Value, right: Value): boolean {
  const [a, b] = [number(left), number(right)];
  return a !== null && b !== null ? a === b : left === right;
}

function ordered(operator: string, sign: number): boolean | undefined {
  switch (operator) {
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case ">":
      return sign > 0;
    case ">=":
      return sign >= 0;
    default:
      return undefined;
  }
}

/** `round` to a whole number as Python has it: halves go to the even neighbour. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** `str(value)` for the constants that we print: None, True, 3, 0.5. Floats that are whole are not told apart. */
export function pythonText(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}
