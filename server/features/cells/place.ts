import { entryOf } from "../../syntax/nodes";
import { docAt, type KeyDoc } from "../../configs/schema/describe";
import { QUERY_KEYS } from "../../configs/cells/schema";
import type { MapNode, TreeNode } from "../../syntax/tree";
import { touches } from "../model";

/** Where a caret stands in a cell: in which map, and in the value of which key. */
export interface Place {
  /** Keys from the top down to the map (or the list of maps) that the caret is in. */
  readonly path: readonly string[];
  /** The key whose value is being typed; null where a key is being typed. */
  readonly valueOf: string | null;
  /** Keys that the map has already. */
  readonly present: readonly string[];
  /** Values that the list has already. */
  readonly chosen: readonly string[];
}

/**
 * Reads the place from the text before the caret, because a line that is being typed is rarely valid YAML. Flow maps and lists on
 * one line count as well as indentation.
 */
export function placeAt(text: string, offset: number, root: MapNode | null): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  const line = before[before.length - 1];
  const path = enclosing(before);
  const flow = flowPlace(line);
  const at = flow ? [...path, ...flow.keys] : path;
  const own = flow ? flow.rest : line.replace(/^\s*(- )?/, "");
  const [, key] = /^([\w-]+)\s*:\s/.exec(`${own}`) ?? [];
  const list = flow?.list ?? null;
  const valueOf = list ?? key ?? (/^\s*-\s/.test(line) && isList(path) ? path[path.length - 1] : null);
  const mapPath = list !== null ? at.slice(0, -1) : valueOf !== null && key === undefined ? path.slice(0, -1) : at;
  const map = mapAt(root, mapPath);
  const node = map && valueOf !== null ? entryOf(map, valueOf)?.value : undefined;
  return {
    path: mapPath,
    valueOf,
    present: map?.entries.map((entry) => entry.key) ?? [],
    chosen:
      node?.kind === "list" ? node.items.flatMap((item) => (item.kind === "scalar" ? [String(item.value)] : [])) : [],
  };
}

function isList(path: readonly string[]): boolean {
  const kind = docAt(QUERY_KEYS, path)?.kind;
  return kind === "list";
}

/** Keys of the block maps around the last line, by indentation. */
function enclosing(lines: readonly string[]): string[] {
  const last = lines[lines.length - 1];
  let indent = /^\s*/.exec(last)?.[0].length ?? 0;
  const path: string[] = [];
  for (let i = lines.length - 2; i >= 0 && indent > 0; i--) {
    const match = /^(\s*)(?:- )?([\w-]+)\s*:\s*(?:#.*)?$/.exec(lines[i]);
    if (!match || match[1].length >= indent) continue;
    path.unshift(match[2]);
    indent = match[1].length;
  }
  return path;
}

/** The unclosed braces and brackets of a line: the keys they belong to, and what was typed since the last comma. */
function flowPlace(
  line: string,
): { readonly keys: string[]; readonly rest: string; readonly list: string | null } | null {
  const open: { readonly key: string; readonly bracket: string; start: number }[] = [];
  let quote = "";
  let key = "";
  let word = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote) {
      if (c === quote) quote = "";
      continue;
    }
    if (c === '"' || c === "'") quote = c;
    else if (c === ":") {
      key = word.trim().replace(/^- /, "");
      word = "";
    } else if (c === "{" || c === "[") {
      open.push({ key, bracket: c, start: i + 1 });
      word = "";
      key = "";
    } else if (c === "}" || c === "]") {
      open.pop();
      word = "";
    } else if (c === ",") {
      const inner = open[open.length - 1];
      if (inner) inner.start = i + 1;
      word = "";
    } else word += c;
  }
  const inner = open[open.length - 1];
  if (!inner) return null;
  return {
    keys: open.map((one) => one.key),
    rest: line.slice(inner.start).trimStart(),
    list: inner.bracket === "[" ? inner.key : null,
  };
}

function mapAt(root: MapNode | null, path: readonly string[]): MapNode | undefined {
  let node: TreeNode | undefined = root ?? undefined;
  for (const key of path) {
    if (node?.kind !== "map") return undefined;
    node = entryOf(node, key)?.value;
  }
  return node?.kind === "map" ? node : undefined;
}

/** The key of the tree at an offset, with its path and doc. */
export function keyAt(
  root: MapNode,
  offset: number,
  docs: readonly KeyDoc[] = QUERY_KEYS,
): { readonly doc: KeyDoc; readonly span: { start: number; end: number } } | null {
  for (const { key, keySpan, value } of root.entries) {
    const doc = docs.find((candidate) => candidate.key === key);
    if (doc && touches(keySpan, offset)) return { doc, span: keySpan };
    const maps =
      value.kind === "map" ? [value] : value.kind === "list" ? value.items.filter((item) => item.kind === "map") : [];
    for (const map of maps) {
      const found = doc ? keyAt(map, offset, doc.children) : null;
      if (found) return found;
    }
  }
  return null;
}
