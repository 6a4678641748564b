import type { Span } from "../text";
import type { ListNode, MapEntry, MapNode, ScalarNode, TreeNode } from "../tree";
import { externalsOf, MappedText, shownOf, sourcesOf, tidy, unknownIn, type Word } from "./interpret/value";

const MOST_DEPTH = 20;

/** A word as a node: typed when it is known, unknown with its reason when it is not. `place` is where the word stands. */
export function nodeOf(word: Word, place: Span, structured: boolean): TreeNode {
  const parts = tidy(word);
  const reason = unknownIn(parts);
  const shown = shownOf(parts);
  // A path below an unset folder still names its file: that is what a person would say.
  if (reason !== undefined && !(/[/]/.test(shown) && namesFile(parts))) return { kind: "unknown", reason, span: place };
  if (structured && reason === undefined && /^\s*[[{'"]/.test(shown)) {
    const node = structure(new MappedText(parts), place);
    if (node) return node;
  }
  return leaf(parts, shown, place, reason);
}

/** Whether the last part of a path is in the text. */
function namesFile(word: Word): boolean {
  let last = "";
  for (const segment of word) last = segment.unknown === undefined ? last + segment.text : `${last}\u0000`;
  last = last.replace(/[/\s]+$/, "");
  return /[^/\s]/.test(last) && !last.slice(last.lastIndexOf("/") + 1).includes("\u0000");
}

function leaf(word: Word, shown: string, place: Span, reason: string | undefined): ScalarNode {
  const only = word.length === 1 ? word[0] : undefined;
  const value = typed(shown);
  if (word.length === 0)
    return { kind: "scalar", value: "", text: "", span: place, editable: false, whyNot: "it is empty" };
  if (only?.span && reason === undefined) {
    return {
      kind: "scalar",
      value,
      text: only.text,
      span: only.span,
      ...(only.via ? { via: only.via } : {}),
      ...(only.file ? { file: only.file, editable: false, whyNot: "it stands in another file" } : { editable: true }),
    };
  }
  const via =
    reason ??
    word.find((segment) => segment.via)?.via ??
    (externalsOf(word).size
      ? `depends on ${[...externalsOf(word)].join(", ")}`
      : "it is put together from several parts");
  const from = sourcesOf(word);
  return {
    kind: "scalar",
    value: reason === undefined ? value : shown,
    ...(from.length ? { from } : {}),
    text: shown,
    span: place,
    via,
    editable: false,
    whyNot: `it is computed: ${via}`,
    ...(reason === undefined ? {} : { literal: true as const }),
  };
}

/** The types of a command line: numbers, booleans, null, else text. */
function typed(text: string): string | number | boolean | null {
  const body = text.trim();
  if (/^[-+]?(\d[\d_]*)(\.\d*)?(e[-+]?\d+)?$/i.test(body) || /^[-+]?\.\d+(e[-+]?\d+)?$/i.test(body)) {
    const value = Number(body.replaceAll("_", ""));
    if (Number.isFinite(value)) return value;
  }
  if (/^true$/i.test(body)) return true;
  if (/^false$/i.test(body)) return false;
  if (/^(null|none|~)$/i.test(body)) return null;
  return text;
}

/** `[a, b]`, `{a: b}` and quoted texts of Hydra's own syntax. */
function structure(mapped: MappedText, place: Span): TreeNode | undefined {
  const text = mapped.text;

  const node = (start: number, end: number, depth: number): TreeNode => {
    while (start < end && /\s/.test(text[start])) start++;
    while (end > start && /\s/.test(text[end - 1])) end--;
    const first = text[start];
    const last = text[end - 1];
    const span = mapped.locate(start, end)?.span ?? place;
    if (depth < MOST_DEPTH && first === "[" && last === "]") return list(start + 1, end - 1, span, depth);
    if (depth < MOST_DEPTH && first === "{" && last === "}") return map(start + 1, end - 1, span, depth);
    const quoted = (first === "'" || first === '"') && last === first && end - start >= 2;
    const from = quoted ? start + 1 : start;
    const to = quoted ? end - 1 : end;
    const found = mapped.locate(from, to);
    const body = text.slice(from, to);
    return {
      kind: "scalar",
      value: quoted ? body : typed(body),
      text: body,
      span: found?.span ?? place,
      ...(found?.via ? { via: found.via } : {}),
      ...(found?.file
        ? { file: found.file, editable: false, whyNot: "it stands in another file" }
        : { editable: found !== undefined && to > from }),
    };
  };

  const list = (start: number, end: number, span: Span, depth: number): ListNode => ({
    kind: "list",
    span,
    items: pieces(text, start, end).map(([from, to]) => node(from, to, depth + 1)),
  });

  const map = (start: number, end: number, span: Span, depth: number): MapNode => {
    const entries: MapEntry[] = [];
    for (const [from, to] of pieces(text, start, end)) {
      const colon = text.indexOf(":", from);
      if (colon < 0 || colon >= to) continue;
      const key = text
        .slice(from, colon)
        .trim()
        .replace(/^(['"])(.*)\1$/, "$2");
      entries.push({ key, keySpan: mapped.locate(from, colon)?.span ?? place, value: node(colon + 1, to, depth + 1) });
    }
    return { kind: "map", span, entries };
  };

  return text.length > 100_000 ? undefined : node(0, text.length, 0);
}

/** Cuts at commas outside brackets and quotes. */
function pieces(text: string, start: number, end: number): [number, number][] {
  const out: [number, number][] = [];
  let depth = 0;
  let quote = "";
  let from = start;
  for (let at = start; at < end; at++) {
    const c = text[at];
    if (quote) {
      if (c === quote) quote = "";
      continue;
    }
    if (c === "'" || c === '"') quote = c;
    else if (c === "[" || c === "{" || c === "(") depth++;
    else if (c === "]" || c === "}" || c === ")") depth--;
    else if (c === "," && depth === 0) {
      out.push([from, at]);
      from = at + 1;
    }
  }
  if (text.slice(from, end).trim() !== "") out.push([from, end]);
  return out;
}
