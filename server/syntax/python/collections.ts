import type { MapEntry, TreeNode } from "../tree";
import { listNode, mapNode } from "../nodes";
import { childOf, type PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";

/** A list, tuple or set that is written out. */
export function evaluateList(evaluation: Evaluation, node: PyNode): TreeNode {
  const items: TreeNode[] = [];
  for (const child of node.children) {
    if (child.type !== "list_splat") items.push(evaluation.value(child));
    else {
      const inner = child.children[0] ? evaluation.value(child.children[0]) : undefined;
      if (inner?.kind !== "list") return evaluation.unknown(node, "it holds a list that is only known in a run");
      items.push(...inner.items);
    }
  }
  return listNode(items, spanOf(node));
}

export function evaluateDictionary(evaluation: Evaluation, node: PyNode): TreeNode {
  const entries: MapEntry[] = [];
  for (const child of node.children) {
    if (child.type === "dictionary_splat") {
      entries.push(...evaluateSplat(evaluation, child));
      continue;
    }
    const [key, value] = [childOf(child, "key"), childOf(child, "value")];
    if (!key || !value) continue;
    const name = evaluation.value(key);
    if (name.kind === "scalar")
      entries.push({ key: String(name.value), keySpan: spanOf(key), value: evaluation.value(value) });
  }
  return mapNode(entries, spanOf(node));
}

/** The entries of `**value`; an entry `**` that is unknown where they are not in the text. */
export function evaluateSplat(evaluation: Evaluation, node: PyNode): readonly MapEntry[] {
  const inner = node.children[0];
  const value = inner ? evaluation.value(inner) : undefined;
  // What a call gives has its arguments as entries: they are not those of the dict.
  if (value?.kind === "map" && value.callee === undefined) return value.entries;
  return [
    {
      key: "**",
      keySpan: spanOf(node),
      value: evaluation.unknown(node, `\`${evaluation.slice(node)}\` is only known in a run`),
    },
  ];
}

/** A comprehension: one item, and how many there are where that is known. */
export function evaluateComprehension(evaluation: Evaluation, node: PyNode): TreeNode {
  const body = childOf(node, "body");
  const clauses = node.children.filter((child) => child.type === "for_in_clause");
  if (!body) return evaluation.unknown(node, "it is not complete");
  const over =
    clauses.length === 1 && !node.children.some((child) => child.type === "if_clause")
      ? childOf(clauses[0], "right")
      : null;
  const list = over ? evaluation.value(over) : undefined;
  const count = list?.kind === "list" ? (list.count ?? list.items.length) : undefined;
  // How many there are is only known in a run; what each is may still be asked for.
  if (count === undefined)
    return {
      ...mapNode([{ key: "each", keySpan: spanOf(body), value: evaluation.value(body) }], spanOf(node)),
      callee: "comprehension",
    };
  return { kind: "list", items: [evaluation.value(body)], span: spanOf(node), count };
}
