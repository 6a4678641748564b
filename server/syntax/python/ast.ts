import type { Node } from "../treeSitter";

/** A syntax node that outlives the parser's tree: named nodes, and tokens that fill a field (operators). */
export interface PyNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The role in the parent (`left`, `body`, `arguments`), if it has one. */
  readonly field: string | null;
  readonly parent: PyNode | null;
  readonly children: readonly PyNode[];
}

/** Deeper than any code that people write; what lies below is left out. */
const DEEPEST = 250;

export interface PyTree {
  readonly root: PyNode;
  /** Places that the grammar could not read. */
  readonly errors: readonly PyNode[];
  /** Set where nesting was cut off. */
  readonly tooDeep: PyNode | null;
}

type Growing = Omit<PyNode, "children"> & { children: PyNode[] };

/** Copies a parse tree into plain objects, without recursion. */
export function toPlain(root: Node): PyTree {
  const errors: PyNode[] = [];
  let tooDeep: PyNode | null = null;
  const cursor = root.walk();
  // Every question to the cursor crosses into WebAssembly, so each is asked once and only where it matters.
  const { types, fields } = root.tree.language;
  const broken = root.hasError;
  const named = types.map((_, id) => root.tree.language.nodeTypeIsNamed(id));
  const make = (id: number, fieldId: number, start: number, end: number, parent: Growing | null): Growing => ({
    type: types[id] ?? "ERROR",
    start,
    end,
    field: fieldId > 0 ? (fields[fieldId] ?? null) : null,
    parent,
    children: [],
  });
  const top = make(cursor.nodeTypeId, 0, cursor.startIndex, cursor.endIndex, null);
  let here = top;
  let depth = 0;
  const descend = (): boolean => {
    if (!cursor.gotoFirstChild()) return false;
    if (depth >= DEEPEST) {
      tooDeep ??= here;
      cursor.gotoParent();
      return false;
    }
    depth++;
    return true;
  };
  // Depth first: `here` is the copied node whose children the cursor walks through.
  if (descend()) {
    for (;;) {
      const id = cursor.nodeTypeId;
      const fieldId = cursor.currentFieldId;
      const isNamed = named[id] ?? true;
      const start = isNamed || fieldId > 0 ? cursor.startIndex : 0;
      const end = isNamed || fieldId > 0 ? cursor.endIndex : 1;
      const isError = broken && (types[id] === undefined || cursor.nodeIsMissing);
      if (isNamed || fieldId > 0 || isError) {
        const node =
          isNamed || fieldId > 0
            ? make(id, fieldId, start, end, here)
            : make(id, fieldId, cursor.startIndex, cursor.endIndex, here);
        if (isError) errors.push(node);
        if (node.type !== "comment") here.children.push(node);
        here = node;
        if (node.type !== "comment" && descend()) continue;
        here = node.parent as Growing;
      }
      while (!cursor.gotoNextSibling()) {
        if (depth === 0 || !cursor.gotoParent()) return finish();
        depth--;
        if (here.parent === null) return finish();
        here = here.parent as Growing;
      }
    }
  }
  return finish();

  function finish(): PyTree {
    cursor.delete();
    return { root: top, errors, tooDeep };
  }
}

export function childOf(node: PyNode, field: string): PyNode | null {
  return node.children.find((child) => child.field === field) ?? null;
}

export function childrenOf(node: PyNode, field: string): readonly PyNode[] {
  return node.children.filter((child) => child.field === field);
}

/** The nearest enclosing node of one of the types, the node itself left out. */
export function enclosing(node: PyNode, ...types: readonly string[]): PyNode | null {
  for (let at = node.parent; at; at = at.parent) if (types.includes(at.type)) return at;
  return null;
}

/** `a.b.c` for names and attribute chains; null for anything else. */
export function dottedName(node: PyNode, text: string): string | null {
  if (node.type === "identifier") return text.slice(node.start, node.end);
  if (node.type !== "attribute") return null;
  const object = childOf(node, "object");
  const attribute = childOf(node, "attribute");
  const before = object && dottedName(object, text);
  return before && attribute ? `${before}.${text.slice(attribute.start, attribute.end)}` : null;
}

/** The names at the end of a chain, from after its last call: `chat.completions.create` of `client().chat.completions.create`. */
export function dottedTail(node: PyNode, text: string): string | null {
  if (node.type !== "attribute") return dottedName(node, text);
  const [object, attribute] = [childOf(node, "object"), childOf(node, "attribute")];
  if (!object || !attribute) return null;
  const before = dottedTail(object, text);
  const own = text.slice(attribute.start, attribute.end);
  return before ? `${before}.${own}` : own;
}

/** Every node of the given types below `root`, in the order of the text. */
export function* descendants(root: PyNode, ...types: readonly string[]): Generator<PyNode> {
  const stack: PyNode[] = [root];
  while (stack.length > 0) {
    const node = stack.pop() as PyNode;
    if (node !== root && types.includes(node.type)) yield node;
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]);
  }
}
