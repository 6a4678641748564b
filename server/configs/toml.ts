import { ParseError, parseTOML } from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import { blank } from "./conflicts";
import { EMPTY_MAP, listNode, mapNode, MAX_DEPTH, scalar, unknownNode } from "./nodes";
import type { Span } from "./text";
import type { ConfigDiagnostic, MapEntry, SyntaxDocument, TreeNode } from "./tree";

/** The parser stops at its first error: the line is blanked and the text parsed again, as often as this and as much as that. */
const MAX_REPAIRS = 40;
const REPAIR_BUDGET = 3_000_000;

/** Reads TOML into a ranged tree. Lines with errors are left out, each with a diagnostic. */
export function parseToml(text: string): SyntaxDocument {
  const diagnostics: ConfigDiagnostic[] = [];
  const source = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const program = parseTolerantly(source, diagnostics);
  const root = program === null ? EMPTY_MAP : toTree(program, source);
  const anchor = root.entries[0]?.keySpan ?? { start: 0, end: 0 };
  return { syntax: "toml", variants: program === null ? [] : [{ name: null, root, flags: EMPTY_MAP, command: null, anchor }], diagnostics };
}

function parseTolerantly(original: string, diagnostics: ConfigDiagnostic[]): AST.TOMLProgram | null {
  let text = original;
  for (let round = 0, parsed = 0; ; round++) {
    try {
      return parseTOML(text, { tomlVersion: "1.1" });
    } catch (error) {
      parsed += text.length;
      if (!(error instanceof ParseError)) {
        diagnostics.push({ span: { start: 0, end: 0 }, severity: "error", code: "config.parse", message: error instanceof RangeError ? "Nested too deeply to be read." : "Cannot be read as TOML." });
        return null;
      }
      const at = Math.min(error.index, text.length);
      const culprit = culpritOf(text, at, error.message);
      diagnostics.push({ span: trimmed(original, culprit), severity: "error", code: "config.parse", message: `${error.message}; this line is not read.` });
      if (round >= MAX_REPAIRS || parsed + text.length > REPAIR_BUDGET + original.length) {
        // Enough: what stands before the error is read, the rest is said to be left out.
        if (culprit.start === 0 || text.slice(culprit.start).trim() === "") return null;
        diagnostics.push({ span: trimmed(original, culprit), severity: "warning", code: "config.parse", message: "Too many errors: what follows is not read." });
        text = text.slice(0, culprit.start) + blank(text.slice(culprit.start));
        continue;
      }
      const repaired = text.slice(0, culprit.start) + blank(text.slice(culprit.start, culprit.end)) + text.slice(culprit.end);
      if (repaired === text) {
        text = text.slice(0, culprit.start) + blank(text.slice(culprit.start));
        if (text.trim() === "") return null;
        continue;
      }
      text = repaired;
    }
  }
}

const STATEMENT = /^[ \t]*(?:\[{1,2}[^\]\n]+\]{1,2}|[\w"'][\w.\-"' ]*=)/;

/**
 * The line to blame for an error: its own, or, when a value was left open on an earlier line and swallowed the lines after it,
 * the line where that value begins.
 */
function culpritOf(text: string, at: number, message: string): Span {
  const own = lineAt(text, at);
  if (/unterminated/i.test(message)) {
    for (const quote of ['"""', "'''"]) {
      const open = text.lastIndexOf(quote, at);
      if (open >= 0 && text.slice(0, at).split(quote).length % 2 === 0) return lineAt(text, open);
    }
  }
  const ownText = text.slice(own.start, own.end);
  const startsHere = STATEMENT.test(ownText);
  const beforeAssignment = startsHere && at <= own.start + ownText.indexOf("=");
  const reachesEnd = at >= text.trimEnd().length;
  if (startsHere && !beforeAssignment && !reachesEnd) return own;
  // Walk back to a statement whose brackets are still open.
  let line = own;
  for (let back = 0; back < 400 && line.start > 0; back++) {
    line = lineAt(text, line.start - 1);
    const content = text.slice(line.start, line.end);
    if (!STATEMENT.test(content)) continue;
    if (openBrackets(text.slice(line.start, own.start)) > 0) return line;
    if (!reachesEnd) break;
  }
  return own;
}

function openBrackets(text: string): number {
  let open = 0;
  for (const match of text.matchAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g)) {
    if (match[0] === "[" || match[0] === "{") open++;
    else if (match[0] === "]" || match[0] === "}") open--;
  }
  return open;
}

