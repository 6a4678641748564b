import { entryOf, textSpan } from "../../syntax/nodes";
import type { ConfigVariant, MapNode, ScalarNode, TreeNode } from "../../syntax/tree";

/** Calls in a Python file by the last part of the called name, in the order of the text. */
export function callsOf(variant: ConfigVariant, ...names: readonly string[]): readonly MapNode[] {
  const calls = entryOf(variant.root, "calls")?.value;
  if (calls?.kind !== "map") return [];
  return calls.entries.flatMap((entry) =>
    names.includes(entry.key) && entry.value.kind === "map" ? [entry.value] : [],
  );
}

/** The qualified names that a Python file imports. */
function importsOf(variant: ConfigVariant): readonly string[] {
  const imports = entryOf(variant.root, "imports")?.value;
  return imports?.kind === "list"
    ? imports.items.flatMap((item) => (item.kind === "scalar" ? [String(item.value)] : []))
    : [];
}

export function imports(variant: ConfigVariant, pattern: RegExp): boolean {
  return importsOf(variant).some((name) => pattern.test(name));
}

/** The classes of a file that are made over one with such a name, as their fields. */
export function classesOver(variant: ConfigVariant, name: RegExp): readonly MapNode[] {
  const classes = entryOf(variant.root, "classes")?.value;
  if (classes?.kind !== "map") return [];
  return classes.entries.flatMap(({ value }) => {
    const bases = value.kind === "map" ? entryOf(value, "class")?.value : undefined;
    const over =
      bases?.kind === "list" &&
      bases.items.some((base) => base.kind === "scalar" && name.test(String(base.value).split(".").at(-1) ?? ""));
    return over && value.kind === "map" ? [value] : [];
  });
}

/** An argument of a call, by keyword or position. */
export function argumentOf(call: MapNode, ...names: readonly string[]): TreeNode | undefined {
  for (const name of names) {
    const entry = entryOf(call, name);
    if (entry) return entry.value;
  }
  return undefined;
}

/** The last part of the called name. */
export function calledName(node: TreeNode | undefined): string | undefined {
  return node?.kind === "map" ? node.callee?.split(".").at(-1) : undefined;
}

export function countOf(node: TreeNode | undefined): number | undefined {
  return node?.kind === "list" ? (node.count ?? node.items.length) : undefined;
}

/** The variant with more at its root: what one experiment's calls say, under names of its own. */
export function withParts(
  variant: ConfigVariant,
  parts: Readonly<Record<string, MapNode>>,
  name: string | null,
): ConfigVariant {
  const entries = Object.entries(parts).map(([key, value]) => ({
    key,
    keySpan: { start: value.span.start, end: value.span.start + 1 },
    value,
  }));
  const anchor = entries[0] && value(entries[0].value);
  return {
    ...variant,
    name,
    root: { ...variant.root, entries: [...variant.root.entries, ...entries] },
    ...(anchor ? { anchor } : {}),
  };
}

function value(node: TreeNode): { start: number; end: number } {
  return { start: node.span.start, end: node.span.start + 1 };
}

/** Methods of datasets that keep the number of rows. */
const KEEP = new Set([
  "map",
  "shuffle",
  "rename_column",
  "rename_columns",
  "remove_columns",
  "cast",
  "cast_column",
  "select_columns",
  "add_column",
  "sort",
  "with_format",
  "set_format",
  "flatten_indices",
  "to_iterable_dataset",
]);

export interface Rows {
  readonly rows: number;
  readonly at: TreeNode;
  /** Set where the rows repeat so few written ones (`[prompt] * 1000`): they are no tasks of their own. */
  readonly copies?: number;
  /** The number of a cut, as it stands there. */
  readonly limit?: ScalarNode;
}

