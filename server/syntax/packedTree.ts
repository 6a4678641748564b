import type { ListNode, MapEntry, MapNode, ScalarNode, TreeNode, UnknownNode } from "./tree";
import { unknownNode } from "./nodes";
import type { Span } from "./text";

/**
 * Trees as one text, to cross between threads: a copy of thousands of small objects takes longer than reading most files. In the
 * order of the tree, each node is its kind, start and length, then what it holds, then what is rare about it (0 for nothing). What stands
 * in several places (a base config of many experiments) is told once.
 */
export type PackedTrees = string;

const NOTHING = {};
/** Until a node is whole. */
const NONE = unknownNode("", { start: 0, end: 0 });

type Token = string | number | boolean | null | Readonly<Record<string, unknown>>;

const SCALAR = 0;
const MAP = 1;
const LIST = 2;
const UNKNOWN = 3;
const AGAIN = 4;
const OF_SCALAR = new Set(["kind", "span", "value", "text"]);
const OF_MAP = new Set(["kind", "span", "entries"]);
const OF_LIST = new Set(["kind", "span", "items"]);
const OF_UNKNOWN = new Set(["kind", "span", "reason"]);
/** The text of a scalar that is its value. */
const AS_VALUE = 0;

export function packTrees(roots: readonly TreeNode[]): PackedTrees {
  const out: Token[] = [roots.length];
  const told = new Map<TreeNode, number>();
  /** What is rare about a node: its fields but the usual ones. */
  const rest = (node: object, usual: ReadonlySet<string>, odd?: string): void => {
    let extra: Record<string, unknown> | undefined = odd === undefined ? undefined : { odd };
    for (const key in node) {
      const value = (node as Readonly<Record<string, unknown>>)[key];
      if (usual.has(key) || value === undefined || (key === "editable" && value === true)) continue;
      (extra ??= {})[key] = value;
    }
    out.push(extra ?? 0);
  };
  const add = (node: TreeNode): void => {
    const { start, end } = node.span;
    if (node.kind === "map" || node.kind === "list") {
      const before = told.get(node);
      if (before !== undefined) {
        out.push(AGAIN, before);
        return;
      }
      told.set(node, told.size);
    }
    switch (node.kind) {
      case "scalar": {
        const { value, text } = node;
        const odd = typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0));
        out.push(SCALAR, start, end - start, odd ? 0 : value, text === String(value) ? AS_VALUE : text);
        rest(node, OF_SCALAR, odd ? (Object.is(value, -0) ? "-0" : String(value)) : undefined);
        break;
      }
      case "map": {
        out.push(MAP, start, end - start, node.entries.length);
        for (const { key, keySpan, value } of node.entries) {
          out.push(key, keySpan.start, keySpan.end - keySpan.start);
          add(value);
        }
        rest(node, OF_MAP);
        break;
      }
      case "list":
        out.push(LIST, start, end - start, node.items.length);
        for (const item of node.items) add(item);
        rest(node, OF_LIST);
        break;
      case "unknown":
        out.push(UNKNOWN, start, end - start, node.reason);
        rest(node, OF_UNKNOWN);
    }
  };
  for (const root of roots) add(root);
  return JSON.stringify(out);
}

export function unpackTrees(packed: PackedTrees): TreeNode[] {
  const tokens = JSON.parse(packed) as Token[];
  const told: TreeNode[] = [];
  let at = 0;
  const number = (): number => tokens[at++] as number;
  const place = (): Span => {
    const start = number();
    return { start, end: start + number() };
  };
  const rest = (): Readonly<Record<string, unknown>> => {
    const extra = tokens[at++];
    return extra === 0 ? NOTHING : (extra as Readonly<Record<string, unknown>>);
  };
  const read = (): TreeNode => {
    const kind = number();
    if (kind === AGAIN) return told[number()];
    const span = place();
    switch (kind) {
      case SCALAR: {
        const value = tokens[at++] as ScalarNode["value"];
        const said = tokens[at++];
        const text = said === AS_VALUE ? String(value) : (said as string);
        const extra = rest();
        if (extra === NOTHING) return { kind: "scalar", value, text, span, editable: true };
        const { odd, ...more } = extra;
        const number =
          odd === undefined ? {} : { value: Number(odd), text: said === AS_VALUE ? String(Number(odd)) : text };
        return { kind: "scalar", value, text, span, editable: true, ...number, ...more };
      }
      case MAP: {
        const index = told.push(NONE) - 1;
        const entries: MapEntry[] = [];
        for (let left = number(); left > 0; left--) {
          const key = tokens[at++] as string;
          const keySpan = place();
          entries.push({ key, keySpan, value: read() });
        }
        const node: MapNode = { kind: "map", entries, span };
        return (told[index] = withRest(node, rest()));
      }
      case LIST: {
        const index = told.push(NONE) - 1;
        const items: TreeNode[] = [];
        for (let left = number(); left > 0; left--) items.push(read());
        const node: ListNode = { kind: "list", items, span };
        return (told[index] = withRest(node, rest()));
      }
      default: {
        const node: UnknownNode = { kind: "unknown", reason: tokens[at++] as string, span };
        return withRest(node, rest());
      }
    }
  };
  return Array.from({ length: number() }, read);
}

function withRest<Node extends TreeNode>(node: Node, extra: Readonly<Record<string, unknown>>): Node {
  return extra === NOTHING ? node : { ...node, ...extra };
}