function lineAt(text: string, offset: number): Span {
  const at = Math.min(offset, text.length);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  return { start, end: next < 0 ? text.length : next };
}

function trimmed(text: string, span: Span): Span {
  const content = text.slice(span.start, span.end);
  const start = span.start + (content.length - content.trimStart().length);
  return { start: Math.min(start, span.end), end: Math.max(start, span.start + content.trimEnd().length) };
}

/** A table that is still being filled. */
interface Draft {
  readonly entries: { readonly key: string; readonly keySpan: Span; value: TreeNode | Draft | Draft[] }[];
  span: Span;
}

function toTree(program: AST.TOMLProgram, text: string): ReturnType<typeof mapNode> {
  const root: Draft = { entries: [], span: { start: 0, end: text.length } };
  for (const item of program.body[0].body) {
    if (item.type === "TOMLKeyValue") {
      assign(root, item, text);
      continue;
    }
    const parent = descend(root, item.key.keys.slice(0, -1), item);
    const last = item.key.keys[item.key.keys.length - 1];
    const table = item.kind === "array" ? appended(parent, last, item) : opened(parent, last, item);
    for (const pair of item.body) assign(table, pair, text);
  }
  return finish(root);
}

type Key = AST.TOMLKey["keys"][number];

function nameOf(key: Key): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

function spanOf(node: { readonly range: readonly [number, number] }): Span {
  return { start: node.range[0], end: node.range[1] };
}

function descend(from: Draft, keys: readonly Key[], at: { readonly range: readonly [number, number] }): Draft {
  return keys.reduce((table, key) => opened(table, key, at), from);
}

/** The table under a key, made when it is new; of a table array, the last one. */
function opened(parent: Draft, key: Key, at: { readonly range: readonly [number, number] }): Draft {
  const name = nameOf(key);
  const existing = parent.entries.find((entry) => entry.key === name)?.value;
  if (Array.isArray(existing)) return existing[existing.length - 1];
  if (existing !== undefined && "entries" in existing && !("kind" in existing)) {
    existing.span = { start: existing.span.start, end: Math.max(existing.span.end, at.range[1]) };
    return existing;
  }
  const draft: Draft = { entries: [], span: spanOf(at) };
  parent.entries.push({ key: name, keySpan: spanOf(key), value: draft });
  return draft;
}

function appended(parent: Draft, key: Key, at: { readonly range: readonly [number, number] }): Draft {
  const name = nameOf(key);
  const draft: Draft = { entries: [], span: spanOf(at) };
  const existing = parent.entries.find((entry) => entry.key === name)?.value;
  if (Array.isArray(existing)) existing.push(draft);
  else parent.entries.push({ key: name, keySpan: spanOf(key), value: [draft] });
  return draft;
}

function assign(table: Draft, pair: AST.TOMLKeyValue, text: string): void {
  const keys = pair.key.keys;
  const target = descend(table, keys.slice(0, -1), pair);
  const last = keys[keys.length - 1];
  target.entries.push({ key: nameOf(last), keySpan: spanOf(last), value: valueOf(pair.value, text, 0) });
}

function valueOf(node: AST.TOMLContentNode, text: string, depth: number): TreeNode {
  const span = spanOf(node);
  if (depth > MAX_DEPTH) return unknownNode(`It is nested more than ${MAX_DEPTH} levels deep.`, span);
  switch (node.type) {
    case "TOMLArray":
      return listNode(node.elements.map((element) => valueOf(element, text, depth + 1)), span);
    case "TOMLInlineTable": {
      const draft: Draft = { entries: [], span };
      for (const pair of node.body) assign(draft, pair, text);
      return finish(draft);
    }
    case "TOMLValue": {
      const source = text.slice(span.start, span.end);
      switch (node.kind) {
        case "string":
          if (node.multiline) return scalar(node.value, node.value, span, { editable: false, whyNot: "It is a block of text." });
          return scalar(node.value, source.slice(1, -1), span);
        case "integer":
        case "float":
          return scalar(Number(node.value), source, span);
        case "boolean":
          return scalar(node.value, source, span);
        default:
          return scalar(source, source, span);
      }
    }
  }
}

function finish(draft: Draft): ReturnType<typeof mapNode> {
  const entries: MapEntry[] = draft.entries.map(({ key, keySpan, value }) => ({
    key,
    keySpan,
    value: Array.isArray(value) ? listNode(value.map(finish), { start: value[0].span.start, end: value[value.length - 1].span.end }) : "kind" in value ? value : finish(value),
  }));
  return mapNode(entries, draft.span);
}