/** Rows that a dataset expression says by itself: a literal, a cut (`split="train[:500]"`, `.select(range(500))`). */
export function rowsOf(node: TreeNode | undefined, depth = 0): Rows | undefined {
  if (!node || depth > 20) return undefined;
  if (node.kind === "list") {
    const rows = node.count ?? node.items.length;
    return { rows, at: node, ...(rows > node.items.length ? { copies: node.items.length } : {}) };
  }
  if (node.kind !== "map") return undefined;
  const called = calledName(node);
  const object = entryOf(node, "from")?.value;
  if (called === undefined) return undefined;
  if (KEEP.has(called)) return rowsOf(object, depth + 1);
  switch (called) {
    case "from_list":
      return rowsOf(argumentOf(node, "0", "mapping"), depth + 1);
    case "from_dict": {
      const columns = argumentOf(node, "0", "mapping");
      return columns?.kind === "map" && columns.entries.length > 0
        ? rowsOf(columns.entries[0].value, depth + 1)
        : undefined;
    }
    case "select": {
      const indices = argumentOf(node, "0", "indices");
      const rows = countOf(indices);
      if (rows === undefined) return undefined;
      const limit = indices?.kind === "list" ? indices.counted : undefined;
      return { rows, at: indices ?? node, ...(limit && { limit }) };
    }
    case "take": {
      const rows = numberIn(argumentOf(node, "0", "n"));
      return rows ? { rows: Number(rows.value), at: rows, limit: rows } : undefined;
    }
    case "load_dataset": {
      const split = argumentOf(node, "split");
      return split?.kind === "scalar" ? cutOf(split) : undefined;
    }
    case "concatenate_datasets": {
      const list = argumentOf(node, "0", "dsets");
      const parts = list?.kind === "list" ? list.items.map((item) => rowsOf(item, depth + 1)) : [];
      return parts.length > 0 && parts.every((part) => part !== undefined && part.copies === undefined)
        ? { rows: parts.reduce((sum, part) => sum + (part?.rows ?? 0), 0), at: node }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** `train[:500]`, with the place of the number where the text is written out. */
function cutOf(split: ScalarNode): Rows | undefined {
  const cut = /^(\w+\[:)(\d+)\]$/.exec(String(split.value));
  if (!cut) return undefined;
  const [, before, text] = cut;
  const rows = Number(text);
  if (split.text !== split.value) return { rows, at: split };
  const start = textSpan(split).start + before.length;
  return { rows, at: split, limit: { ...split, value: rows, text, span: { start, end: start + text.length } } };
}

function numberIn(node: TreeNode | undefined): ScalarNode | undefined {
  return node?.kind === "scalar" && typeof node.value === "number" ? node : undefined;
}

/** Distinct texts of a column of a dataset that is written out. */
export function distinctIn(node: TreeNode | undefined, column: string, depth = 0): number | undefined {
  if (node?.kind !== "map" || depth > 20) return undefined;
  const called = calledName(node);
  if (called !== undefined && KEEP.has(called)) return distinctIn(entryOf(node, "from")?.value, column, depth + 1);
  const columns = called === "from_dict" ? argumentOf(node, "0", "mapping") : undefined;
  const values = columns?.kind === "map" ? entryOf(columns, column)?.value : undefined;
  if (values?.kind !== "list" || values.items.length === 0 || values.items.some((item) => item.kind !== "scalar"))
    return undefined;
  return new Set(values.items.map((item) => (item.kind === "scalar" ? item.value : null))).size;
}

/** What an experiment of several in a script is called: by the function that it stands in, with its number there. */
export function partName(variant: ConfigVariant, trainer: MapNode, all: readonly MapNode[]): string | null {
  if (all.length === 1) return variant.name;
  const place = (one: MapNode): string | null => {
    const node = entryOf(one, "in")?.value;
    return node?.kind === "scalar" && node.value !== null ? String(node.value) : null;
  };
  const own = place(trainer);
  const alone = own !== null && all.filter((one) => place(one) === own).length === 1;
  const where = alone ? own : `${own ?? "trainer"} ${all.filter((one) => place(one) === own).indexOf(trainer) + 1}`;
  return variant.name ? `${variant.name}, ${where}` : where;
}
