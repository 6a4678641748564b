import { entryOf, MAX_DEPTH, scalar, unknownNode } from "../../syntax/nodes";
import { Work } from "../../syntax/work";
import { resolveCall } from "./resolvers";
import { resolvePlain } from "../../syntax/yaml/plainScalar";
import type { Span } from "../../syntax/text";
import type { MapNode, ScalarNode, TreeNode } from "../../syntax/tree";

/** References that are followed through one another, and in one document. A chain or a fan beyond is unknown. */
const MAX_CHAIN = 32;
const MAX_EXPANSIONS = 20_000;
const MAX_TEXT = 10_000;
/** More literals than this are not named as what a value was computed from. */
const MOST_TAKEN = 64;

/**
 * Resolves OmegaConf's `${…}` in a tree: references (`${data.n}`, `${.n}`, `${..x.n}`), `${oc.env:NAME,default}`, and the arithmetic resolvers that
 * frameworks register (`${mul:a,b}`, `${sum:…}`). A resolved value cannot be edited where it stands and says what it came through; what only a
 * run can know is unknown with its reason. Cycles, chains and totals are bounded.
 */
export function interpolate(root: MapNode, work = new Work()): MapNode {
  return new Interpolator(root, work).run();
}

type Path = readonly (string | number)[];

class Interpolator {
  readonly #root: MapNode;
  readonly #done = new Map<TreeNode, TreeNode>();
  readonly #open = new Set<TreeNode>();
  readonly #work: Work;
  #expansions = 0;
  /** Literals of this document that the text being resolved takes. */
  #taken: Span[] = [];

  constructor(root: MapNode, work: Work) {
    this.#work = work;
    this.#root = root;
  }

  run(): MapNode {
    return this.#node(this.#root, [], 0) as MapNode;
  }

  #node(node: TreeNode, path: Path, depth: number): TreeNode {
    if (depth > MAX_DEPTH) return unknownNode("it is nested too deeply", node.span, node.file);
    if (!this.#work.spend())
      return unknownNode("the config is too large to be followed to its end", node.span, node.file);
    switch (node.kind) {
      case "unknown":
        return node;
      case "scalar":
        if (node.value === "???" && !node.literal)
          return unknownNode("it must be given when the run is started (`???`)", node.span, node.file);
        return typeof node.value === "string" && !node.literal && node.value.includes("${")
          ? this.#scalar(node, path)
          : node;
      case "map": {
        let changed = false;
        const entries = node.entries.map((entry) => {
          const value = this.#node(entry.value, [...path, entry.key], depth + 1);
          if (value === entry.value) return entry;
          changed = true;
          return { ...entry, value };
        });
        return changed ? { ...node, entries } : node;
      }
      case "list": {
        let changed = false;
        const items = node.items.map((item, index) => {
          const value = this.#node(item, [...path, index], depth + 1);
          if (value !== item) changed = true;
          return value;
        });
        return changed ? { ...node, items } : node;
      }
    }
  }

  #scalar(node: ScalarNode, path: Path): TreeNode {
    const known = this.#done.get(node);
    if (known !== undefined) return known;
    if (this.#open.has(node)) return unknownNode(`\`${node.text}\` refers to itself`, node.span, node.file);
    if (this.#open.size >= MAX_CHAIN)
      return unknownNode(`the references go through more than ${MAX_CHAIN} others`, node.span, node.file);
    this.#open.add(node);
    const result = this.#expanded(node, path);
    this.#open.delete(node);
    this.#done.set(node, result);
    return result;
  }

  #expanded(node: ScalarNode, path: Path): TreeNode {
    const text = String(node.value);
    if (text.length > MAX_TEXT) return unknownNode("it is too long to be resolved", node.span, node.file);
    const outer = this.#taken;
    this.#taken = [];
    const value = this.#text(text, path);
    const taken = this.#taken;
    this.#taken = outer;
    const via = `${node.text}`;
    if (value.kind === "unknown") return unknownNode(value.reason, node.span, node.file);
    if (value.kind !== "scalar")
      return { ...value, span: node.span, ...(node.file === undefined ? {} : { file: node.file }) };
    const own = value.span.end > value.span.start && value.file === undefined ? [value.span] : undefined;
    const from = value.from ?? own ?? (taken.length > 0 && taken.length <= MOST_TAKEN ? taken : undefined);
    return {
      ...scalar(value.value, value.text, node.span, {
        via: value.via === undefined ? via : `${via}, ${value.via}`,
        editable: false,
        whyNot: `it follows from \`${node.text}\``,
        ...(node.file === undefined ? {} : { file: node.file }),
      }),
      ...(from === undefined ? {} : { from }),
    };
  }

