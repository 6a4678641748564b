import { literal, splitFields, textOf, type Segment, type Word } from "../shell/interpret/value";
import { childOf, dottedName, type PyNode } from "./ast";
import { interpolated } from "./literals";

/** A string's own text in pieces that keep their places: escapes and doubled braces have none. */
export function textPieces(
  node: PyNode,
  text: string,
  expand: (expression: PyNode | null, place: PyNode) => Word,
): Word {
  const slice = (one: PyNode): string => text.slice(one.start, one.end);
  const opening = node.children.find((child) => child.type === "string_start");
  const closing = node.children.find((child) => child.type === "string_end");
  const prefix = opening ? slice(opening).toLowerCase() : "";
  const out: Segment[] = [];
  const pattern = new RegExp(
    [prefix.includes("r") ? null : "\\\\(?:\\r\\n|[\\s\\S])", prefix.includes("f") ? "\\{\\{|\\}\\}" : null]
      .filter((part) => part !== null)
      .join("|") || "(?!)",
    "g",
  );
  const plain = (from: number, to: number): void => {
    if (to > from) out.push(literal(text.slice(from, to), { span: { start: from, end: to } }));
  };
  const pieces = (from: number, to: number): void => {
    const run = text.slice(from, to);
    let at = 0;
    for (const match of run.matchAll(pattern)) {
      plain(from + at, from + match.index);
      out.push(literal(match[0][0] === "\\" ? unescaped(match[0]) : match[0][0]));
      at = match.index + match[0].length;
    }
    plain(from + at, to);
  };
  let at = opening?.end ?? node.start + 1;
  for (const child of node.children) {
    if (child.type !== "interpolation") continue;
    pieces(at, child.start);
    out.push(...expand(interpolated(child), child));
    at = child.end;
  }
  pieces(at, closing?.start ?? node.end - 1);
  return out.filter((segment) => segment.text !== "" || segment.unknown !== undefined);
}

function unescaped(escape: string): string {
  const known: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "", "\r\n": "" };
  return known[escape.slice(1)] ?? (/^[\\'"]$/.test(escape.slice(1)) ? escape.slice(1) : escape);
}

/** The text that `text.split()` and `shlex.split(text)` take apart; null for any other call. */
export function splitText(call: PyNode, text: string): PyNode | null {
  const called = childOf(call, "function");
  const given = childOf(call, "arguments")?.children ?? [];
  if (!called) return null;
  if (/^(shlex\.)?split$/.test(dottedName(called, text) ?? "") && given.length > 0) return given[0];
  const attribute = called.type === "attribute" ? childOf(called, "attribute") : null;
  const isSplit = attribute !== null && text.slice(attribute.start, attribute.end) === "split";
  return isSplit && given.length === 0 ? childOf(called, "object") : null;
}

/** A text at its blanks; undefined where quotes keep some of them together. */
export function splitAtBlanks(word: Word): Word[] | undefined {
  if (/["'\\]/.test(textOf(word))) return undefined;
  return splitFields(word).map((field) =>
    field.map((one) => (one.unknown === undefined ? { ...one, quoted: true } : one)),
  );
}
