import { ParseError, parseTOML } from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import { blank } from "./conflicts";
import { EMPTY_MAP, listNode, mapNode, MAX_DEPTH, scalar, unknownNode } from "./nodes";
import type { Span } from "./text";
import type { ConfigDiagnostic, MapEntry, SyntaxDocument, TreeNode } from "./tree";

/** The parser stops at its first error. These bound what is done to read the rest all the same. */
const MAX_REPAIRS = 40;
const REPAIR_BUDGET = 3_000_000;
/** A value that is left open is looked for this many statements further. */
const MAX_REACH = 100;
const MAX_REPORTED = 50;

/** Reads TOML into a ranged tree. Statements with errors are left out, each with a diagnostic. */
export function parseToml(text: string): SyntaxDocument {
  const diagnostics: ConfigDiagnostic[] = [];
  const source = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const program = parseTolerantly(source, diagnostics);
  const root =
    program === null
      ? EMPTY_MAP
      : toTree(program, source, (span) =>
          diagnostics.push({
            span,
            severity: "warning",
            code: "config.too-large",
            message: `This key is more than ${MAX_DEPTH} levels deep and is not read.`,
          }),
        );
  const anchor = root.entries[0]?.keySpan ?? { start: 0, end: 0 };
  return {
    syntax: "toml",
    variants: program === null ? [] : [{ name: null, root, flags: EMPTY_MAP, command: null, anchor }],
    diagnostics,
  };
}

function parseTolerantly(original: string, diagnostics: ConfigDiagnostic[]): AST.TOMLProgram | null {
  const whole = attempt(original);
  if (whole.program !== null) return whole.program;
  if (whole.error === null) {
    diagnostics.push({
      span: { start: 0, end: 0 },
      severity: "error",
      code: "config.parse",
      message: "Nested too deeply to be read.",
    });
    return null;
  }
  const report = (span: Span, message: string): void => {
    diagnostics.push({
      span: trimmed(original, span),
      severity: "error",
      code: "config.parse",
      message: `${message}; this line is not read.`,
    });
  };
  let text = withoutBadStatements(original, report);
  // What is left are errors between statements, such as a key that is defined twice.
  for (let round = 0, parsed = 0; round < MAX_REPAIRS && parsed < REPAIR_BUDGET; round++) {
    const { program, error } = attempt(text);
    parsed += text.length;
    if (program !== null) return program;
    if (error === null) return null;
    const line = lineAt(text, Math.min(error.index, text.length));
    report(line, error.message);
    const repaired = blanked(text, line);
    if (repaired === text) return null;
    text = repaired;
  }
  const { program, error } = attempt(text);
  if (program !== null || error === null) return program;
  const line = lineAt(text, error.index);
  diagnostics.push({
    span: trimmed(original, line),
    severity: "error",
    code: "config.parse",
    message: "Too many errors: what follows is not read.",
  });
  return attempt(text.slice(0, line.start)).program;
}

function attempt(text: string): { readonly program: AST.TOMLProgram | null; readonly error: ParseError | null } {
  try {
    return { program: parseTOML(text, { tomlVersion: "1.1" }), error: null };
  } catch (error) {
    return { program: null, error: error instanceof ParseError ? error : null };
  }
}

