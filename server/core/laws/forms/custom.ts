import { create, derivativeDependencies, parseDependencies } from "mathjs/number";
import type { MathNode } from "mathjs/number";
import type { AxisName } from "../../axes";
import { ok, refused, type Result } from "../../result";
import type { LawContext, Model, Parameter, ParameterRole } from "../model";

/** A law written by hand: an expression over axis names (raw levels) and the parameters named here, giving the error or the loss. */
export interface CustomLaw {
  readonly expression: string;
  readonly parameters: Readonly<Record<string, { readonly low: number; readonly high: number }>>;
}

type Symbolic = Pick<ReturnType<typeof create>, "parse" | "derivative">;
let made: Symbolic | undefined;

/** Made for the first law that is written by hand. */
const symbolic = (): Symbolic => (made ??= create({ parseDependencies, derivativeDependencies }, {}));

/** Only these are ever called: mathjs is used to read and differentiate, never to evaluate. */
const FUNCTIONS: Readonly<Record<string, (...args: number[]) => number>> = {
  exp: Math.exp,
  log: Math.log,
  log10: Math.log10,
  sqrt: Math.sqrt,
  abs: Math.abs,
  tanh: Math.tanh,
  cosh: Math.cosh,
  sign: Math.sign,
  pow: Math.pow,
};

type Compiled = (values: ArrayLike<number>) => number;

/** How deep an expression may nest, and how long it may be: both bound the recursion here and in mathjs. */
const LIMIT = { length: 2000, depth: 60 };

/**
 * Compiles a custom law and its gradient to closures.
 * Codes: `law.custom-missing`, `law.custom-syntax`, `law.custom-symbol`, `law.custom-bounds`, `law.custom-derivative`.
 */
