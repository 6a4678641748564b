import type { TreeNode } from "../tree";
import { entryOf, listNode, mapNode, scalar } from "../nodes";
import { binary, compare } from "./arithmetic";
import { childOf, childrenOf, descendants, type PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";

/** The value of an operator with its operands. */
export function evaluateOperator(evaluation: Evaluation, node: PyNode): TreeNode {
  if (node.type === "comparison_operator") return comparison(evaluation, node);
  if (node.type === "not_operator" || node.type === "unary_operator") {
    const argument = childOf(node, "argument");
    if (!argument) return evaluation.unknown(node, "it is not complete");
    if (node.type === "not_operator") {
      const truth = evaluation.truth(argument);
      return truth === null
        ? evaluation.unknown(node, "it would have to be executed")
        : scalar(!truth, evaluation.slice(node), spanOf(node), { editable: false });
    }
    const value = evaluation.value(argument);
    const sign = evaluation.text[node.start] === "-" ? -1 : evaluation.text[node.start] === "+" ? 1 : null;
    if (value.kind !== "scalar" || typeof value.value !== "number" || sign === null)
      return value.kind === "unknown" ? value : evaluation.unknown(node, "it would have to be executed");
    return scalar(sign * value.value, evaluation.slice(node), spanOf(node), {
      editable: argument.type !== "identifier",
    });
  }
  const [left, operator, right] = [childOf(node, "left"), childOf(node, "operator"), childOf(node, "right")];
  if (!left || !operator || !right) return evaluation.unknown(node, "it is not complete");
  const sign = evaluation.slice(operator);
  if (node.type === "boolean_operator") {
    const truth = evaluation.truth(left);
    if (truth === null) {
      const other = evaluation.value(right);
      return evaluation.unknown(
        node,
        other.kind === "unknown" ? other.reason : `\`${evaluation.slice(left)}\` is only known in a run`,
      );
    }
    return evaluation.value(truth === (sign === "or") ? left : right);
  }
  return operate(evaluation, sign, evaluation.value(left), evaluation.value(right), node);
}

/** `left sign right`, for constants, lists and dicts. */
export function operate(evaluation: Evaluation, sign: string, left: TreeNode, right: TreeNode, node: PyNode): TreeNode {
  // Only paths are divided by a text. Where the folder is known in a run only, what follows it still names the file.
  if (sign === "/" && right.kind === "scalar" && typeof right.value === "string") {
    const folder = folderOf(left);
    return scalar(
      folder === undefined ? right.value : `${folder.replace(/\/$/, "")}/${right.value}`,
      evaluation.slice(node),
      spanOf(node),
      { editable: false, via: `\`${evaluation.slice(node)}\`` },
    );
  }
  if (left.kind === "unknown") return left;
  if (right.kind === "unknown") return right;
  if (sign === "*" && (left.kind === "list") !== (right.kind === "list")) {
    const [list, times] = left.kind === "list" ? [left, right] : [right, left];
    if (list.kind === "list" && times.kind === "scalar" && typeof times.value === "number") {
      return { ...list, span: spanOf(node), count: (list.count ?? list.items.length) * Math.max(0, times.value) };
    }
  }
  if (sign === "+" && left.kind === "list" && right.kind === "list") {
    const count = (left.count ?? left.items.length) + (right.count ?? right.items.length);
    return { ...listNode([...left.items, ...right.items], spanOf(node)), count };
  }
  if (sign === "|" && left.kind === "map" && right.kind === "map")
    return mapNode([...left.entries, ...right.entries], spanOf(node));
  const value = left.kind === "scalar" && right.kind === "scalar" ? binary(sign, left.value, right.value) : undefined;
  if (value === undefined) return evaluation.unknown(node, "it would have to be executed");
  return scalar(value, evaluation.slice(node), spanOf(node), {
    editable: isLiteral(node),
    ...(isLiteral(node) ? {} : { via: `\`${evaluation.slice(node)}\`` }),
  });
}

/** `Path("models")`, or what another path came to. */
function folderOf(node: TreeNode): string | undefined {
  const text =
    node.kind === "map" && /(^|\.)(Pure|Posix)?Path$/.test(node.callee ?? "") ? entryOf(node, "0")?.value : node;
  return text?.kind === "scalar" && typeof text.value === "string" ? text.value : undefined;
}

function comparison(evaluation: Evaluation, node: PyNode): TreeNode {
  const operands = node.children.filter((child) => child.field !== "operators");
  const operators = childrenOf(node, "operators").map((operator) => evaluation.slice(operator).replace(/\s+/g, " "));
  if (operands.length !== 2) return evaluation.unknown(node, "it would have to be executed");
  const [left, right] = operands.map((operand) => evaluation.value(operand));
  const operator = operators.join(" ");
  if (
    left.kind === "scalar" &&
    (operator === "in" || operator === "not in") &&
    (right.kind === "list" || right.kind === "map")
  ) {
    const items =
      right.kind === "list" ? right.items : right.entries.map((entry) => scalar(entry.key, entry.key, entry.keySpan));
    if (right.kind === "list" && (right.count ?? items.length) !== items.length)
      return evaluation.unknown(node, "it would have to be executed");
    const known = items.every((item) => item.kind === "scalar");
    const found = items.some((item) => item.kind === "scalar" && item.value === left.value);
    if (found || known)
      return scalar(found === (operator === "in"), evaluation.slice(node), spanOf(node), { editable: false });
  }
  if (
    (operator === "is" || operator === "is not") &&
    left.kind !== "unknown" &&
    right.kind === "scalar" &&
    right.value === null &&
    left.kind !== "scalar"
  ) {
    return scalar(operator === "is not", evaluation.slice(node), spanOf(node), { editable: false });
  }
  const value =
    left.kind === "scalar" && right.kind === "scalar" ? compare(operator, left.value, right.value) : undefined;
  return value === undefined
    ? evaluation.unknown(node, "it would have to be executed")
    : scalar(value, evaluation.slice(node), spanOf(node), { editable: false });
}

/** True where an expression is made of literals alone, so that writing a number in its place changes nothing else. */
function isLiteral(node: PyNode): boolean {
  for (const inner of descendants(node, "identifier", "attribute", "call", "subscript")) if (inner) return false;
  return true;
}
