import { listNode, mapNode, scalar } from "../nodes";
import type { MapNode, TreeNode } from "../tree";
import { pythonText, roundHalfEven, truthy } from "./arithmetic";
import type { PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";

/** What a function that Python brings makes of plain values; undefined for others. `made` holds the arguments by name and place. */
export function builtin(evaluation: Evaluation, name: string, made: MapNode, node: PyNode): TreeNode | undefined {
  const values = made.entries.filter((e) => /^\d+$/.test(e.key)).map((e) => e.value);
  const [first] = values;
  const computed = (value: string | number | boolean): TreeNode =>
    scalar(value, evaluation.slice(node), spanOf(node), { editable: false, via: `\`${evaluation.slice(node)}\`` });
  switch (name) {
    case "range":
      return range(values, node);
    case "dict":
      return first?.kind === "map"
        ? mapNode([...first.entries, ...made.entries.filter((e) => e.key !== "0")], spanOf(node))
        : first
          ? undefined
          : mapNode(made.entries, spanOf(node));
    case "list":
    case "tuple":
    case "set":
    case "sorted":
      return first === undefined
        ? listNode([], spanOf(node))
        : first.kind === "list" || first.kind === "unknown"
          ? first
          : undefined;
    case "len":
      if (first?.kind === "list") return computed(first.count ?? first.items.length);
      return first?.kind === "unknown"
        ? first
        : first?.kind === "map" && first.callee === undefined
          ? computed(first.entries.length)
          : undefined;
    case "int":
    case "float":
    case "str":
    case "bool":
      return converted(evaluation, name, first, node);
    case "min":
    case "max":
    case "sum": {
      const items = values.length === 1 && first.kind === "list" && first.count === undefined ? first.items : values;
      const numbers = items.flatMap((item) =>
        item.kind === "scalar" && typeof item.value === "number" ? [item.value] : [],
      );
      if (numbers.length !== items.length || numbers.length === 0) return items.find((item) => item.kind === "unknown");
      return computed(
        name === "min"
          ? Math.min(...numbers)
          : name === "max"
            ? Math.max(...numbers)
            : numbers.reduce((a, b) => a + b, 0),
      );
    }
    case "abs":
    case "round":
    case "ceil":
    case "floor": {
      if (first?.kind !== "scalar" || typeof first.value !== "number")
        return first?.kind === "unknown" ? first : undefined;
      if (values.length > 1) return undefined;
      return computed(name === "round" ? roundHalfEven(first.value) : Math[name](first.value));
    }
    default:
      return undefined;
  }
}

/** A conversion of a literal keeps the literal's place: that is what one would edit. */
function converted(
  evaluation: Evaluation,
  name: string,
  value: TreeNode | undefined,
  node: PyNode,
): TreeNode | undefined {
  if (value === undefined || value.kind === "unknown") return value;
  if (value.kind !== "scalar") return undefined;
  if (name === "str") return { ...value, value: pythonText(value.value) };
  if (name === "bool") return { ...value, value: truthy(value.value) };
  const number =
    typeof value.value === "string"
      ? /^\s*[-+]?[\d_.]+(e[-+]?\d+)?\s*$/i.test(value.value)
        ? Number(value.value.replaceAll("_", ""))
        : Number.NaN
      : Number(value.value);
  if (value.value === null || !Number.isFinite(number))
    return evaluation.unknown(node, `\`${evaluation.slice(node)}\` cannot be computed`);
  return { ...value, value: name === "int" ? Math.trunc(number) : number };
}

/** `range(3)`: its length; from a start that only a run knows (`range(await get_step(), 100)`) still the end, as an object. */
function range(values: readonly TreeNode[], node: PyNode): TreeNode | undefined {
  const numbers = values.map((value) =>
    value.kind === "scalar" && typeof value.value === "number" ? value.value : null,
  );
  if (numbers.length === 0 || numbers.length > 3 || numbers.includes(null)) return undefined;
  const [start, stop, step] =
    numbers.length === 1
      ? [0, numbers[0] as number, 1]
      : [numbers[0] as number, numbers[1] as number, (numbers[2] ?? 1) as number];
  if (step === 0) return undefined;
  const [first] = values;
  return {
    kind: "list",
    items: [],
    span: spanOf(node),
    count: Math.max(0, Math.ceil((stop - start) / step)),
    ...(values.length === 1 && first.kind === "scalar" && { counted: first }),
  };
}
