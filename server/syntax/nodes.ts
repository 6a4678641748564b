import type { ListNode, MapEntry, MapNode, ScalarNode, TreeNode, UnknownNode } from "./tree";
import type { Span } from "./text";

/** Below this depth a tree is not followed: no config is so deep, and recursion must end. */
export const MAX_DEPTH = 128;

export function scalar(
  value: ScalarNode["value"],
  text: string,
  span: Span,
  extra: Partial<Pick<ScalarNode, "via" | "editable" | "whyNot" | "file">> = {},
): ScalarNode {
  return { kind: "scalar", value, text, span, editable: true, ...extra };
}

export function unknownNode(reason: string, span: Span, file?: string): UnknownNode {
  return file === undefined ? { kind: "unknown", reason, span } : { kind: "unknown", reason, span, file };
}

export function mapNode(entries: readonly MapEntry[], span: Span): MapNode {
  return { kind: "map", entries, span };
}

export function listNode(items: readonly TreeNode[], span: Span): ListNode {
  return { kind: "list", items, span };
}

export const EMPTY_MAP: MapNode = { kind: "map", entries: [], span: { start: 0, end: 0 } };

/** The entry that counts for a key: the last one. */
export function entryOf(map: MapNode, key: string): MapEntry | undefined {
  for (let i = map.entries.length - 1; i >= 0; i--) {
    if (map.entries[i].key === key) return map.entries[i];
  }
  return undefined;
}

/** The node at a path of keys and list positions, or undefined where nothing stands. */
export function nodeAt(root: TreeNode, path: readonly (string | number)[]): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    if (node.kind === "map") node = entryOf(node, String(step))?.value;
    else if (node.kind === "list") node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

/** Applies `change` to every scalar, keeping nodes that did not change. */
export function mapScalars(node: TreeNode, change: (node: ScalarNode) => TreeNode): TreeNode {
  switch (node.kind) {
    case "scalar":
      return change(node);
    case "map": {
      let changed = false;
      const entries = node.entries.map((entry) => {
        const value = mapScalars(entry.value, change);
        if (value === entry.value) return entry;
        changed = true;
        return { ...entry, value };
      });
      return changed ? { ...node, entries } : node;
    }
    case "list": {
      let changed = false;
      const items = node.items.map((item) => {
        const value = mapScalars(item, change);
        if (value !== item) changed = true;
        return value;
      });
      return changed ? { ...node, items } : node;
    }
    case "unknown":
      return node;
  }
}

/** The place of a scalar's text within its quotes: `"8"`, `"""8"""` or, in a notebook's file, `\"8\"`. */
export function textSpan({ span, text }: ScalarNode): Span {
  const quote = (span.end - span.start - text.length) / 2;
  return quote > 0 && Number.isInteger(quote) ? { start: span.start + quote, end: span.end - quote } : span;
}

/** What a list holds, changed alike. */
export function partsOf(
  { items, counted }: ListNode,
  change: (node: TreeNode) => TreeNode,
): Pick<ListNode, "items" | "counted"> {
  return { items: items.map(change), ...(counted && { counted: change(counted) as ScalarNode }) };
}

/** A copy of the tree whose places are in another file, where nothing of this document can be edited. */
export function inFile<Node extends TreeNode>(node: Node, file: string): Node {
  const move = (n: TreeNode): TreeNode => {
    if (n.file !== undefined) return n;
    switch (n.kind) {
      case "scalar":
        return { ...n, file, editable: false, whyNot: "it stands in another file" };
      case "map":
        return { ...n, file, entries: n.entries.map((entry) => ({ ...entry, value: move(entry.value) })) };
      case "list":
        return { ...n, file, ...partsOf(n, move) };
      case "unknown":
        return { ...n, file };
    }
  };
  return move(node) as Node;
}

/** A copy of the tree with every place moved. */
export function relocated<Node extends TreeNode>(node: Node, moved: (span: Span) => Span): Node {
  const move = (n: TreeNode): TreeNode => {
    const span = moved(n.span);
    if (n.kind === "map")
      return {
        ...n,
        span,
        entries: n.entries.map(({ key, keySpan, value }) => ({ key, keySpan: moved(keySpan), value: move(value) })),
      };
    if (n.kind === "list") return { ...n, span, ...partsOf(n, move) };
    return n.kind === "scalar" && n.from ? { ...n, span, from: n.from.map(moved) } : { ...n, span };
  };
  return move(node) as Node;
}

/** Plain values, for schema validation. Unknown nodes become `UNKNOWN_VALUE`. */
export function toPlain(node: TreeNode): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "unknown":
      return UNKNOWN_VALUE;
    case "list":
      return node.items.map(toPlain);
    case "map": {
      // A null prototype, so that a key `__proto__` is only a key.
      const result = Object.create(null) as Record<string, unknown>;
      for (const entry of node.entries) result[entry.key] = toPlain(entry.value);
      return result;
    }
  }
}

/** What `toPlain` gives where the text does not say a value: it passes any schema that allows text. */
const UNKNOWN_VALUE = "\u0000unknown";
