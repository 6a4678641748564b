import { childOf, type PyNode } from "./ast";
import type { Evaluation } from "./evaluation";

/** `constant + Σ factor · term`, terms by their source text. */
interface Linear {
  readonly constant: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** How many items `list[i * stride : (i + 1) * stride]` takes at most, though `i` is not known; undefined where it varies. */
export function sliceWidth(evaluation: Evaluation, slice: PyNode): number | undefined {
  const source = evaluation.slice(slice);
  const colon =
    slice.children.length === 2 && /:/.test(source) && !/::|:.*:/.test(source.replace(/\([^()]*\)|\[[^[\]]*\]/g, ""));
  if (slice.children.length === 1 && /^\s*:[^:]*$/.test(source)) {
    const stop = linear(evaluation, slice.children[0]);
    return stop && stop.terms.size === 0 && stop.constant >= 0 ? stop.constant : undefined;
  }
  if (!colon) return undefined;
  const [start, stop] = slice.children.map((child) => linear(evaluation, child));
  if (!start || !stop) return undefined;
  const difference = add(stop, start, -1);
  return difference.terms.size === 0 && difference.constant >= 0 ? difference.constant : undefined;
}

function linear(evaluation: Evaluation, node: PyNode, depth = 0): Linear | undefined {
  if (depth > 20) return undefined;
  if (node.type === "parenthesized_expression" && node.children[0])
    return linear(evaluation, node.children[0], depth + 1);
  const value = evaluation.value(node);
  if (value.kind === "scalar")
    return typeof value.value === "number" ? { constant: value.value, terms: new Map() } : undefined;
  if (node.type !== "binary_operator") return { constant: 0, terms: new Map([[evaluation.slice(node), 1]]) };
  const [left, operator, right] = [childOf(node, "left"), childOf(node, "operator"), childOf(node, "right")];
  const a = left && linear(evaluation, left, depth + 1);
  const b = right && linear(evaluation, right, depth + 1);
  if (!a || !b || !operator) return undefined;
  switch (evaluation.slice(operator)) {
    case "+":
      return add(a, b, 1);
    case "-":
      return add(a, b, -1);
    case "*":
      return a.terms.size === 0 ? scale(b, a.constant) : b.terms.size === 0 ? scale(a, b.constant) : undefined;
    default:
      return undefined;
  }
}

function scale(value: Linear, factor: number): Linear {
  return {
    constant: value.constant * factor,
    terms: new Map([...value.terms].map(([term, by]) => [term, by * factor])),
  };
}

function add(a: Linear, b: Linear, sign: number): Linear {
  const terms = new Map(a.terms);
  for (const [term, by] of b.terms) {
    const sum = (terms.get(term) ?? 0) + sign * by;
    if (sum === 0) terms.delete(term);
    else terms.set(term, sum);
  }
  return { constant: a.constant + sign * b.constant, terms };
}
