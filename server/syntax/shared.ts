import type { Span } from "./text";
import type { ConfigVariant, MapNode, TreeNode } from "./tree";

/** Something beside the keys of a config that takes a value: a job's array, a loop, a folder's name. */
export interface Use {
  readonly span: Span;
  /** As a person would name it: `sbatch --array=1-15`. */
  readonly what: string;
}

/** What takes a value beside the key that is edited. */
export interface Follower {
  readonly what: string;
  /** It moves with the value by design, so that this is only said; else the value is not moved. */
  readonly along?: boolean;
}

/** Settings that only carry a value in their text. */
const NAMES = /(?:^|[._-])(?:name|project|entity|group|tags?|title|notes?|description|comment)$/i;
/** What a launcher is told stands beside the training, not in it. */
const OUTSIDE = /^(?:env|sbatch|launcher)\./;
const MOST_NAMED = 3;
/** Takers of one value that are kept apart. */
const MOST_TAKERS = 500;
/** How an experiment is named among what takes a value: the value stands in its place already, and serves both. */
export const EXPERIMENT = "the experiment ";

interface Taker {
  readonly path: string;
  /** Takes it as it is, through `${…}`. */
  readonly whole: boolean;
}

/**
 * A literal that several keys take (a variable, an anchor with aliases, `${…}`, arithmetic) cannot be edited for one of them: such
 * values lose their editability and name what else follows. Names (`experiment_name=grpo_$N`) only carry the value and do not count;
 * a key that is the same quantity by reference (`sampling.n: ${group_size}`) moves along.
 */
export function shareEdits(variant: ConfigVariant, uses: readonly Use[] = []): ConfigVariant {
  if (uses.length === 0 && !mayShare(variant)) return variant;
  const takers = new Map<string, Map<string, Taker>>();
  const add = (span: Span, path: string, whole = false) => {
    const key = keyOf(span);
    const here = takers.get(key) ?? new Map<string, Taker>();
    takers.set(key, here);
    // More of them than are named tell nothing new.
    if (!here.has(path) && here.size < MOST_TAKERS) here.set(path, { path, whole });
  };
  const see = (node: TreeNode, path: string) => {
    if (node.kind !== "scalar" || OUTSIDE.test(path)) return;
    // What a base file computes from a value of this one is how the framework is made: it follows by design.
    if (node.editable) add(node.span, `\`${path}\``);
    else if (!node.file && !(typeof node.value === "string" && NAMES.test(path)))
      for (const span of node.from ?? []) add(span, `\`${path}\``, /^\$\{[^${}:]+\}/.test(node.via ?? ""));
  };
  visit(variant.root, "", see);
  visit(variant.flags, "", see);
  for (const { span, what } of uses) add(span, what);
  if (![...takers.values()].some((some) => some.size > 1)) return variant;
  return guarded(variant, (span, path) =>
    [...(takers.get(keyOf(span))?.values() ?? [])]
      .filter((other) => other.path !== `\`${path}\``)
      .map((other) => ({ what: other.path, along: other.whole && isSameQuantity(path, other.path) })),
  );
}

/** Whether any place is taken twice at all: most configs share nothing, and are looked at with every key that is pressed. */
function mayShare(variant: ConfigVariant): boolean {
  const seen = new Set<number>();
  let shared = false;
  const look = (node: TreeNode): void => {
    if (shared) return;
    if (node.kind === "map") for (const { value } of node.entries) look(value);
    else if (node.kind === "list") for (const item of node.items) look(item);
    else if (node.kind === "scalar") {
      const key = node.span.start * 2 ** 26 + node.span.end;
      if (node.from !== undefined || (node.editable && seen.has(key))) shared = true;
      if (node.editable) seen.add(key);
    }
  };
  look(variant.root);
  look(variant.flags);
  return shared;
}

const GROUP = /(?:^|_)(?:n|group|generations|samples|sequences)(?:_|$)/i;

/** `batch_size` and `local_batch_size`; `n` and `group_size`. */
function isSameQuantity(one: string, other: string): boolean {
  const [a, b] = [one, other].map(
    (path) =>
      path
        .replaceAll("`", "")
        .split(/[.[\]]+/)
        .filter(Boolean)
        .at(-1) ?? "",
  );
  return a === b || a.endsWith(`_${b}`) || b.endsWith(`_${a}`) || (GROUP.test(a) && GROUP.test(b));
}

/** The variant with the values that something else follows no longer editable, or with what moves along. */
export function guarded(
  variant: ConfigVariant,
  followers: (span: Span, path: string) => readonly Follower[],
): ConfigVariant {
  return { ...variant, root: guardedTree(variant.root, followers), flags: guardedTree(variant.flags, followers) };
}

export function guardedTree(root: MapNode, followers: (span: Span, path: string) => readonly Follower[]): MapNode {
  return rebuilt(root, "", (node, path) => {
    if (node.kind !== "scalar" || !node.editable) return node;
    const others = followers(node.span, path);
    if (others.length === 0) return node;
    const blocking = others.filter(({ along }) => !along).map(({ what }) => what);
    return blocking.length > 0
      ? { ...node, editable: false, whyNot: whyNot(blocking) }
      : { ...node, along: [...new Set([...(node.along ?? []), ...others.map(({ what }) => what)])] };
  });
}

function whyNot(others: readonly string[]): string {
  const named = others.slice(0, MOST_NAMED).join(", ");
  const rest = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : "";
  const feeds = `the same value also feeds ${named}${rest}`;
  return others.every((other) => other.startsWith(EXPERIMENT))
    ? feeds
    : `${feeds}; write a number in its place to change this alone`;
}

export function keyOf(span: Span): string {
  return `${span.start}:${span.end}`;
}

function visit(node: TreeNode, path: string, see: (node: TreeNode, path: string) => void): void {
  see(node, path);
  if (node.kind === "map")
    for (const entry of node.entries) visit(entry.value, path ? `${path}.${entry.key}` : entry.key, see);
  if (node.kind === "list") node.items.forEach((item, index) => visit(item, `${path}[${index}]`, see));
}

function rebuilt(node: MapNode, path: string, change: (node: TreeNode, path: string) => TreeNode): MapNode {
  const inner = (value: TreeNode, at: string): TreeNode => {
    if (value.kind === "map") return rebuilt(value, at, change);
    if (value.kind === "list") {
      const items = value.items.map((item, index) => inner(item, `${at}[${index}]`));
      return items.every((item, index) => item === value.items[index]) ? value : { ...value, items };
    }
    return change(value, at);
  };
  const entries = node.entries.map((entry) => {
    const value = inner(entry.value, path ? `${path}.${entry.key}` : entry.key);
    return value === entry.value ? entry : { ...entry, value };
  });
  return entries.every((entry, index) => entry === node.entries[index]) ? node : { ...node, entries };
}
