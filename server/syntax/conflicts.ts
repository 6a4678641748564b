import { mapScalars, unknownNode } from "./nodes";
import type { ConfigDiagnostic, MapNode, SyntaxDocument } from "./tree";
import type { Span } from "./text";

/**
 * Merge-conflict markers are blanked before parsing, and so is the other side, so that the rest of the file is read.
 * What stands between the markers is not decided: those values are unknown.
 */
export interface ConflictFree {
  /** Same length and line ends as the input. */
  readonly text: string;
  readonly regions: readonly Span[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

const MARKER = /^(<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|$)[^\r\n]*/gm;

export function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}

export function withoutConflicts(text: string): ConflictFree {
  if (!text.includes("<<<<<<<")) return { text, regions: [], diagnostics: [] };
  const regions: Span[] = [];
  const diagnostics: ConfigDiagnostic[] = [];
  const hidden: Span[] = [];
  let open: { start: number; markerEnd: number; otherSide: number | null } | null = null;
  for (const match of text.matchAll(MARKER)) {
    const start = match.index;
    const end = start + match[0].length;
    switch (match[1][0]) {
      case "<":
        open = { start, markerEnd: end, otherSide: null };
        break;
      case "|":
      case "=":
        // `=======` alone is also an underline in a comment: only inside an open conflict does it count.
        if (open !== null && open.otherSide === null) open.otherSide = start;
        break;
      default:
        if (open === null || open.otherSide === null) break;
        hidden.push({ start: open.start, end: open.markerEnd }, { start: open.otherSide, end });
        regions.push({ start: open.start, end });
        diagnostics.push({
          span: { start: open.start, end: open.markerEnd },
          severity: "error",
          code: "config.parse",
          message: "Unresolved merge conflict: the values between the markers are not read.",
        });
        open = null;
    }
  }
  if (regions.length === 0) return { text, regions, diagnostics };
  let result = "";
  let from = 0;
  for (const span of hidden) {
    result += text.slice(from, span.start) + blank(text.slice(span.start, span.end));
    from = span.end;
  }
  return { text: result + text.slice(from), regions, diagnostics };
}

/** Makes every value inside a conflict unknown. */
export function markConflicts(document: SyntaxDocument, conflicts: ConflictFree): SyntaxDocument {
  if (conflicts.regions.length === 0) return document;
  // Regions stand in order and apart: the last one that begins before a place is the only one that can hold it.
  const undecided = (start: number): boolean => {
    const { regions } = conflicts;
    let low = 0;
    let high = regions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (regions[middle].start <= start) low = middle + 1;
      else high = middle;
    }
    return low > 0 && start < regions[low - 1].end;
  };
  const mark = (root: MapNode): MapNode =>
    mapScalars(root, (node) =>
      node.file === undefined && undecided(node.span.start)
        ? unknownNode("it stands in an unresolved merge conflict", node.span)
        : node,
    ) as MapNode;
  return {
    ...document,
    variants: document.variants.map((variant) => ({
      ...variant,
      root: mark(variant.root),
      flags: mark(variant.flags),
    })),
    diagnostics: [...conflicts.diagnostics, ...document.diagnostics],
  };
}
