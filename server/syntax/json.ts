import { parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { EMPTY_MAP, entryOf, listNode, mapNode, MAX_DEPTH, scalar, unknownNode } from "./nodes";
import type { Span } from "./text";
import type { ConfigDiagnostic, ConfigVariant, MapEntry, SyntaxDocument, TreeNode } from "./tree";

/** The parser recurses; beyond this many open brackets the text is not given to it. */
const MAX_BRACKETS = 1_000;
const MAX_ERRORS = 50;

/** Reads JSON, with comments and trailing commas, into a ranged tree. Errors are diagnostics; what can be read is. */
export function parseJson(text: string): SyntaxDocument {
  const diagnostics: ConfigDiagnostic[] = [];
  const source = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const deep = tooDeepAt(source);
  if (deep !== null) {
    diagnostics.push({
      span: { start: deep, end: deep + 1 },
      severity: "error",
      code: "config.parse",
      message: `Nested more than ${MAX_BRACKETS} levels deep; the file is not read.`,
    });
    return { syntax: "json", variants: [], diagnostics };
  }
  const errors: ParseError[] = [];
  // Python writes NaN and Infinity, which are no JSON; they are read as the numbers they are.
  const root = parseTree(withPythonNumbers(source), errors, {
    allowTrailingComma: true,
    disallowComments: false,
    allowEmptyContent: true,
  });
  for (const error of errors.slice(0, MAX_ERRORS)) {
    diagnostics.push({
      span: { start: error.offset, end: error.offset + error.length },
      severity: "error",
      code: "config.parse",
      message: `${words(printParseErrorCode(error.error))}.`,
    });
  }
  if (root === undefined) return { syntax: "json", variants: [], diagnostics };
  const tree = convert(root, source, diagnostics, 0);
  const roots = tree.kind === "list" ? tree.items : [tree];
  const variants: ConfigVariant[] = [];
  for (const node of roots) {
    if (node.kind !== "map") continue;
    const name = entryOf(node, "name")?.value;
    const label =
      name?.kind === "scalar" && typeof name.value === "string" ? name.value : `item ${variants.length + 1}`;
    variants.push({
      name: roots.length > 1 ? label : null,
      root: node,
      flags: EMPTY_MAP,
      command: null,
      anchor: node.entries[0]?.keySpan ?? { start: node.span.start, end: node.span.start + 1 },
    });
  }
  if (variants.length === 0 && source.trim() !== "" && diagnostics.length === 0) {
    diagnostics.push({
      span: tree.span,
      severity: "error",
      code: "config.parse",
      message: "Expected an object at the top of the file.",
    });
  }
  return { syntax: "json", variants, diagnostics };
}

function convert(node: Node, text: string, diagnostics: ConfigDiagnostic[], depth: number): TreeNode {
  const span: Span = { start: node.offset, end: node.offset + node.length };
  if (depth > MAX_DEPTH) return unknownNode(`it is nested more than ${MAX_DEPTH} levels deep`, span);
  switch (node.type) {
    case "object": {
      const entries: MapEntry[] = [];
      const seen = new Set<string>();
      for (const property of node.children ?? []) {
        const [key, value] = property.children ?? [];
        if (key === undefined) continue;
        const name = String(key.value);
        const keySpan = { start: key.offset, end: key.offset + key.length };
        if (seen.has(name))
          diagnostics.push({
            span: keySpan,
            severity: "warning",
            code: "config.duplicate-key",
            message: `\`${name}\` stands twice here; the last one counts.`,
          });
        seen.add(name);
        entries.push({
          key: name,
          keySpan,
          value:
            value === undefined
              ? unknownNode("its value is missing", { start: keySpan.end, end: keySpan.end })
              : convert(value, text, diagnostics, depth + 1),
        });
      }
      return mapNode(entries, span);
    }
    case "array":
      return listNode(
        (node.children ?? []).map((child) => convert(child, text, diagnostics, depth + 1)),
        span,
      );
    case "string":
      return scalar(String(node.value), text.slice(span.start + 1, Math.max(span.start + 1, span.end - 1)), span);
    case "number": {
      const source = text.slice(span.start, span.end);
      return scalar(pythonNumber(source) ?? Number(source), source, span);
    }
    default:
      return scalar((node.value ?? null) as boolean | null, text.slice(span.start, span.end), span);
  }
}

function pythonNumber(source: string): number | undefined {
  if (source === "NaN") return NaN;
  if (source === "Infinity") return Infinity;
  return source === "-Infinity" ? -Infinity : undefined;
}

/** Replaces NaN and Infinity outside strings and comments by digits of the same length. */
function withPythonNumbers(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|-?\bInfinity\b|\bNaN\b/g, (match) =>
    /^(?:-?Infinity|NaN)$/.test(match) ? "1".repeat(match.length) : match,
  );
}

/** Where the brackets are nested beyond the bound, or null. Brackets in strings count too, at worst refusing odd files. */
function tooDeepAt(text: string): number | null {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 34) inString = !inString;
    else if (c === 92 && inString) i++;
    else if (c === 10) inString = false;
    else if (inString) continue;
    else if (c === 91 || c === 123) {
      if (++depth > MAX_BRACKETS) return i;
    } else if (c === 93 || c === 125) depth--;
  }
  return null;
}

function words(code: string): string {
  const spaced = code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