const STATEMENT = /^[ \t]*(?:\[|[\w"'][\w.\-"' ]*=)/;

/** Blanks every statement that cannot be read by itself. A value over several lines takes the statements that seem to stand in it. */
function withoutBadStatements(original: string, report: (span: Span, message: string) => void): string {
  const chunks = statementsOf(original);
  const bad: Span[] = [];
  let budget = REPAIR_BUDGET;
  for (let i = 0; i < chunks.length; i++) {
    const source = original.slice(chunks[i].start, chunks[i].end);
    const { error } = attempt(source);
    if (error === null) continue;
    let reach = i + 1;
    let closed = false;
    for (; isOpen(source) && reach < chunks.length && reach - i <= MAX_REACH && budget > 0; reach++) {
      const longer = original.slice(chunks[i].start, chunks[reach].end);
      budget -= longer.length;
      if (attempt(longer).error !== null) continue;
      closed = true;
      break;
    }
    if (closed) {
      i = reach;
      continue;
    }
    if (bad.length < MAX_REPORTED) report(lineAt(original, chunks[i].start), error.message);
    bad.push(chunks[i]);
    // Without its header, the keys of a table would fall to the table before.
    if (source.trimStart().startsWith("[")) {
      while (i + 1 < chunks.length && !/^[ \t]*\[/.test(original.slice(chunks[i + 1].start, chunks[i + 1].end)))
        bad.push(chunks[++i]);
    }
  }
  let text = "";
  let from = 0;
  for (const span of bad) {
    text += original.slice(from, span.start) + blank(original.slice(span.start, span.end));
    from = span.end;
  }
  return text + original.slice(from);
}

/** Runs of lines that each begin with what looks like a key or a table. */
function statementsOf(text: string): readonly Span[] {
  const result: { start: number; end: number }[] = [];
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next + 1;
    if (result.length === 0 || STATEMENT.test(text.slice(start, end))) result.push({ start, end });
    else result[result.length - 1].end = end;
    start = end;
  }
  return result;
}

/** Whether a statement may go on below: an open bracket or an open text block. */
function isOpen(text: string): boolean {
  if (text.split('"""').length % 2 === 0 || text.split("'''").length % 2 === 0) return true;
  let open = 0;
  for (const match of text.slice(text.indexOf("=") + 1).matchAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g)) {
    if (match[0] === "[" || match[0] === "{") open++;
    else if (match[0] === "]" || match[0] === "}") open--;
  }
  return open > 0 && text.includes("=");
}

function blanked(text: string, span: Span): string {
  return text.slice(0, span.start) + blank(text.slice(span.start, span.end)) + text.slice(span.end);
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
  /** The first entry of each key: a file may hold thousands of tables. */
  readonly firsts: Map<string, TreeNode | Draft | Draft[]>;
  span: Span;
}

function draftAt(span: Span): Draft {
  return { entries: [], firsts: new Map(), span };
}

function put(table: Draft, key: Key, value: TreeNode | Draft | Draft[]): void {
  const name = nameOf(key);
  table.entries.push({ key: name, keySpan: spanOf(key), value });
  if (!table.firsts.has(name)) table.firsts.set(name, value);
}

function toTree(program: AST.TOMLProgram, text: string, report: (span: Span) => void): ReturnType<typeof mapNode> {
  const root = draftAt({ start: 0, end: text.length });
  const tooDeep = ({ keys }: AST.TOMLKey): boolean => keys.length > MAX_DEPTH;
  for (const item of program.body[0].body) {
    if (tooDeep(item.key)) {
      report(spanOf(item.key));
      continue;
    }
    if (item.type === "TOMLKeyValue") {
      assign(root, item, text);
      continue;
    }
    const parent = descend(root, item.key.keys.slice(0, -1), item);
    const last = item.key.keys[item.key.keys.length - 1];
    const table = item.kind === "array" ? appended(parent, last, item) : opened(parent, last, item);
    for (const pair of item.body)
      if (item.key.keys.length + pair.key.keys.length > MAX_DEPTH) report(spanOf(pair.key));
      else assign(table, pair, text);
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
  const existing = parent.firsts.get(name);
  if (Array.isArray(existing)) return existing[existing.length - 1];
  if (existing !== undefined && "entries" in existing && !("kind" in existing)) {
    existing.span = { start: existing.span.start, end: Math.max(existing.span.end, at.range[1]) };
    return existing;
  }
  const draft = draftAt(spanOf(at));
  put(parent, key, draft);
  return draft;
}

function appended(parent: Draft, key: Key, at: { readonly range: readonly [number, number] }): Draft {
  const draft = draftAt(spanOf(at));
  const existing = parent.firsts.get(nameOf(key));
  if (Array.isArray(existing)) existing.push(draft);
  else put(parent, key, [draft]);
  return draft;
}

function assign(table: Draft, pair: AST.TOMLKeyValue, text: string, depth = 0): void {
  const keys = pair.key.keys;
  const target = descend(table, keys.slice(0, -1), pair);
  const last = keys[keys.length - 1];
  put(target, last, valueOf(pair.value, text, depth + keys.length));
}

function valueOf(node: AST.TOMLContentNode, text: string, depth: number): TreeNode {
  const span = spanOf(node);
  if (depth > MAX_DEPTH) return unknownNode(`it is nested more than ${MAX_DEPTH} levels deep`, span);
  switch (node.type) {
    case "TOMLArray":
      return listNode(
        node.elements.map((element) => valueOf(element, text, depth + 1)),
        span,
      );
    case "TOMLInlineTable": {
      const draft = draftAt(span);
      for (const pair of node.body) if (depth + pair.key.keys.length <= MAX_DEPTH) assign(draft, pair, text, depth);
      return finish(draft);
    }
    case "TOMLValue": {
      const source = text.slice(span.start, span.end);
      switch (node.kind) {
        case "string":
          if (node.multiline)
            return scalar(node.value, node.value, span, { editable: false, whyNot: "it is a block of text" });
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
    value: Array.isArray(value)
      ? listNode(value.map(finish), { start: value[0].span.start, end: value[value.length - 1].span.end })
      : "kind" in value
        ? value
        : finish(value),
  }));
  return mapNode(entries, draft.span);
}