  /** The value of a text with `${…}` in it. A text that is one reference keeps the type of what it refers to. */
  #text(text: string, path: Path): TreeNode {
    const parts = split(text);
    if (parts === null) return unknownNode(`\`${text}\` cannot be read: a brace is not closed`, NOWHERE);
    if (parts.length === 1 && parts[0].inner !== null) return this.#reference(parts[0].inner, path);
    let result = "";
    for (const part of parts) {
      if (part.inner === null) {
        result += part.text;
        continue;
      }
      const value = this.#reference(part.inner, path);
      if (value.kind === "unknown") return value;
      if (value.kind !== "scalar") return unknownNode(`\`\${${part.inner}}\` is no single value`, NOWHERE);
      result += String(value.value);
      if (result.length > MAX_TEXT) return unknownNode("it becomes too long to be resolved", NOWHERE);
    }
    return scalar(result, result, NOWHERE);
  }

  #reference(inner: string, path: Path): TreeNode {
    if (++this.#expansions > MAX_EXPANSIONS)
      return unknownNode(`more than ${MAX_EXPANSIONS} references are not followed`, NOWHERE);
    const colon = topLevel(inner, ":");
    if (colon >= 0) {
      const name = inner.slice(0, colon).trim();
      const args = splitArguments(inner.slice(colon + 1));
      return resolveCall(name, args, {
        value: (text) => this.#argument(text, path),
        select: (key) => this.#lookup(key, path),
      });
    }
    const key = inner.includes("${") ? this.#text(inner, path) : scalar(inner.trim(), inner, NOWHERE);
    if (key.kind !== "scalar")
      return key.kind === "unknown" ? key : unknownNode("a reference cannot be a group of keys", NOWHERE);
    return (
      this.#lookup(String(key.value), path) ??
      unknownNode(
        `\`${String(key.value)}\`, which it refers to, stands neither here nor in the files that were followed`,
        NOWHERE,
      )
    );
  }

  #argument(text: string, path: Path): TreeNode {
    const trimmed = text.trim();
    const quoted = /^(["'])(.*)\1$/s.exec(trimmed);
    if (quoted !== null)
      return quoted[2].includes("${") ? this.#text(quoted[2], path) : scalar(quoted[2], quoted[2], NOWHERE);
    if (trimmed.includes("${")) return this.#text(trimmed, path);
    return scalar(resolvePlain(trimmed, "1.2").value, trimmed, NOWHERE);
  }

  /** Undefined where nothing stands. A leading point counts from where the reference stands, as OmegaConf does. */
  #lookup(key: string, path: Path): TreeNode | undefined {
    const dots = /^\.*/.exec(key)?.[0].length ?? 0;
    if (dots > path.length) return undefined;
    const from = dots === 0 ? [] : path.slice(0, path.length - dots);
    const steps = key
      .slice(dots)
      .split(/[.[\]]/)
      .filter((step) => step !== "")
      .map((step) => step.replace(/^(["'])(.*)\1$/, "$2"));
    return this.#walk([...from, ...steps]);
  }

  #walk(steps: Path): TreeNode | undefined {
    let node: TreeNode = this.#root;
    const path: (string | number)[] = [];
    for (const step of steps) {
      // A reference on the way leads on from what it refers to.
      if (node.kind === "scalar") node = this.#node(node, path, path.length);
      if (node.kind === "unknown") return node;
      const next: TreeNode | undefined =
        node.kind === "map"
          ? entryOf(node, String(step))?.value
          : node.kind === "list"
            ? node.items[Number(step)]
            : undefined;
      if (next === undefined) return undefined;
      node = next;
      path.push(step);
    }
    if (node.kind === "scalar") {
      const value = this.#node(node, path, path.length);
      if (value.kind === "scalar" && value.file === undefined) this.#taken.push(...(value.from ?? [value.span]));
      return value;
    }
    if (this.#open.has(node)) return unknownNode("it refers to a group of keys that contains it", NOWHERE);
    this.#open.add(node);
    const resolved = this.#node(node, path, path.length);
    this.#open.delete(node);
    // Counted after resolving: groups that refer to groups double at each level.
    this.#expansions += countNodes(resolved, MAX_EXPANSIONS - this.#expansions);
    if (this.#expansions > MAX_EXPANSIONS)
      return unknownNode(`more than ${MAX_EXPANSIONS} references are not followed`, NOWHERE);
    return locked(resolved);
  }
}

const NOWHERE = { start: 0, end: 0 } as const;

/** Values of a group that is referred to stand elsewhere: a change there would reach both places. */
function locked(node: TreeNode): TreeNode {
  switch (node.kind) {
    case "scalar":
      return { ...node, editable: false, whyNot: node.whyNot ?? "another place refers to it" };
    case "map":
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: locked(entry.value) })) };
    case "list":
      return { ...node, items: node.items.map(locked) };
    case "unknown":
      return node;
  }
}

