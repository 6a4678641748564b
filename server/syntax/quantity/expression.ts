import { create, parseDependencies } from "mathjs/number";
import type { MathNode } from "mathjs/number";
import { nearest } from "../nearest";
import type { Dimension } from "./units";
import { describeDimension, multiplied, sameDimension, unitNamed, unitNames } from "./units";

interface Quantity {
  readonly value: number;
  readonly dimension: Dimension;
}

/** Where and why an expression is no quantity. Offsets are in the text that was given. */
interface ExpressionProblem {
  readonly code: "syntax" | "not-allowed" | "unknown-name" | "unit" | "not-finite" | "too-long";
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export type ExpressionResult =
  | { readonly ok: true; readonly quantity: Quantity; readonly computed: boolean }
  | { readonly ok: false; readonly problem: ExpressionProblem };

const MAX_LENGTH = 300;
const MAX_NODES = 200;
/** A plain number, as nearly all values are, needs no parser. */
const NUMBER = /^\d+(?:\.\d+)?$/;
let parser: ((source: string) => MathNode) | undefined;

/** The parser is made when the first expression is read. */
function parse(source: string): MathNode {
  parser ??= create({ parseDependencies }).parse;
  return parser(source);
}

const PLAIN: Dimension = {};
const FUNCTIONS: ReadonlyMap<string, (...values: number[]) => number> = new Map<
  string,
  (...values: number[]) => number
>([
  ["min", Math.min],
  ["max", Math.max],
  ["abs", Math.abs],
  ["floor", Math.floor],
  ["ceil", Math.ceil],
  ["round", Math.round],
  ["sqrt", Math.sqrt],
  ["exp", Math.exp],
  ["log", Math.log],
  ["log2", Math.log2],
]);
/** These keep the unit of their arguments; the others want plain numbers. */
const KEEPS_UNIT = new Set(["min", "max", "abs", "floor", "ceil", "round"]);

class Refusal {
  constructor(
    readonly code: ExpressionProblem["code"],
    readonly message: string,
    /** The name or operator to point at, where there is one. */
    readonly about?: string,
  ) {}
}

/**
 * Reads an arithmetic expression with units: `64 * 250`, `2**14`, `1_000`, `512k`, `1.5 kGPUh`, `2.5 USD/h`, `40 %`. The text is parsed and
 * walked over a list of what is allowed; it is never evaluated, so no input can run or allocate anything.
 */
export function readExpression(text: string): ExpressionResult {
  if (text.length > MAX_LENGTH) return problem("too-long", `Longer than ${MAX_LENGTH} characters.`, 0, text.length);
  if (text.trim() === "") return problem("syntax", "A value is missing.", 0, text.length);
  if (NUMBER.test(text) && Number.isFinite(Number(text)))
    return { ok: true, quantity: { value: cleaned(Number(text)), dimension: PLAIN }, computed: false };
  const { source, origin } = normalised(text);
  let tree: MathNode;
  try {
    tree = parse(source);
  } catch (error) {
    const at = originalOffset(origin, ((error as { char?: number }).char ?? 1) - 1, text.length);
    return problem(
      "syntax",
      syntaxMessage(error, text, at),
      Math.min(at, text.length - 1),
      Math.min(at + 1, text.length),
    );
  }
  try {
    const counter = { left: MAX_NODES };
    const quantity = walk(tree, counter);
    if (!Number.isFinite(quantity.value))
      return problem(
        "not-finite",
        Number.isNaN(quantity.value) ? "Not a number." : "Too large to be represented.",
        0,
        text.length,
      );
    return {
      ok: true,
      quantity: { ...quantity, value: cleaned(quantity.value) },
      computed: counter.left < MAX_NODES - 1,
    };
  } catch (error) {
    if (!(error instanceof Refusal)) return problem("syntax", "Cannot be read as a number.", 0, text.length);
    const [start, end] = locate(text, error.about);
    return problem(error.code, error.message, start, end);
  }
}

/** `0.1 * 30` is meant to be 3 and `8.2B` 8200000000: what binary rounding leaves in the last digit is taken away. */
function cleaned(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** Reads an expression that must measure one of the given dimensions; a plain number is taken as the first when `bare` allows it. */
export function readQuantity(text: string, wanted: readonly Dimension[]): ExpressionResult {
  const result = readExpression(text);
  if (!result.ok || wanted.some((dimension) => sameDimension(dimension, result.quantity.dimension))) return result;
  const names = wanted.map(describeDimension).join(" or ");
  return problem("unit", `Expected ${names}, found ${describeDimension(result.quantity.dimension)}.`, 0, text.length);
}

function problem(code: ExpressionProblem["code"], message: string, start: number, end: number): ExpressionResult {
  return { ok: false, problem: { code, message, start: Math.max(0, start), end } };
}

function walk(node: MathNode, counter: { left: number }): Quantity {
  if (--counter.left < 0) throw new Refusal("not-allowed", "Too many operations.");
  const at = node as unknown as {
    readonly type: string;
    readonly value?: unknown;
    readonly name?: string;
    readonly fn?: unknown;
    readonly args?: readonly MathNode[];
    readonly content?: MathNode;
  };
  switch (at.type) {
    case "ConstantNode":
      if (typeof at.value !== "number")
        throw new Refusal("not-allowed", "Only numbers are allowed here.", String(at.value));
      return { value: at.value, dimension: PLAIN };
    case "ParenthesisNode":
      return walk(at.content as MathNode, counter);
    case "SymbolNode": {
      const name = at.name ?? "";
      const unit = unitNamed(name);
      if (unit !== undefined) return { value: unit.factor, dimension: unit.dimension };
      const suggestion = nearest(name, unitNames());
      throw new Refusal(
        "unknown-name",
        `\`${name}\` is not a unit${suggestion === undefined ? "." : `; did you mean \`${suggestion}\`?`}`,
        name,
      );
    }
    case "OperatorNode":
      return operate(
        String(at.fn),
        (at.args ?? []).map((arg) => walk(arg, counter)),
      );
    case "FunctionNode":
      return call(
        functionName(at.fn),
        (at.args ?? []).map((arg) => walk(arg, counter)),
      );
    default:
      throw new Refusal("not-allowed", `${describeNode(at.type)} is not allowed in a budget.`);
  }
}

function operate(fn: string, args: readonly Quantity[]): Quantity {
  const [a, b] = args;
  switch (fn) {
    case "add":
    case "subtract":
      if (!sameDimension(a.dimension, b.dimension)) {
        throw new Refusal(
          "unit",
          `${describeDimension(a.dimension)} and ${describeDimension(b.dimension)} cannot be added.`,
        );
      }
      return { value: fn === "add" ? a.value + b.value : a.value - b.value, dimension: a.dimension };
    case "multiply":
      return { value: a.value * b.value, dimension: multiplied(a.dimension, b.dimension) };
    case "divide":
      return { value: a.value / b.value, dimension: multiplied(a.dimension, b.dimension, -1) };
    case "pow":
      if (!sameDimension(b.dimension, PLAIN)) throw new Refusal("unit", "An exponent has no unit.", "^");
      if (!sameDimension(a.dimension, PLAIN))
        throw new Refusal("unit", "A quantity with a unit cannot be raised to a power.", "^");
      return { value: a.value ** b.value, dimension: PLAIN };
    case "mod":
      if (!sameDimension(a.dimension, PLAIN) || !sameDimension(b.dimension, PLAIN))
        throw new Refusal("unit", "A remainder has no unit.", "%");
      return { value: a.value % b.value, dimension: PLAIN };
    case "unaryMinus":
      return { value: -a.value, dimension: a.dimension };
    case "unaryPlus":
      return a;
    default:
      throw new Refusal("not-allowed", `The operation \`${fn}\` is not allowed in a budget.`);
  }
}

function call(name: string, args: readonly Quantity[]): Quantity {
  const compute = FUNCTIONS.get(name);
  if (compute === undefined) {
    const suggestion = nearest(name, [...FUNCTIONS.keys()]);
    throw new Refusal(
      "unknown-name",
      `\`${name}\` is not a function here${suggestion === undefined ? "." : `; did you mean \`${suggestion}\`?`}`,
      name,
    );
  }
  if (args.length === 0 || (args.length > 1 && name !== "min" && name !== "max"))
    throw new Refusal(
      "syntax",
      `\`${name}\` takes ${name === "min" || name === "max" ? "at least one value" : "one value"}.`,
      name,
    );
  const dimension = args[0].dimension;
  if (!args.every((arg) => sameDimension(arg.dimension, dimension)))
    throw new Refusal("unit", `\`${name}\` wants values of the same unit.`, name);
  if (!KEEPS_UNIT.has(name) && !sameDimension(dimension, PLAIN))
    throw new Refusal("unit", `\`${name}\` wants a plain number.`, name);
  return { value: compute(...args.map((arg) => arg.value)), dimension };
}

function functionName(fn: unknown): string {
  if (typeof fn === "string") return fn;
  return (fn as { readonly name?: string } | undefined)?.name ?? "";
}

function describeNode(type: string): string {
  const names: Readonly<Record<string, string>> = {
    AssignmentNode: "An assignment",
    FunctionAssignmentNode: "A function definition",
    ArrayNode: "A list",
    ObjectNode: "An object",
    AccessorNode: "Access to a property",
    IndexNode: "An index",
    BlockNode: "More than one expression",
    RangeNode: "A range",
    RelationalNode: "A comparison",
    ConditionalNode: "A condition",
  };
  return names[type] ?? "This";
}

/** Rewrites what people write into what the parser knows, keeping for every character the offset it came from. */
function normalised(text: string): { readonly source: string; readonly origin: readonly number[] } {
  let source = "";
  const origin: number[] = [];
  const put = (characters: string, at: number): void => {
    for (const character of characters) {
      source += character;
      origin.push(at);
    }
  };
  const rewrites = /(?<=\d)_(?=\d)|\*\*|\$|GPU[- ·*]?h(?:ours?|rs?)?\b/gi;
  let from = 0;
  for (const match of text.matchAll(rewrites)) {
    for (let i = from; i < match.index; i++) put(text[i], i);
    from = match.index + match[0].length;
    if (match[0] === "_") continue;
    if (match[0] === "**") put("^", match.index);
    else if (match[0] === "$") put(" USD ", match.index);
    else put("GPUh", match.index);
  }
  for (let i = from; i < text.length; i++) put(text[i], i);
  return {
    source: source.replace(/^ USD\s*([\d.eE+]+)/, (all, digits: string) => `${digits} USD`.padEnd(all.length)),
    origin,
  };
}

function originalOffset(origin: readonly number[], index: number, length: number): number {
  return index >= origin.length ? length : origin[Math.max(0, index)];
}

function syntaxMessage(error: unknown, text: string, at: number): string {
  if (at >= text.length) return "The expression ends too early.";
  const message = error instanceof Error ? error.message : "";
  if (/Unexpected part|Parenthesis|expected/i.test(message)) return message.replace(/\s*\(char \d+\)\s*$/, "") + ".";
  return "Cannot be read as an expression.";
}

function locate(text: string, about: string | undefined): readonly [number, number] {
  if (about === undefined || about === "") return [0, text.length];
  const at = text.indexOf(about);
  return at < 0 ? [0, text.length] : [at, at + about.length];
}
