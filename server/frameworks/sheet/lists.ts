import { isKnown, known, unknown } from "../../budget/budget";
import type { TreeNode } from "../../syntax/tree";
import type { Config } from "./config";
import type { Read } from "./sheet";
import { number } from "./reads";

/** The first of the paths at which a list (or a single table) stands, with its items. */
export function listAt(
  config: Config,
  paths: readonly string[],
): { readonly path: string; readonly items: readonly TreeNode[]; readonly single: boolean } | undefined {
  for (const path of paths) {
    const node = config.peek(path)?.node;
    if (node?.kind === "list") return { path, items: node.items, single: false };
    if (node?.kind === "map" && node.entries.length > 0) return { path, items: [node], single: true };
  }
  return undefined;
}

/** How many tables a list has; every one becomes a site. */
export function countTables(paths: readonly string[], keep: (item: TreeNode) => boolean = () => true): Read<number> {
  return (config) => {
    const list = listAt(config, paths);
    if (!list) return undefined;
    const found = config.find(list.path);
    const value = list.items.filter(keep).length;
    if (value === 0) return undefined;
    return known(value, "config", {
      ...(found ? { span: found.keySpan } : {}),
      ...(found?.node.file ? { file: found.node.file } : {}),
      note: `counted in \`${list.path}\``,
    });
  };
}

/**
 * A number that the items of a list may each override: what they agree on, under what holds for those that say nothing.
 * Undefined when neither states it; unknown when they differ.
 */
export function agreed(lists: readonly string[], inner: readonly string[], shared: Read<number>): Read<number> {
  return (config) => {
    const list = listAt(config, lists);
    const common = shared(config);
    if (!list || list.items.length === 0) return common;
    const base = list.single ? [list.path] : list.items.map((_, index) => `${list.path}.${index}`);
    const own = base.map((path) => number(inner.map((key) => `${path}.${key}`))(config));
    if (own.every((fact) => fact === undefined)) return common;
    const facts = own.map((fact) => fact ?? common);
    const [first] = facts;
    if (first && isKnown(first) && facts.every((fact) => fact && isKnown(fact) && fact.value === first.value))
      return first;
    return unknown(
      `it differs between the entries of \`${list.path}\`: ${facts.map((fact) => (fact && isKnown(fact) ? fact.value : "?")).join(", ")}`,
    );
  };
}
