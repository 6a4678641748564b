import { scalar } from "../nodes";
import type { TreeNode } from "../tree";
import { MAX_TEXT, pythonText } from "./arithmetic";
import type { PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";
import { interpolated, stringParts } from "./literals";

/** A text in quotes; an f-string whose parts are known. */
export function evaluateString(evaluation: Evaluation, node: PyNode): TreeNode {
  const { parts, inner, bytes } = stringParts(node, evaluation.text);
  if (bytes) return evaluation.unknown(node, "it is a bytes literal");
  const formatted = parts.some((part) => typeof part !== "string");
  const value = join(evaluation, parts, node);
  if (typeof value !== "string") return value;
  return scalar(
    value,
    formatted ? value : evaluation.text.slice(inner.start, inner.end),
    spanOf(node),
    formatted ? { editable: false, via: "an f-string" } : {},
  );
}

function join(evaluation: Evaluation, parts: readonly (string | PyNode)[], node: PyNode): string | TreeNode {
  let result = "";
  for (const part of parts) {
    if (typeof part === "string") result += part;
    else {
      const expression = interpolated(part);
      const value = expression && evaluation.value(expression);
      if (!value || value.kind !== "scalar")
        return evaluation.unknown(node, `the text holds \`${evaluation.slice(part)}\`, which only a run knows`);
      result += pythonText(value.value);
    }
    if (result.length > MAX_TEXT + node.end - node.start)
      return evaluation.unknown(node, "the text is too long to follow");
  }
  return result;
}

/** Texts that stand side by side. */
export function evaluateConcatenated(evaluation: Evaluation, node: PyNode): TreeNode {
  let result = "";
  for (const child of node.children) {
    const value = evaluation.value(child);
    if (value.kind !== "scalar") return value;
    result += String(value.value);
    if (result.length > MAX_TEXT + node.end - node.start)
      return evaluation.unknown(node, "the text is too long to follow");
  }
  return scalar(result, evaluation.slice(node), spanOf(node), { editable: false });
}
