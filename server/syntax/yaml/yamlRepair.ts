import { isMap, isPair, isScalar, isSeq, parseAllDocuments } from "yaml";
import type { Document } from "yaml";
import { blank } from "../conflicts";
import type { Span } from "../text";
import type { ConfigDiagnostic } from "../tree";

/** Repairs stop when this many characters have been parsed again. */
const REPAIR_BUDGET = 3_000_000;
const MAX_REPAIRS = 8;
const MAX_REPORTED = 50;
const MAX_BRACKETS = 1_000;
/** Errors of one parse that are looked at. */
const MAX_CONSIDERED = 5_000;
const INDEPENDENT: ReadonlySet<string> = new Set(["MULTILINE_IMPLICIT_KEY"]);

export type Parsed = Document.Parsed;

/** Parses, and where an error would swallow what follows, blanks the offending piece and parses again. `lost` gets the lines that lost something. */
export function parseTolerantly(
  original: string,
  diagnostics: ConfigDiagnostic[],
  lost: Set<number>,
): readonly Parsed[] {
  let text = original;
  let documents: readonly Parsed[] = [];
  const reported = new Set<number>();
  const report = (start: number, end: number, message: string): void => {
    const line = text.lastIndexOf("\n", start - 1);
    if (reported.has(line)) return;
    reported.add(line);
    diagnostics.push({ span: { start, end: Math.max(end, start) }, severity: "error", code: "config.parse", message });
  };
  const deep = tooDeep(original);
  if (deep >= 0) {
    diagnostics.push({
      span: { start: deep, end: lineEnd(text, deep) },
      severity: "error",
      code: "config.too-large",
      message: `Nested more than ${MAX_BRACKETS} levels deep; the file is not read.`,
    });
    return [];
  }
  for (let round = 0, parsed = 0; round <= MAX_REPAIRS; round++) {
    try {
      documents = parsedDocuments(text);
    } catch (error) {
      // The parser recurses: input that is thousands of levels deep exhausts the stack.
      report(
        0,
        lineEnd(text, 0),
        error instanceof RangeError ? "Nested too deeply to be read." : `Cannot be read as YAML: ${String(error)}`,
      );
      return documents;
    }
    parsed += text.length;
    const all = documents.flatMap((document) => document.errors);
    const errors = all.slice(0, MAX_CONSIDERED);
    // What has a fault on every line is no config: to mend it would take longer than to read it.
    const spent =
      round === MAX_REPAIRS || all.length > MAX_CONSIDERED || parsed + text.length > REPAIR_BUDGET + original.length;
    const repairs: Span[] = [];
    for (const error of errors) {
      // Errors after the first often follow from it: only those that stand for themselves are repaired along with it.
      if (repairs.some((span) => span.start <= error.pos[0] && error.pos[0] < span.end)) continue;
      const repair =
        spent || (repairs.length > 0 && !INDEPENDENT.has(error.code)) ? null : repairFor(error, text, documents);
      if (repair === null) continue;
      repairs.push(repair);
      // The rest of the file stands inside such a value: its like must be found without the parser, or each would cost a round.
      if (error.code === "BLOCK_AS_IMPLICIT_KEY") repairs.push(...nestedOnOneLine(text, repair.end));
      for (const one of repairs) lost.add(lineStart(text, one.start));
      const at = error.code === "MISSING_CHAR" ? repair : placeOf(error, text, documents);
      report(at.start, Math.min(at.end, lineEnd(text, at.start)), messageOf(error));
    }
    if (repairs.length === 0) {
      for (const error of errors.slice(0, MAX_REPORTED)) {
        const at = placeOf(error, text, documents);
        report(at.start, Math.min(at.end, lineEnd(text, at.start)), messageOf(error));
      }
      break;
    }
    const before = text;
    text = blankedAt(text, repairs);
    if (text === before) break;
  }
  return documents;
}

/** Errors are made by the thousand and only their texts are used: without their stacks they cost a tenth. */
function parsedDocuments(text: string): readonly Parsed[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const result = parseAllDocuments(text, {
      schema: "failsafe",
      uniqueKeys: false,
      merge: false,
      prettyErrors: false,
      logLevel: "silent",
    });
    return Array.isArray(result) ? (result as readonly Parsed[]) : [];
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The one document of a text in which nothing is wrong; null for any other. */
export function parsedCleanly(text: string): Parsed | null {
  if (tooDeep(text) >= 0) return null;
  try {
    const documents = parsedDocuments(text);
    return documents.length === 1 && documents[0].errors.length === 0 ? documents[0] : null;
  } catch {
    return null;
  }
}

/** Where brackets are open by the thousand; -1 for nowhere. The parser would run out of stack only after it has filled the memory. */
function tooDeep(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 91 || c === 123) {
      if (++depth > MAX_BRACKETS) return at;
    } else if ((c === 93 || c === 125) && depth > 0) depth--;
  }
  return -1;
}

