import { CompletionItemKind, InsertTextFormat, type CompletionItem } from "vscode-languageserver-types";
import { BUDGET_KEYS, SCALING_KEYS, type KeyDoc } from "../configs/schema/describe";
import type { DocumentKind } from "../detect";
import { addressCompletions } from "./addressCompletion";

/** Where the cursor is in a YAML document, told from indentation alone, since a half-written line seldom parses. */
interface Place {
  /** Keys above, outermost first; list positions are left out. */
  readonly path: readonly string[];
  /** The key whose value is being written; null where a key is. */
  readonly valueOf: string | null;
  /** Keys that the same map has already. */
  readonly siblings: ReadonlySet<string>;
  readonly flow: boolean;
  readonly indent: string;
}

const KEY = /^(\s*)((?:- )*)([A-Za-z_$][\w$-]*)\s*:(?:\s|$)/;

/** Keys and values of our own YAML files. */
export function completions(kind: DocumentKind, languageId: string, text: string, offset: number): CompletionItem[] {
  if (languageId !== "yaml" || (kind !== "budget" && kind !== "scaling")) return [];
  const addresses = kind === "scaling" ? addressCompletions(text, offset) : [];
  if (addresses.length > 0) return addresses;
  const place = placeAt(text, offset);
  if (!place) return [];
  const known = kind === "budget" ? BUDGET_KEYS : SCALING_KEYS;
  const docs = childrenAt(known, place.path);
  if (!docs) return [];
  if (place.valueOf !== null) {
    const doc = docs.find((candidate) => candidate.key === place.valueOf);
    return (doc?.values ?? []).map((value) => ({ label: value, kind: CompletionItemKind.EnumMember }));
  }
  return docs.filter((doc) => !place.siblings.has(doc.key)).map((doc, index) => keyItem(doc, index, place));
}

function keyItem(doc: KeyDoc, index: number, place: Place): CompletionItem {
  return {
    label: doc.key,
    kind: doc.kind === "map" ? CompletionItemKind.Module : CompletionItemKind.Property,
    documentation: { kind: "markdown", value: doc.description },
    // In the order of the documentation, which is that of importance.
    sortText: String(index).padStart(3, "0"),
    insertTextFormat: InsertTextFormat.Snippet,
    insertText: insertion(doc, place),
  };
}

function insertion(doc: KeyDoc, place: Place): string {
  if (doc.kind === "map") return place.flow ? `${doc.key}: { $0 }` : `${doc.key}:\n  $0`;
  if (doc.kind === "list")
    return doc.values.length > 0 ? `${doc.key}: [\${1|${doc.values.join(",")}|}]` : `${doc.key}: [$0]`;
  if (doc.kind === "list-of-maps") return place.flow ? `${doc.key}: [{ $0 }]` : `${doc.key}:\n  - $0`;
  return doc.values.length > 0 ? `${doc.key}: \${1|${doc.values.join(",")}|}` : `${doc.key}: $0`;
}

/** Keys under a path. `synthesis` takes any axis by name, so an unknown step among free names is looked through. */
function childrenAt(docs: readonly KeyDoc[], path: readonly string[]): readonly KeyDoc[] | null {
  let level = docs;
  for (const step of path) {
    const found = level.find((doc) => doc.key === step);
    if (!found) return null;
    level = found.children;
  }
  return level;
}

function placeAt(text: string, offset: number): Place | null {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const head = text.slice(start, offset);
  if (/(^|\s)#/.test(head)) return null;
  const flow = flowAt(head);
  const lineIndent = /^\s*(?:- )*/.exec(head)?.[0].length ?? 0;
  const path = pathAbove(text, start, lineIndent);
  const before = text.slice(0, start);
  if (flow) {
    const own = KEY.exec(head);
    const outer = own ? [...path, own[3]] : path;
    return { path: [...outer, ...flow.path], valueOf: flow.valueOf, siblings: flow.siblings, flow: true, indent: "" };
  }
  const value = /^\s*(?:- )*([A-Za-z_$][\w$-]*)\s*:\s+["']?[\w-]*$/.exec(head);
  if (value) return { path, valueOf: value[1], siblings: new Set(), flow: false, indent: "" };
  if (!/^\s*(?:- )*[\w$-]*$/.test(head)) return null;
  return {
    path,
    valueOf: null,
    siblings: siblingsOf(before, text.slice(offset), lineIndent),
    flow: false,
    indent: " ".repeat(lineIndent),
  };
}

/** Keys of the blocks that enclose a line of this indent. */
function pathAbove(text: string, lineStart: number, indent: number): string[] {
  const path: string[] = [];
  let reach = indent;
  for (const line of linesBackwards(text, lineStart)) {
    if (reach === 0) break;
    if (/^(---|\.\.\.)/.test(line)) break;
    const match = KEY.exec(line);
    if (!match) continue;
    const at = match[1].length + match[2].length;
    // A list item of the same map: `- files: …` above `  tasks: …`.
    if (at >= reach) continue;
    path.unshift(match[3]);
    reach = match[1].length + (match[2] === "" ? 0 : match[2].length);
  }
  return path;
}

function* linesBackwards(text: string, end: number): Generator<string> {
  let stop = end - 1;
  while (stop >= 0) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    yield text.slice(start, stop);
    stop = start - 1;
  }
}

function siblingsOf(before: string, after: string, indent: number): Set<string> {
  const siblings = new Set<string>();
  const collect = (lines: Iterable<string>): void => {
    for (const line of lines) {
      if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
      const at = /^\s*/.exec(line)?.[0].length ?? 0;
      const match = KEY.exec(line);
      const keyAt = match ? match[1].length + match[2].length : at;
      if (match && keyAt === indent) siblings.add(match[3]);
      if (keyAt < indent || (match && match[2] !== "" && keyAt === indent) || /^(---|\.\.\.)/.test(line)) break;
    }
  };
  collect(linesBackwards(before, before.length));
  collect(after.split("\n").slice(1));
  return siblings;
}

/** Inside `{ … }` on the line: the keys of the open braces, and whether a key or a value is being written. */
function flowAt(head: string): { path: string[]; valueOf: string | null; siblings: Set<string> } | null {
  const open: { key: string | null; siblings: Set<string> }[] = [];
  let word = "";
  let key: string | null = null;
  for (const c of head) {
    if (c === "{") {
      open.push({ key, siblings: new Set() });
      word = "";
      key = null;
    } else if (c === "}") {
      open.pop();
      word = "";
      key = null;
    } else if (c === ",") {
      word = "";
      key = null;
    } else if (c === ":") {
      key = word.trim();
      open.at(-1)?.siblings.add(key);
      word = "";
    } else word += c;
  }
  const inner = open.at(-1);
  if (!inner) return null;
  const path = open.slice(1).flatMap((level) => (level.key ? [level.key] : []));
  return { path, valueOf: key, siblings: inner.siblings };
}
