import { isMap } from "yaml";
import { mapNode, MAX_DEPTH, relocated } from "../nodes";
import type { Span } from "../text";
import type { ConfigDiagnostic, MapEntry, MapNode } from "../tree";
import type { YamlDialect } from "./plainScalar";
import { Converter } from "./convert";
import { parsedCleanly } from "./yamlRepair";

/** How finely a text is taken apart. */
interface Grain {
  /** Below this many characters a text is parsed as a whole. */
  readonly worth: number;
  /** Lines after which a piece ends. */
  readonly piece: number;
  /** Lines of an entry above which it is taken apart itself. */
  readonly entry: number;
}

const GRAIN: Grain = { worth: 4_000, piece: 24, entry: 64 };
/** Characters of pieces that are kept twice over: those of now, and those of before. */
const MOST_KEPT = 1_000_000;

const KEY = /^ *(?:[A-Za-z_][\w./-]*|"[^"\\\n]*"|'[^'\n]*'):(?=[ \r\n]|$)/;
const BARE_KEY = /^ *([A-Za-z_][\w./-]*):[ ]*(?:#.*)?\r?$/;
/** Some entries of a map, read by themselves; places count from the piece's first character. */
interface Piece {
  readonly entries: readonly MapEntry[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly end: number;
  /** Where it stood last, and its entries there. */
  placed: { readonly at: number; readonly entries: readonly MapEntry[] };
}

let now = new Map<string, Piece | null>();
let before = new Map<string, Piece | null>();
let kept = 0;

/** One line with something on it that is no remark. */
interface Line {
  readonly start: number;
  readonly indent: number;
}

/** What cannot be read in pieces: it is parsed as a whole. */
class Whole extends Error {}

/**
 * Reads a text as maps whose entries are parsed apart and remembered, so that an edit costs what was edited and not the whole file. Null where that may
 * read otherwise than the whole would be: where anything is wrong, shared by an anchor, or not a plain map of keys.
 */
export function readInPieces(
  text: string,
  dialect: YamlDialect,
  grain = GRAIN,
): { readonly roots: readonly MapNode[]; readonly diagnostics: readonly ConfigDiagnostic[] } | null {
  if (
    text.length < grain.worth ||
    /^(?:%|\.\.\.|\uFEFF|---(?![ \t]*(?:#.*)?\r?$))/m.test(text) ||
    /\r(?!\n)/.test(text)
  )
    return null;
  const diagnostics: ConfigDiagnostic[] = [];
  try {
    const roots = documentsOf(text).map(({ lines, end }) =>
      new Reader(text, dialect, grain, diagnostics).map(lines, end, 0),
    );
    return roots.length > 0 ? { roots, diagnostics } : null;
  } catch (error) {
    if (error instanceof Whole) return null;
    throw error;
  }
}

interface Lines {
  readonly lines: Line[];
  /** Where they end, blank lines and remarks included. */
  end: number;
}

/** The lines of each document; a mark without anything before it begins the first. */
function documentsOf(text: string): readonly Lines[] {
  let last: Lines = { lines: [], end: text.length };
  const documents = [last];
  let marks = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    let first = start;
    while (first < end && text.charCodeAt(first) === 32) first++;
    const c = text.charCodeAt(first);
    // Blank, a remark, or the carriage return of a blank line.
    const empty = first >= end || c === 35 || (c === 13 && first === end - 1);
    if (!empty) {
      if (first === start && text.startsWith("---", start)) {
        if (last.lines.length === 0 && marks > 0) throw new Whole();
        marks++;
        if (last.lines.length > 0) {
          last.end = start;
          last = { lines: [], end: text.length };
          documents.push(last);
        }
      } else last.lines.push({ start, indent: first - start });
    }
    start = end + 1;
  }
  if (last.lines.length === 0) throw new Whole();
  return documents;
}

class Reader {
  readonly #text: string;
  readonly #dialect: YamlDialect;
  readonly #grain: Grain;
  readonly #diagnostics: ConfigDiagnostic[];

  constructor(text: string, dialect: YamlDialect, grain: Grain, diagnostics: ConfigDiagnostic[]) {
    this.#text = text;
    this.#dialect = dialect;
    this.#grain = grain;
    this.#diagnostics = diagnostics;
  }

  /** A map of which these are all lines; what follows begins at `limit`. */
  map(lines: readonly Line[], limit: number, depth: number): MapNode {
    const { indent } = lines[0];
    if (depth > MAX_DEPTH / 2) throw new Whole();
    const starts: number[] = [];
    for (const [index, line] of lines.entries()) {
      if (line.indent < indent) throw new Whole();
      if (line.indent > indent || this.#text.startsWith("- ", line.start + indent)) continue;
      if (!KEY.test(this.#lineAt(line.start))) throw new Whole();
      starts.push(index);
    }
    if (starts[0] !== 0) throw new Whole();
    const entries: MapEntry[] = [];
    let end = 0;
    const add = (more: readonly MapEntry[], to: number) => {
      for (const entry of more) entries.push(entry);
      end = to;
    };
    let from = 0;
    const flush = (to: number) => {
      if (to <= from) return;
      const start = lines[from].start;
      // With the blank lines and remarks after it: they may belong to a block of text, or to what is above them.
      const piece = this.#piece(this.#text.slice(start, lines[to]?.start ?? limit), depth);
      for (const one of piece.diagnostics) this.#diagnostics.push({ ...one, span: shifted(one.span, start) });
      if (piece.placed.at !== start)
        piece.placed = {
          at: start,
          entries: piece.entries.map(({ key, keySpan, value }) => ({
            key,
            keySpan: shifted(keySpan, start),
            value: relocated(value, (span) => shifted(span, start)),
          })),
        };
      add(piece.placed.entries, start + piece.end);
      from = to;
    };
    for (const [index, start] of starts.entries()) {
      const next = starts[index + 1] ?? lines.length;
      const nested =
        next - start > this.#grain.entry
          ? this.#nested(lines.slice(start, next), lines[next]?.start ?? limit, depth)
          : null;
      if (nested) {
        flush(start);
        add([nested], nested.value.span.end);
        from = next;
      } else if (next - from >= this.#grain.piece || this.#endsPiece(lines[start].start)) flush(next);
    }
    flush(lines.length);
    const seen = new Set(entries.map(({ key }) => key));
    if (seen.size !== entries.length) throw new Whole();
    return mapNode(entries, { start: lines[0].start + indent, end });
  }

  /** Where pieces end follows from what stands there, so that a line more moves one of them only. */
  #endsPiece(start: number): boolean {
    const line = this.#lineAt(start);
    let hash = 0;
    for (let at = 0; at < line.length && at < 40; at++) hash = (hash * 31 + line.charCodeAt(at)) | 0;
    return (hash & 15) === 0;
  }

  /** A large entry whose value is a map, taken apart; null where it is none. */
  #nested(lines: readonly Line[], limit: number, depth: number): MapEntry | null {
    const [head, ...rest] = lines;
    const key = BARE_KEY.exec(this.#lineAt(head.start))?.[1];
    if (key === undefined || rest[0].indent <= head.indent || !KEY.test(this.#lineAt(rest[0].start))) return null;
    const mark = this.#diagnostics.length;
    try {
      const start = head.start + head.indent;
      const value = this.map(rest, limit, depth + 1);
      // A last remark that stands less deep than the value, and deeper than its key, belongs to what is around it.
      if (new RegExp(`^ {${head.indent + 1},}#`, "m").test(this.#text.slice(value.span.end, limit))) return null;
      return { key, keySpan: { start, end: start + key.length }, value };
    } catch (error) {
      if (!(error instanceof Whole)) throw error;
      this.#diagnostics.length = mark;
      return null;
    }
  }

  #piece(source: string, depth: number): Piece {
    const name = `${this.#dialect}${depth} ${source}`;
    let piece = now.get(name) ?? before.get(name);
    if (piece === undefined) piece = readPiece(source, this.#dialect, depth);
    if (!now.has(name)) {
      kept += name.length;
      if (kept > MOST_KEPT) {
        before = now;
        now = new Map();
        kept = name.length;
      }
      now.set(name, piece);
    }
    if (piece === null) throw new Whole();
    return piece;
  }

  #lineAt(start: number): string {
    const end = this.#text.indexOf("\n", start);
    return this.#text.slice(start, end < 0 ? undefined : end);
  }
}

function readPiece(source: string, dialect: YamlDialect, depth: number): Piece | null {
  const document = parsedCleanly(source);
  if (!document || !isMap(document.contents)) return null;
  const diagnostics: ConfigDiagnostic[] = [];
  const converter = new Converter(source, dialect, diagnostics, new Set());
  const root = converter.convert(document, depth);
  if (root?.kind !== "map" || converter.shares || diagnostics.some(({ code }) => code === "config.duplicate-key"))
    return null;
  return { entries: root.entries, diagnostics, end: root.span.end, placed: { at: 0, entries: root.entries } };
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}
