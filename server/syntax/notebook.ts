import { parseTree, type Node } from "jsonc-parser";
import { entryOf, partsOf, relocated } from "./nodes";
import type { Span } from "./text";
import type { ConfigVariant, MapEntry, MapNode, SyntaxDocument, TreeNode } from "./tree";

/** The code of a notebook as one Python text, able to say where a range of it stands in the notebook's file. */
export interface NotebookCode {
  readonly text: string;
  place(span: Span): Span;
}

/** A code cell of a notebook in an editor: the code of the cells around it, in order. */
export interface CellSurroundings {
  readonly before: string;
  readonly after: string;
}

/** Cells in another language than the notebook's. */
const OTHER_LANGUAGE = /^\s*%%(?!capture|time|timeit)\w+/;

/** The code cells of an `.ipynb` file, in order; undefined where the text is no notebook. Magics and shell lines become comments. */
export function notebookCode(json: string): NotebookCode | undefined {
  const root = parseTree(json, [], { allowTrailingComma: true });
  const cells = root && property(root, "cells");
  if (cells?.type !== "array") return undefined;
  let text = "";
  // Where each character of the text stands in the file, and where it ends.
  const starts: number[] = [];
  const ends: number[] = [];
  const put = (piece: string, start: number, end: number): void => {
    text += piece;
    for (let i = 0; i < piece.length; i++) {
      starts.push(start);
      ends.push(end);
    }
  };
  for (const cell of cells.children ?? []) {
    if (property(cell, "cell_type")?.value !== "code") continue;
    const source = property(cell, "source");
    const lines = source?.type === "array" ? (source.children ?? []) : source ? [source] : [];
    if (OTHER_LANGUAGE.test(lines.map((line) => String(line.value)).join(""))) continue;
    for (const line of lines) {
      if (line.type !== "string") continue;
      unescaped(json, line, put);
    }
    const end = source ? source.offset + source.length : cell.offset;
    put("\n", end, end);
  }
  const plain = withoutMagics(text);
  const at = (index: number): number => starts[Math.min(index, starts.length - 1)] ?? 0;
  return {
    text: plain,
    place: ({ start, end }) => ({
      start: at(start),
      end: end > start ? (ends[Math.min(end, ends.length) - 1] ?? 0) : at(start),
    }),
  };
}

/** The code of all cells with one of them in the middle; of cells in another language, nothing. */
export function aroundCell(text: string, { before, after }: CellSurroundings): string {
  return OTHER_LANGUAGE.test(text) ? "" : withoutMagics(`${before}${text}\n${after}`);
}

/** Code cells as one text, to stand before or after another. */
export function joinedCells(texts: readonly string[]): string {
  return texts.map((text) => (OTHER_LANGUAGE.test(text) ? "" : `${text}\n`)).join("");
}

/** A line of the shell or a magic is no Python; as a comment it keeps every place. */
function withoutMagics(text: string): string {
  return text.replace(/^([ \t]*)[!%](?=[^\n]*)/gm, "$1#");
}

/** A reading of all cells (`aroundCell`), with its places in one of them: what stands in another is as of another file. */
export function inCell(
  document: SyntaxDocument,
  text: string,
  { before }: CellSurroundings,
  file: string,
): SyntaxDocument {
  const start = before.length;
  const isHere = (span: Span) => span.start >= start && span.end <= start + text.length;
  const moved = (span: Span): Span => ({
    start: Math.min(Math.max(span.start - start, 0), text.length),
    end: Math.min(Math.max(span.end - start, 0), text.length),
  });
  const elsewhere = <N extends TreeNode>(node: N): N => {
    if (node.kind === "map")
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: elsewhere(entry.value) })) };
    if (node.kind === "list") return { ...node, ...partsOf(node, elsewhere) };
    if (node.file !== undefined || isHere(node.span)) return node;
    return node.kind === "scalar"
      ? { ...node, file, editable: false, whyNot: "it stands in another cell" }
      : { ...node, file };
  };
  const variants = document.variants.flatMap((one): ConfigVariant[] => {
    const root = elsewhere(one.root);
    const span = one.command ? one.command.span : longestCall(root, isHere);
    if (!span || !isHere(span)) return [];
    return [
      {
        ...one,
        root: relocated(root, moved),
        flags: relocated(elsewhere(one.flags), moved),
        anchor: moved(span),
        command: one.command && { ...one.command, span: moved(span) },
      },
    ];
  });
  return { ...document, variants, diagnostics: [] };
}

/** The call of these places that says most: a config's. */
function longestCall(root: MapNode, isHere: (span: Span) => boolean): Span | undefined {
  const calls = entryOf(root, "calls")?.value;
  const count = (node: TreeNode) =>
    node.kind === "map"
      ? node.entries.filter(({ keySpan, value }) => value.kind === "scalar" && isHere(keySpan)).length
      : 0;
  return (calls?.kind === "map" ? calls.entries : [])
    .filter(({ keySpan, value }) => isHere(keySpan) && count(value) > 0)
    .reduce<MapEntry | undefined>(
      (most, call) => (most && count(most.value) >= count(call.value) ? most : call),
      undefined,
    )?.keySpan;
}

/** A reading of the code, with its places in the notebook's file. */
export function inNotebook(document: SyntaxDocument, code: NotebookCode): SyntaxDocument {
  const variant = (one: ConfigVariant): ConfigVariant => ({
    ...one,
    root: relocated(one.root, code.place),
    flags: relocated(one.flags, code.place),
    anchor: code.place(one.anchor),
    command: one.command && { ...one.command, span: code.place(one.command.span) },
  });
  return {
    ...document,
    variants: document.variants.map(variant),
    // What is not Python there (a magic within a line) is nothing to complain about.
    diagnostics: [],
  };
}

function property(node: Node, name: string): Node | undefined {
  return node.children?.find((child) => child.children?.[0]?.value === name)?.children?.[1];
}

/** The characters of a JSON string, each with the range that writes it. */
function unescaped(json: string, node: Node, put: (piece: string, start: number, end: number) => void): void {
  const end = node.offset + node.length - 1;
  for (let at = node.offset + 1; at < end;) {
    const length = json[at] !== "\\" ? 1 : json[at + 1] === "u" ? 6 : 2;
    const raw = json.slice(at, Math.min(at + length, end));
    put(length === 1 ? raw : decoded(raw), at, at + raw.length);
    at += length;
  }
}

function decoded(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string;
  } catch {
    return " ";
  }
}
