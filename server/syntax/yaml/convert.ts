import { isAlias, isMap, isPair, isScalar, isSeq } from "yaml";
import type { Alias, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { listNode, mapNode, mapScalars, MAX_DEPTH, scalar, unknownNode } from "../nodes";
import { resolvePlain, type YamlDialect } from "./plainScalar";
import type { Span } from "../text";
import type { ConfigDiagnostic, MapEntry, MapNode, ScalarNode, TreeNode } from "../tree";
import { lineStart, type Parsed } from "./yamlRepair";

/** The code of numbers that plain PyYAML reads as text. */
export const TEXT_NUMBER = "config.yaml-text-number";

/** How many nodes aliases may add to a document. An alias bomb asks for billions. */
const MAX_ALIASED_NODES = 20_000;

/** One document's nodes to ours, with aliases and merge keys followed under a bound. */
export class Converter {
  readonly #text: string;
  readonly #dialect: YamlDialect;
  readonly #diagnostics: ConfigDiagnostic[];
  readonly #anchors = new Map<string, { readonly node: TreeNode; readonly size: number }>();
  /** Whether anything stands for something elsewhere: an anchor, an alias, a merge. */
  shares = false;
  #size = 0;
  #aliased = 0;

  readonly #lostLines: ReadonlySet<number>;

  constructor(text: string, dialect: YamlDialect, diagnostics: ConfigDiagnostic[], lostLines: ReadonlySet<number>) {
    this.#lostLines = lostLines;
    this.#text = text;
    this.#dialect = dialect;
    this.#diagnostics = diagnostics;
  }

  convert(document: Parsed, depth = 0): TreeNode | null {
    return document.contents === null ? null : this.#node(document.contents, depth);
  }

  #node(node: unknown, depth: number): TreeNode {
    this.#size++;
    const before = this.#size;
    if (isAlias(node)) return this.#alias(node);
    const result = this.#own(node as Node, depth);
    const anchor = (node as Scalar | YAMLMap | YAMLSeq).anchor;
    if (anchor !== undefined) {
      this.shares = true;
      this.#anchors.set(anchor, { node: result, size: this.#size - before + 1 });
    }
    return result;
  }

  #own(node: Node, depth: number): TreeNode {
    const span = spanOf(node);
    if (depth > MAX_DEPTH) return unknownNode(`it is nested more than ${MAX_DEPTH} levels deep`, span);
    if (isMap(node)) return this.#map(node, span, depth);
    if (isSeq(node))
      return listNode(
        node.items.map((item) => this.#node(isPair(item) ? (item.value ?? item.key) : item, depth + 1)),
        span,
      );
    if (isScalar(node)) return this.#scalar(node, span);
    return unknownNode("it cannot be read", span);
  }

  #scalar(node: Scalar, span: Span): TreeNode {
    const tag = node.tag;
    if (tag !== undefined && !tag.startsWith("tag:yaml.org,2002:"))
      return unknownNode(`its value depends on the tag \`${tag}\`, which only the program that reads it knows`, span);
    const value = String(node.value ?? "");
    const anchored = node.anchor === undefined ? {} : { via: `anchor &${node.anchor}: its aliases follow` };
    switch (node.type) {
      case "QUOTE_DOUBLE":
      case "QUOTE_SINGLE":
        return scalar(value, this.#text.slice(span.start + 1, Math.max(span.start + 1, span.end - 1)), span, anchored);
      case "BLOCK_LITERAL":
      case "BLOCK_FOLDED":
        return scalar(value, value, span, { editable: false, whyNot: "it is a block of text" });
    }
    const source = this.#text.slice(span.start, span.end);
    if (tag === "tag:yaml.org,2002:str") return scalar(value, source, span, anchored);
    const plain = resolvePlain(value, this.#dialect);
    if (plain.trap !== undefined && this.#dialect === "1.1") {
      this.#diagnostics.push({
        span,
        severity: "hint",
        code: plain.plainOnly === true ? TEXT_NUMBER : "config.yaml-trap",
        message: plain.trap,
      });
    }
    return scalar(plain.value, source, span, anchored);
  }

  #map(node: YAMLMap, span: Span, depth: number): MapNode {
    const entries: MapEntry[] = [];
    const merged: MapEntry[] = [];
    const seen = new Set<string>();
    for (const pair of node.items as Pair[]) {
      const key = pair.key;
      const keySpan = isKeyed(key) ? spanOf(key) : { start: span.start, end: span.start };
      const name = isScalar(key) ? String(key.value ?? "") : this.#text.slice(keySpan.start, keySpan.end);
      const value = this.#value(pair.value, keySpan, depth);
      if (name === "<<" && isScalar(key) && key.type === "PLAIN") {
        this.shares = true;
        for (const entry of this.#merged(value)) merged.push(entry);
        continue;
      }
      if (isScalar(key) && key.anchor !== undefined) {
        this.shares = true;
        this.#anchors.set(key.anchor, { node: scalar(name, name, keySpan), size: 1 });
      }
      if (seen.has(name)) {
        this.#diagnostics.push({
          span: keySpan,
          severity: "warning",
          code: "config.duplicate-key",
          message: `\`${name}\` stands twice here; the last one counts.`,
        });
      }
      seen.add(name);
      entries.push({ key: name, keySpan, value });
    }
    return mapNode([...merged.filter((entry) => !seen.has(entry.key)), ...entries], span);
  }

  #value(node: unknown, keySpan: Span, depth: number): TreeNode {
    const empty = node === null || (isScalar(node) && node.source === "" && node.type === "PLAIN");
    // An empty value means `null`, but not where an error was cut away.
    if (empty && this.#lostLines.has(lineStart(this.#text, keySpan.start)))
      return unknownNode("its line has a syntax error", { start: keySpan.end, end: keySpan.end });
    return node === null ? scalar(null, "", { start: keySpan.end, end: keySpan.end }) : this.#node(node, depth + 1);
  }

  /** In the order in which the last one counts: of several maps the first wins. */
  #merged(value: TreeNode): readonly MapEntry[] {
    const maps = value.kind === "list" ? [...value.items].reverse() : [value];
    return maps.flatMap((map) => (map.kind === "map" ? map.entries : []));
  }

  #alias(node: Alias): TreeNode {
    this.shares = true;
    const span = spanOf(node);
    const target = this.#anchors.get(node.source);
    if (target === undefined) return unknownNode(`no anchor \`&${node.source}\` stands before this alias`, span);
    this.#size += target.size;
    this.#aliased += target.size;
    if (this.#aliased > MAX_ALIASED_NODES) {
      if (this.#aliased - target.size <= MAX_ALIASED_NODES) {
        this.#diagnostics.push({
          span,
          severity: "error",
          code: "config.parse",
          message: `Aliases add more than ${MAX_ALIASED_NODES} values; the rest is not followed.`,
        });
      }
      return unknownNode("aliases add too many values to follow", span);
    }
    const why = `it follows the anchor \`&${node.source}\`, which other places share`;
    const whyNot = target.node.kind === "scalar" ? `${why}; write a number in its place to change this alone` : why;
    const follow = (leaf: ScalarNode): ScalarNode => ({
      ...leaf,
      via: `anchor &${node.source}`,
      editable: false,
      whyNot,
      from: leaf.from ?? [leaf.span],
    });
    return { ...mapScalars(target.node, follow), span };
  }
}

function isKeyed(key: unknown): key is Node {
  return key !== null && typeof key === "object" && "range" in key;
}

function spanOf(node: Node): Span {
  const range = node.range;
  return range ? { start: range[0], end: range[1] } : { start: 0, end: 0 };
}
