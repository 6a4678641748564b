import type { Span } from "../text";
import type { MapEntry, TreeNode } from "../tree";
import type { PyNode } from "./ast";
import type { Truth } from "./flow";
import type { Binding, Scopes } from "./scopes";

/** What the parts of the evaluator ask of each other. */
export interface Evaluation {
  readonly text: string;
  readonly root: PyNode;
  readonly scopes: Scopes;
  /** Options given on a command line, by their names in code. */
  readonly given: ReadonlyMap<string, TreeNode>;
  slice(node: PyNode): string;
  value(node: PyNode): TreeNode;
  truth(condition: PyNode): Truth;
  unknown(node: PyNode, reason: string): TreeNode;
  /** The function, class or import that a name stands for. */
  definition(name: string, use: PyNode): Binding | undefined;
  /** Whether a statement is reached, seen from `use` (null: from outside). */
  reached(node: PyNode, use: PyNode | null): Truth;
  /** The last of several places that is reached; unknown where only a run decides between different values. */
  lastOf<Item>(
    items: readonly Item[],
    truthOf: (item: Item) => Truth,
    valueOf: (item: Item) => TreeNode,
    at: PyNode,
    what: string,
  ): TreeNode | undefined;
  /** The entries of `**value`. */
  splat(node: PyNode): readonly MapEntry[];
  /** The entry of an object or a dict. */
  member(value: TreeNode, name: string, at: PyNode): TreeNode;
}

export function spanOf(node: PyNode): Span {
  return { start: node.start, end: node.end };
}

export function sameValue(a: TreeNode, b: TreeNode): boolean {
  return a === b || (a.kind === "scalar" && b.kind === "scalar" && a.value === b.value);
}

/** Characters of a text; 0 for anything else. */
export function textLength(value: TreeNode): number {
  return value.kind === "scalar" && typeof value.value === "string" ? value.value.length : 0;
}
