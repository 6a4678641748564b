import { parseTree, type Node } from "jsonc-parser";
import { relocated } from "./nodes";
import type { Span } from "./text";
import type { ConfigVariant, SyntaxDocument } from "./tree";

/** The code of a notebook as one Python text, able to say where a range of it stands in the notebook's file. */
export interface NotebookCode {
  readonly text: string;
  place(span: Span): Span;
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
  // A line of the shell or a magic is no Python; as a comment it keeps every place.
  const plain = text.replace(/^([ \t]*)[!%](?=[^\n]*)/gm, "$1#");
  const at = (index: number): number => starts[Math.min(index, starts.length - 1)] ?? 0;
  return {
    text: plain,
    place: ({ start, end }) => ({
      start: at(start),
      end: end > start ? (ends[Math.min(end, ends.length) - 1] ?? 0) : at(start),
    }),
  };
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