export function customModel(law: CustomLaw | undefined, axes: readonly AxisName[], context: LawContext): Result<Model> {
  if (!law) return refused("law.custom-missing", "A custom law needs its expression and the bounds of its parameters.");
  const names = Object.keys(law.parameters);
  for (const name of names) {
    const { low, high } = law.parameters[name];
    if (!Number.isFinite(low) || !Number.isFinite(high) || low >= high)
      return refused("law.custom-bounds", `The bounds of ${name} are not two rising numbers.`);
    if (axes.includes(name)) return refused("law.custom-bounds", `${name} is both an axis and a parameter.`);
  }
  if (law.expression.length > LIMIT.length)
    return refused("law.custom-syntax", `The expression is longer than ${LIMIT.length} characters.`);
  const position = new Map([...axes, ...names].map((name, i) => [name, i] as const));
  let value: Compiled;
  const gradients: Compiled[] = [];
  try {
    const math = symbolic();
    const tree = math.parse(law.expression);
    const made = compile(tree, position, 0);
    if (typeof made === "string") return refused("law.custom-symbol", made);
    value = made;
    for (const name of [...axes, ...names]) {
      const slope = compile(math.derivative(tree, name, { simplify: false }), position, 0);
      if (typeof slope === "string")
        return refused("law.custom-derivative", `The derivative by ${name} cannot be used: ${slope}`);
      gradients.push(slope);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    return /derivative/.test(why)
      ? refused("law.custom-derivative", `The expression has no derivative that can be worked out: ${why}.`)
      : refused("law.custom-syntax", `The expression cannot be read: ${why}`);
  }
  const used = new Set<string>();
  for (const name of position.keys())
    if (new RegExp(`(^|[^A-Za-z0-9_])${name.replace(/[^A-Za-z0-9_]/g, "\\$&")}($|[^A-Za-z0-9_])`).test(law.expression))
      used.add(name);
  const idle = names.find((name) => !used.has(name));
  if (idle !== undefined)
    return refused("law.custom-symbol", `The parameter ${idle} does not occur in the expression.`);

  const k = axes.length;
  const logs = names.map(
    (name) => law.parameters[name].low > 0 && law.parameters[name].high / law.parameters[name].low > 100,
  );
  const parameters = names.map((name, i): Parameter => {
    const { low, high } = law.parameters[name];
    const axis = name.startsWith("alpha_") && axes.includes(name.slice(6)) ? name.slice(6) : undefined;
    const role: ParameterRole = logs[i]
      ? "log-shape"
      : axis !== undefined
        ? "exponent"
        : name === "E"
          ? "floor"
          : "shape";
    return {
      name,
      role,
      ...(axis === undefined ? {} : { axis }),
      low: logs[i] ? Math.log(low) : low,
      high: logs[i] ? Math.log(high) : high,
    };
  });
  const logCentre = axes.map((axis) => Math.log(context.ranges[axis]?.centre ?? 1));
  const values = new Float64Array(k + names.length);
  const floorAt = names.indexOf("E");
  return ok({
    law: "custom",
    variant: null,
    axes,
    parameters,
    evaluate(theta, u, m, e, jacobian, byLevel) {
      for (let p = 0; p < names.length; p++) values[k + p] = logs[p] ? Math.exp(theta[p]) : theta[p];
      for (let i = 0; i < m; i++) {
        for (let a = 0; a < k; a++) values[a] = level(u[a * m + i] + logCentre[a]);
        e[i] = finite(value(values));
        if (jacobian)
          for (let p = 0; p < names.length; p++)
            jacobian[p * m + i] = finite(gradients[k + p](values)) * (logs[p] ? values[k + p] : 1);
        if (byLevel) for (let a = 0; a < k; a++) byLevel[a * m + i] = finite(gradients[a](values)) * values[a];
      }
    },
    floor: (theta) => (floorAt < 0 ? null : logs[floorAt] ? Math.exp(theta[floorAt]) : theta[floorAt]),
    posynomial: () => null,
    projection: null,
    starts: (_u, _m, _y, count, next) =>
      Array.from({ length: count }, () => parameters.map((p) => p.low + (p.high - p.low) * next())),
    natural: (theta) => names.map((_, p) => (logs[p] ? Math.exp(theta[p]) : theta[p])),
  });
}

/** A level from its logarithm; whole where only rounding keeps it from being so, or an expression would never meet the level it divides by. */
function level(log: number): number {
  const value = Math.exp(log),
    whole = Math.round(value);
  return Math.abs(value - whole) <= 1e-12 * whole ? whole : value;
}

/** What a custom law gives where its expression is no finite number: a trial outside its domain is a very bad fit, not a crash. */
export const NOT_FINITE = 1e6;

function finite(x: number): number {
  return Number.isFinite(x) ? x : NOT_FINITE;
}

interface Loose {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly content?: MathNode;
  readonly op?: string;
  readonly args?: readonly MathNode[];
  readonly fn?: { readonly name?: string };
}

/** Walks a whitelist of nodes into a closure; a string says what was not allowed. */
function compile(tree: MathNode, position: ReadonlyMap<string, number>, depth: number): Compiled | string {
  if (depth > LIMIT.depth) return "it nests too deeply.";
  const node = tree as unknown as Loose;
  switch (node.type) {
    case "ConstantNode": {
      const value = Number(node.value);
      return Number.isFinite(value) && typeof node.value === "number"
        ? () => value
        : `${String(node.value)} is not a number.`;
    }
    case "ParenthesisNode":
      return compile(node.content!, position, depth + 1);
    case "SymbolNode": {
      const at = position.get(node.name!);
      if (at !== undefined) return (values) => values[at];
      if (node.name === "pi") return () => Math.PI;
      if (node.name === "e") return () => Math.E;
      return `${node.name} is neither an axis of the runs nor a declared parameter.`;
    }
    case "OperatorNode":
    case "FunctionNode": {
      const args: Compiled[] = [];
      for (const arg of node.args ?? []) {
        const made = compile(arg, position, depth + 1);
        if (typeof made === "string") return made;
        args.push(made);
      }
      return node.type === "OperatorNode" ? operator(node.op!, args) : call(node.fn?.name ?? node.name ?? "", args);
    }
    default:
      return `${node.type.replace(/Node$/, "").toLowerCase()} is not allowed.`;
  }
}

function operator(op: string, args: readonly Compiled[]): Compiled | string {
  const [a, b] = args;
  if (args.length === 1) return op === "-" ? (v) => -a(v) : op === "+" ? a : `the operator ${op} is not allowed.`;
  switch (op) {
    case "+":
      return args.reduce((x, y) => (v) => x(v) + y(v));
    case "*":
      return args.reduce((x, y) => (v) => x(v) * y(v));
    case "-":
      return (v) => a(v) - b(v);
    case "/":
      return (v) => a(v) / b(v);
    case "^":
      return (v) => Math.pow(a(v), b(v));
    default:
      return `the operator ${op} is not allowed.`;
  }
}

function call(name: string, args: readonly Compiled[]): Compiled | string {
  const fn = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!fn) return `the function ${name} is not allowed.`;
  if (name === "log" && args.length === 2) return (v) => Math.log(args[0](v)) / Math.log(args[1](v));
  if (args.length !== (name === "pow" ? 2 : 1)) return `${name} has the wrong number of arguments.`;
  return args.length === 1 ? (v) => fn(args[0](v)) : (v) => fn(args[0](v), args[1](v));
}