function countNodes(node: TreeNode, limit: number): number {
  let count = 0;
  const visit = (at: TreeNode): void => {
    if (++count > limit) return;
    if (at.kind === "map") for (const entry of at.entries) visit(entry.value);
    else if (at.kind === "list") for (const item of at.items) visit(item);
  };
  visit(node);
  return count;
}

interface Part {
  readonly text: string;
  /** What stands between the braces, or null for plain text. */
  readonly inner: string | null;
}

/** Splits a text at its outermost `${…}`; null where a brace is not closed. `\${` is text. */
function split(text: string): readonly Part[] | null {
  const parts: Part[] = [];
  let plain = "";
  for (let i = 0; i < text.length;) {
    if (text.startsWith("\\${", i)) {
      plain += "${";
      i += 3;
      continue;
    }
    if (!text.startsWith("${", i)) {
      plain += text[i++];
      continue;
    }
    const end = closing(text, i + 2);
    if (end < 0) return null;
    if (plain !== "") parts.push({ text: plain, inner: null });
    plain = "";
    parts.push({ text: text.slice(i, end + 1), inner: text.slice(i + 2, end) });
    i = end + 1;
  }
  if (plain !== "" || parts.length === 0) parts.push({ text: plain, inner: null });
  return parts;
}

function closing(text: string, from: number): number {
  let depth = 1;
  let quote = "";
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (quote !== "") {
      if (c === "\\") i++;
      else if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return i;
  }
  return -1;
}

/** The first place of a character outside nested braces and quotes. */
function topLevel(text: string, wanted: string): number {
  let depth = 0;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote !== "") {
      if (c === quote) quote = "";
    } else if (depth === 0 && c === wanted) return i;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "{" || c === "[" || c === "(") depth++;
    else if (c === "}" || c === "]" || c === ")") depth--;
  }
  return -1;
}

function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const comma = topLevel(rest, ",");
    if (comma < 0) break;
    parts.push(rest.slice(0, comma));
    rest = rest.slice(comma + 1);
  }
  return rest.trim() === "" && parts.length === 0 ? [] : [...parts, rest];
}
