import { readExpression } from "../../syntax/quantity/expression";
import { listNode, scalar, unknownNode } from "../../syntax/nodes";
import { resolvePlain } from "../../syntax/yaml/plainScalar";
import type { TreeNode } from "../../syntax/tree";
import { sameDimension } from "../../syntax/quantity/units";

export interface ResolverContext {
  /** The value of an argument: a literal, or a nested `${…}`. */
  value(text: string): TreeNode;
  /** The node under a key; undefined where nothing stands. */
  select(key: string): TreeNode | undefined;
}

const NOWHERE = { start: 0, end: 0 } as const;

/** Arithmetic resolvers that frameworks register; each takes two numbers or more, or the numbers of one list. */
const ARITHMETIC: Readonly<Record<string, (values: readonly number[]) => number>> = {
  mul: product,
  multiply: product,
  prod: product,
  times: product,
  sum: total,
  add: total,
  plus: total,
  sub: ([first, ...rest]) => first - total(rest),
  subtract: ([first, ...rest]) => first - total(rest),
  minus: ([first, ...rest]) => first - total(rest),
  div: ([first, ...rest]) => first / product(rest),
  divide: ([first, ...rest]) => first / product(rest),
  floordiv: ([first, ...rest]) => Math.floor(first / product(rest)),
  int_div: ([first, ...rest]) => Math.floor(first / product(rest)),
  intdiv: ([first, ...rest]) => Math.floor(first / product(rest)),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  pow: ([base, exponent]) => base ** exponent,
};

function product(values: readonly number[]): number {
  return values.reduce((result, value) => result * value, 1);
}

function total(values: readonly number[]): number {
  return values.reduce((result, value) => result + value, 0);
}

/** The value of `${name:args}`. What only a run can know is unknown, with its reason. */
export function resolveCall(name: string, args: readonly string[], context: ResolverContext): TreeNode {
  switch (name) {
    case "oc.env":
    case "env":
      return environmentVariable(args, context);
    case "oc.select":
      return (
        context.select(literal(args[0])) ??
        (args.length > 1
          ? context.value(args[1])
          : unknownNode(`\`${literal(args[0])}\` stands nowhere and has no default`, NOWHERE))
      );
    case "oc.decode":
    case "oc.create": {
      const value = context.value(args[0] ?? "");
      return value.kind === "scalar" && typeof value.value === "string"
        ? { ...value, value: resolvePlain(value.value, "1.2").value }
        : value;
    }
    case "oc.deprecated":
      return context.select(literal(args[0])) ?? unknownNode(`\`${literal(args[0])}\` stands nowhere`, NOWHERE);
    case "oc.dict.keys": {
      const map = context.select(literal(args[0]));
      return map?.kind === "map"
        ? listNode(
            map.entries.map((entry) => scalar(entry.key, entry.key, entry.keySpan, { editable: false })),
            NOWHERE,
          )
        : unknownNode("its keys are not known here", NOWHERE);
    }
    case "oc.dict.values": {
      const map = context.select(literal(args[0]));
      return map?.kind === "map"
        ? listNode(
            map.entries.map((entry) => entry.value),
            NOWHERE,
          )
        : unknownNode("its values are not known here", NOWHERE);
    }
    case "eval":
      return evaluated(args, context);
    case "int":
    case "to_int":
      return converted(args, context, Math.trunc);
    case "round":
      return converted(args, context, Math.round);
    case "float":
      return converted(args, context, (value) => value);
    case "len": {
      const list = context.value(args[0] ?? "");
      return list.kind === "list"
        ? scalar(list.items.length, String(list.items.length), NOWHERE)
        : unknownNode("its length is not known here", NOWHERE);
    }
    case "now":
    case "hydra":
      return unknownNode("it is only known when the run starts", NOWHERE);
  }
  const compute = ARITHMETIC[name];
  if (compute === undefined)
    return unknownNode(`the resolver \`${name}\` is code of the framework; its value is not known here`, NOWHERE);
  return arithmetic(name, compute, args, context);
}

function literal(text: string | undefined): string {
  return (text ?? "").trim().replace(/^(["'])(.*)\1$/, "$2");
}

/** The variable of whoever starts the run is not known here; its default is what holds where it is not set. */
function environmentVariable(args: readonly string[], context: ResolverContext): TreeNode {
  const name = literal(args[0]);
  if (args.length < 2)
    return unknownNode(`it depends on the environment variable ${name}, which has no default here`, NOWHERE);
  const value = context.value(args.slice(1).join(","));
  return value.kind === "scalar" ? { ...value, via: `the default of ${name}` } : value;
}

function arithmetic(
  name: string,
  compute: (values: readonly number[]) => number,
  args: readonly string[],
  context: ResolverContext,
): TreeNode {
  const nodes = args.map((arg) => context.value(arg)).flatMap((node) => (node.kind === "list" ? node.items : [node]));
  const values: number[] = [];
  for (const node of nodes) {
    if (node.kind === "unknown") return node;
    const value = node.kind === "scalar" ? Number(node.value) : NaN;
    if (node.kind !== "scalar" || node.value === null || Number.isNaN(value))
      return unknownNode(`\`${name}\` is given something that is no number`, NOWHERE);
    values.push(value);
  }
  if (values.length === 0) return unknownNode(`\`${name}\` is given nothing`, NOWHERE);
  return finite(compute(values), name);
}

function converted(args: readonly string[], context: ResolverContext, convert: (value: number) => number): TreeNode {
  const node = context.value(args[0] ?? "");
  if (node.kind !== "scalar") return node.kind === "unknown" ? node : unknownNode("it is no number", NOWHERE);
  return finite(convert(Number(node.value)), "the conversion");
}

/** `${eval:'${a} * 2'}`: the expression is read by our own restricted reader, never evaluated as code. */
function evaluated(args: readonly string[], context: ResolverContext): TreeNode {
  const node = context.value(args.join(","));
  if (node.kind !== "scalar") return node.kind === "unknown" ? node : unknownNode("it is no expression", NOWHERE);
  const floored = String(node.value).replace(/\/\//g, "/");
  const result = readExpression(floored);
  if (!result.ok || !sameDimension(result.quantity.dimension, {}))
    return unknownNode(`\`${String(node.value)}\` would have to be executed`, NOWHERE);
  return finite(floored === String(node.value) ? result.quantity.value : Math.floor(result.quantity.value), "eval");
}

function finite(value: number, name: string): TreeNode {
  return Number.isFinite(value)
    ? scalar(value, String(value), NOWHERE)
    : unknownNode(`\`${name}\` gives no finite number`, NOWHERE);
}
