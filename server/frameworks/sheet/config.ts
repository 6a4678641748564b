import type { BudgetField, FieldSite } from "../../budget/budget";
import type { Span } from "../../syntax/text";
import type { ConfigVariant, MapNode, SyntaxDocument, TreeNode } from "../../syntax/tree";

/** A key that was found, and where. */
export interface Found {
  /** As a person writes it: `data.train_batch_size`, `--rollout-batch-size`. */
  readonly path: string;
  readonly node: TreeNode;
  readonly keySpan: Span;
}

/** A value that a framework ships for a base config that is not in the workspace. */
export interface Shipped {
  readonly value: string | number | boolean | readonly string[] | null;
  /** The file that states it, in the framework's repository. */
  readonly from: string;
}

export type ShippedValues = Readonly<Record<string, Shipped>>;

/** What a key says about itself where it differs from the field it feeds. */
export interface KeyInfo {
  readonly unit?: string;
  readonly help?: string;
}

/**
 * One variant of a config, asked by path. `a.b.c` looks in the tree, `--name` among the flags. While a field is being
 * read, every key that answered becomes a site of that field, so hovers and edits find it without being declared twice.
 */
export class Config {
  readonly variant: ConfigVariant;
  readonly syntax: SyntaxDocument["syntax"];
  /** The whole text, for frameworks that must look at comments or imports; "" when the caller has none. */
  readonly text: string;
  shipped: ShippedValues = {};
  /** True for a file that is only a part of a config: framework defaults then say nothing about the run. */
  fragment = false;
  /** True for a command of a script whose later arguments do not reach it. */
  cutOff = false;
  readonly sites: FieldSite[] = [];
  /** Values that a sheet looked at. */
  readonly asked = new Set<TreeNode>();
  #reading: { field: BudgetField; unit: string; help: string } | null = null;

  constructor(variant: ConfigVariant, syntax: SyntaxDocument["syntax"], text = "") {
    this.variant = variant;
    this.syntax = syntax;
    this.text = text;
  }

  /** Why a default is not assumed. */
  get whyNoDefault(): string {
    return this.cutOff
      ? "not among the arguments that reach the command: a line ends without `\\`"
      : "not in this part of the config; the file that includes it, or the command line, decides";
  }

  /** The node at a path, or undefined; no site is recorded. */
  peek(path: string): Found | undefined {
    const found = this.#look(path);
    if (found) this.asked.add(found.node);
    return found;
  }

  #look(path: string): Found | undefined {
    if (path.startsWith("--")) {
      const name = path.slice(2);
      return lookup(this.variant.flags, [name], path) ?? lookup(this.variant.flags, [name.replaceAll("_", "-")], path);
    }
    return lookup(this.variant.root, path.split("."), path);
  }

  has(path: string): boolean {
    return this.peek(path) !== undefined;
  }

  /** The node at a path; it becomes a site of the field that is being read. */
  find(path: string, info: KeyInfo = {}): Found | undefined {
    const found = this.peek(path);
    if (found && this.#reading) this.#record(found, info);
    return found;
  }

  /** The scalar at a path as text, whatever its type; undefined when absent or not a scalar. Nothing is recorded. */
  textAt(path: string): string | undefined {
    const node = this.peek(path)?.node;
    if (node?.kind !== "scalar") return shippedText(this.shipped[path]);
    return node.value === null ? undefined : String(node.value);
  }

  /** Whether a switch is on: `true`, `True`, `1`, or a flag without a value. Undefined when it is not stated. */
  truth(path: string): boolean | undefined {
    const node = this.peek(path)?.node;
    if (node?.kind !== "scalar")
      return this.shipped[path] === undefined ? undefined : Boolean(this.shipped[path].value);
    return isTrue(node.value);
  }

  /** Runs `read` with every key that answers recorded as a site of `field`. */
  reading<Value>(field: BudgetField, unit: string, help: string, read: () => Value): Value {
    const before = this.#reading;
    this.#reading = { field, unit, help };
    try {
      return read();
    } finally {
      this.#reading = before;
    }
  }

  #record(found: Found, info: KeyInfo): void {
    const reading = this.#reading;
    if (!reading || found.node.file) return;
    const { start, end } = found.node.span;
    if (
      this.sites.some(
        (site) => site.field === reading.field && site.path === found.path && site.valueSpan.start === start,
      )
    )
      return;
    const editable = found.node.kind === "scalar" && found.node.editable && end > start;
    this.sites.push({
      field: reading.field,
      path: found.path,
      keySpan: found.keySpan,
      valueSpan: found.node.span,
      unit: info.unit ?? reading.unit,
      help: info.help ?? reading.help,
      editable,
      ...(editable ? {} : { whyNot: whyNotEditable(found.node) }),
    });
  }
}

function isTrue(value: string | number | boolean | null): boolean {
  return value === true || value === 1 || (typeof value === "string" && /^(true|yes|on|1)$/i.test(value));
}

function shippedText(shipped: Shipped | undefined): string | undefined {
  return shipped === undefined || shipped.value === null ? undefined : String(shipped.value);
}

export function whyNotEditable(node: TreeNode): string {
  if (node.file) return "it stands in another file";
  if (node.kind === "scalar" && node.whyNot) return node.whyNot;
  switch (node.kind) {
    case "unknown":
      return node.reason;
    case "list":
      return "it is a list";
    case "map":
      return "it is a group of keys";
    case "scalar":
      return node.via ? `it is computed: ${node.via}` : "it is computed";
  }
}

/** Walks nested maps (and lists, by index); a key may itself contain dots. The last of two equal keys counts. */
function lookup(root: TreeNode, segments: readonly string[], path: string): Found | undefined {
  if (root.kind === "list") {
    const item = root.items[Number(segments[0])];
    if (!item) return undefined;
    return segments.length === 1 ? { path, node: item, keySpan: item.span } : lookup(item, segments.slice(1), path);
  }
  if (root.kind !== "map") return undefined;
  for (let take = segments.length; take >= 1; take--) {
    const key = segments.slice(0, take).join(".");
    for (let i = root.entries.length - 1; i >= 0; i--) {
      const entry = root.entries[i];
      if (entry.key !== key) continue;
      if (take === segments.length) return { path, node: entry.value, keySpan: entry.keySpan };
      const inner = lookup(entry.value, segments.slice(take), path);
      if (inner) return inner;
    }
  }
  return undefined;
}

/** The items of a list node; a scalar is a list of one; anything else is none. */
export function itemsOf(node: TreeNode | undefined): readonly TreeNode[] {
  if (!node) return [];
  if (node.kind === "list") return node.items;
  return node.kind === "scalar" && node.value !== null ? [node] : [];
}

export function keysOf(node: TreeNode | undefined): readonly string[] {
  return node?.kind === "map" ? (node as MapNode).entries.map((entry) => entry.key) : [];
}
