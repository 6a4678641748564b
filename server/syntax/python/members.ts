import { entryOf, mapNode } from "../nodes";
import type { TreeNode } from "../tree";
import { childOf, type PyNode } from "./ast";
import { instanceOf, ownField } from "./classes";
import { spanOf, type Evaluation } from "./evaluation";
import { sliceWidth } from "./slices";

/** Marks a scalar as coming through a name, keeping the place where it is written. */
export function through(value: TreeNode, name: string): TreeNode {
  return value.kind === "scalar" && value.via === undefined ? { ...value, via: `\`${name}\`` } : value;
}

/** `object.name`. */
export function evaluateAttribute(evaluation: Evaluation, node: PyNode): TreeNode {
  const [object, attribute] = [childOf(node, "object"), childOf(node, "attribute")];
  if (!object || !attribute) return evaluation.unknown(node, "it is not complete");
  const name = evaluation.slice(attribute);
  const own = ownField(evaluation, object, name, node);
  if (own) return own;
  const definition = object.type === "identifier" ? evaluation.definition(evaluation.slice(object), object) : undefined;
  const value =
    definition?.source.kind === "class"
      ? instanceOf(evaluation, definition.source.definition, null, node)
      : evaluation.value(object);
  return memberOf(evaluation, value, name, node);
}

/** The entry `name` of an object or a dict; where it is not set, unknown. */
export function memberOf(evaluation: Evaluation, value: TreeNode, name: string, at: PyNode): TreeNode {
  if (value.kind === "map") {
    const entry = entryOf(value, name);
    if (entry) return through(entry.value, evaluation.slice(at));
    if (name === "__dict__") return mapNode(value.entries, spanOf(at));
    return evaluation.unknown(
      at,
      value.callee
        ? `\`${name}\` is not among the arguments of \`${value.callee}\``
        : `\`${name}\` is not set in this file`,
    );
  }
  return value.kind === "unknown"
    ? evaluation.unknown(at, `\`${evaluation.slice(at)}\`: ${value.reason}`)
    : evaluation.unknown(at, `\`${evaluation.slice(at)}\` would have to be executed`);
}

/** `value[key]`. */
export function evaluateSubscript(evaluation: Evaluation, node: PyNode): TreeNode {
  const [object, key] = [childOf(node, "value"), childOf(node, "subscript")];
  if (!object || !key) return evaluation.unknown(node, "it is not complete");
  const value = evaluation.value(object);
  if (key.type === "slice") {
    const width = sliceWidth(evaluation, key);
    return width === undefined
      ? evaluation.unknown(node, "a slice of a list would have to be computed")
      : { kind: "list", items: [], span: spanOf(node), count: width };
  }
  const at = evaluation.value(key);
  if (at.kind !== "scalar") return evaluation.unknown(node, "which element is meant is only known in a run");
  if (value.kind === "map") return memberOf(evaluation, value, String(at.value), node);
  if (
    value.kind === "list" &&
    typeof at.value === "number" &&
    (value.count === undefined || value.count === value.items.length)
  ) {
    const item = value.items.at(at.value);
    if (item) return item;
  }
  return value.kind === "unknown" ? value : evaluation.unknown(node, "the element is not in the text");
}
