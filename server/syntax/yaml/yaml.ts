import { EMPTY_MAP, entryOf, relocated } from "../nodes";
import { Converter } from "./convert";
import { readInPieces } from "./pieces";
import type { YamlDialect } from "./plainScalar";
import { indentTabs } from "./tabs";
import type { Span } from "../text";
import type { ConfigDiagnostic, ConfigVariant, MapNode, SyntaxDocument } from "../tree";
import { lineEnd, parseTolerantly } from "./yamlRepair";

export interface YamlOptions {
  /** `1.1` (default) for what Python frameworks read, with hints at its traps; `1.2` for our own files. */
  readonly dialect?: YamlDialect;
}

const MAX_REPORTED = 50;
const MAX_DOCUMENTS = 100;

/** Reads YAML into ranged trees, one variant a document. Never throws; what cannot be read is a diagnostic. */
export function parseYaml(text: string, options: YamlOptions = {}): SyntaxDocument {
  const diagnostics: ConfigDiagnostic[] = [];
  const tabs = indentTabs(text);
  if (tabs === null) return readYaml(text, options, diagnostics);
  // A tab is as wide as the indent of the lines around it: read so, and every place moved back to where it stands.
  const document = readYaml(tabs.text, options, diagnostics);
  const moved = (span: Span): Span => ({ start: tabs.origin(span.start), end: tabs.origin(span.end) });
  const variants = document.variants.map((variant) => ({
    ...variant,
    root: relocated(variant.root, moved),
    anchor: moved(variant.anchor),
  }));
  const notes = tabs.lines.slice(0, MAX_REPORTED).map((span): ConfigDiagnostic => ({
    span,
    severity: "error",
    code: "config.parse",
    message: "Tabs are not allowed as indentation.",
  }));
  return {
    ...document,
    variants,
    diagnostics: [...notes, ...document.diagnostics.map((one) => ({ ...one, span: moved(one.span) }))],
  };
}

function readYaml(text: string, options: YamlOptions, diagnostics: ConfigDiagnostic[]): SyntaxDocument {
  const dialect = options.dialect ?? "1.1";
  const pieces = readInPieces(text, dialect);
  if (pieces && pieces.roots.length <= MAX_DOCUMENTS) {
    for (const one of pieces.diagnostics) diagnostics.push(one);
    const several = pieces.roots.length > 1;
    return { syntax: "yaml", variants: pieces.roots.map((root, index) => variant(root, index, several)), diagnostics };
  }
  const lostLines = new Set<number>();
  const documents = parseTolerantly(text, diagnostics, lostLines);
  const variants: ConfigVariant[] = [];
  const several = documents.filter((document) => document.contents !== null).length > 1;
  for (const document of documents) {
    if (variants.length >= MAX_DOCUMENTS) {
      const at = document.range?.[0] ?? 0;
      diagnostics.push({
        span: { start: at, end: lineEnd(text, at) },
        severity: "warning",
        code: "config.too-large",
        message: `The file holds ${documents.length} documents; the first ${MAX_DOCUMENTS} are read.`,
      });
      break;
    }
    const converter = new Converter(text, dialect, diagnostics, lostLines);
    const root = converter.convert(document);
    if (root === null) continue;
    if (root.kind !== "map") {
      if (root.kind !== "scalar" || root.value !== null) {
        diagnostics.push({
          span: firstLine(text, root.span),
          severity: "error",
          code: "config.parse",
          message: "Expected keys and values at the top of the document.",
        });
      }
      continue;
    }
    variants.push(variant(root, variants.length, several));
  }
  return { syntax: "yaml", variants, diagnostics };
}

function variant(root: MapNode, index: number, several: boolean): ConfigVariant {
  const name = entryOf(root, "name")?.value;
  return {
    name: !several
      ? null
      : name?.kind === "scalar" && typeof name.value === "string"
        ? name.value
        : `document ${index + 1}`,
    root,
    flags: EMPTY_MAP,
    command: null,
    anchor: root.entries.length > 0 ? root.entries[0].keySpan : { start: root.span.start, end: root.span.start },
  };
}

function firstLine(text: string, span: Span): Span {
  return { start: span.start, end: Math.min(span.end, lineEnd(text, span.start)) };
}