/** The parser's errors in terms of what was written, where its own speak of its grammar. */
function messageOf(error: ParserError): string {
  const own = `${error.message.split("\n")[0].replace(/[.\s]+$/, "")}.`;
  switch (error.code) {
    case "MULTILINE_IMPLICIT_KEY":
      return "A colon is missing after this key.";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A value cannot hold another `key: value` on its line; quote it if it is text.";
    case "MISSING_CHAR":
      if (/quote/.test(error.message)) return "This quote is not closed.";
      return /closing|end with/.test(error.message) ? "This bracket is not closed." : own;
    case "BAD_INDENT":
      return isOpenFlow(error)
        ? "This bracket is not closed."
        : "The indent fits neither the line above nor the key that this belongs to.";
    case "UNEXPECTED_TOKEN": {
      const token = /:\s*"(.*)"$/.exec(error.message.split("\n")[0])?.[1];
      return token === undefined ? own : `\`${token}\` is not expected here.`;
    }
    default:
      return own;
  }
}

type ParserError = { readonly code: string; readonly pos: readonly [number, number]; readonly message: string };

function isOpenFlow(error: ParserError): boolean {
  return error.message.startsWith("Flow ");
}

/** An open bracket is noticed where the next key begins: the bracket itself is the place to show. */
function placeOf(error: ParserError, text: string, documents: readonly Parsed[]): Span {
  const [start, end] = error.pos;
  if (error.code === "MULTILINE_IMPLICIT_KEY") return { start, end: lineEnd(text, start) };
  if (!isOpenFlow(error)) return { start, end };
  const bracket = lastFlowBefore(documents, start);
  return bracket === null ? { start, end } : { start: bracket, end: lineEnd(text, bracket) };
}

/** Where the last outermost flow collection before an offset begins. */
function lastFlowBefore(documents: readonly Parsed[], at: number): number | null {
  let found: number | null = null;
  const visit = (node: unknown): void => {
    if (isPair(node)) {
      visit(node.key);
      visit(node.value);
    } else if (isMap(node) || isSeq(node)) {
      if (!node.range || node.range[0] >= at) return;
      if (node.flow === true) found = node.range[0];
      else for (const item of node.items) visit(item);
    }
  };
  for (const document of documents) visit(document.contents);
  return found;
}

/** What to blank so that the text after an error is read as it was meant; null where the parser copes by itself. */
function repairFor(error: ParserError, text: string, documents: readonly Parsed[]): Span | null {
  const at = error.pos[0];
  switch (error.code) {
    case "MULTILINE_IMPLICIT_KEY":
      // What is indented below the broken key belongs to it: read without it, it would fall to another key.
      return { start: lineStart(text, at), end: blockEnd(text, at) };
    case "UNEXPECTED_TOKEN":
      return { start: lineStart(text, at), end: lineEnd(text, at) };
    case "BLOCK_AS_IMPLICIT_KEY":
      return { start: at, end: lineEnd(text, at) };
    case "MISSING_CHAR": {
      const start = unclosedBefore(documents, at);
      return start === null ? null : { start, end: lineEnd(text, start) };
    }
    default:
      return null;
  }
}

/** Values of the form `key: a: b`, from an offset on. */
function nestedOnOneLine(text: string, from: number): readonly Span[] {
  const pattern = /^( *(?:- )*[\w.-]+:[ \t]+)[\w.-]+:(?:[ \t][^\r\n]*)?$/gm;
  pattern.lastIndex = from;
  const found: Span[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push({ start: match.index + match[1].length, end: match.index + match[0].length });
  }
  return found;
}

function blankedAt(text: string, spans: readonly Span[]): string {
  let result = "";
  let from = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.end <= from) continue;
    const start = Math.max(from, span.start);
    result += text.slice(from, start) + blank(text.slice(start, span.end));
    from = span.end;
  }
  return result + text.slice(from);
}

/** The first quoted text or flow collection that runs over several lines up to `at`: the one that was not closed. */
function unclosedBefore(documents: readonly Parsed[], at: number): number | null {
  let found: number | null = null;
  const visit = (node: unknown): void => {
    if (found !== null) return;
    if (isPair(node)) {
      visit(node.key);
      visit(node.value);
      return;
    }
    const flow = (isMap(node) || isSeq(node)) && node.flow === true;
    const quoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
    if ((flow || quoted) && node.range && node.range[0] < at && node.range[1] >= at - 1) {
      found = node.range[0];
      return;
    }
    if (isMap(node) || isSeq(node)) for (const item of node.items) visit(item);
  };
  for (const document of documents) visit(document.contents);
  return found;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  for (let i = offset; i < text.length; i++) if (text[i] === "\n" || text[i] === "\r") return i;
  return text.length;
}

/** The end of the lines after `offset` that are indented deeper than its own. */
function blockEnd(text: string, offset: number): number {
  const start = lineStart(text, offset);
  const indent = indentAt(text, start);
  let end = lineEnd(text, offset);
  for (let next = text.indexOf("\n", end); next >= 0; next = text.indexOf("\n", next + 1)) {
    const stop = lineEnd(text, next + 1);
    if (text.slice(next + 1, stop).trim() === "") continue;
    if (indentAt(text, next + 1) <= indent) break;
    end = stop;
  }
  return end;
}

function indentAt(text: string, start: number): number {
  let at = start;
  while (text[at] === " ") at++;
  return at - start;
}
