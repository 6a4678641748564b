import { childOf, childrenOf, type PyNode } from "./ast";

/** The value of a Python number (`1_024`, `0x10`, `3e-4`); null for complex numbers and integers past 2^53. */
export function numberValue(source: string): number | null {
  const plain = source.replaceAll("_", "");
  if (/[jJ]$/.test(plain) || plain === "") return null;
  const value = Number(plain);
  if (!Number.isFinite(value)) return null;
  return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER && !/[.eE]/.test(plain) ? null : value;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
  "\r\n": "",
};

function unescape(source: string): string {
  return source.replace(
    /\\(\r\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\s\S])/g,
    (whole, escape: string) => {
      const simple = SIMPLE_ESCAPES[escape];
      if (simple !== undefined) return simple;
      if (/^[xuU]./.test(escape)) {
        const code = Number.parseInt(escape.slice(1), 16);
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      }
      return /^[0-7]/.test(escape) ? String.fromCharCode(Number.parseInt(escape, 8)) : whole;
    },
  );
}

export interface StringParts {
  /** Literal text and, for f-strings, the expressions between. */
  readonly parts: readonly (string | PyNode)[];
  /** The text between the quotes. */
  readonly inner: { readonly start: number; readonly end: number };
  readonly bytes: boolean;
}

/** Takes a `string` node apart. */
export function stringParts(node: PyNode, text: string): StringParts {
  const opening = node.children.find((child) => child.type === "string_start");
  const closing = node.children.find((child) => child.type === "string_end");
  const start = opening?.end ?? node.start + 1;
  const end = closing?.start ?? node.end - 1;
  const prefix = opening ? text.slice(opening.start, opening.end).toLowerCase() : "";
  const raw = prefix.includes("r");
  const formatted = prefix.includes("f") || prefix.includes("t");
  const parts: (string | PyNode)[] = [];
  let at = start;
  const literal = (to: number): void => {
    if (to <= at) return;
    const source = text.slice(at, to);
    const plain = formatted ? source.replaceAll("{{", "{").replaceAll("}}", "}") : source;
    parts.push(raw ? plain : unescape(plain));
    at = to;
  };
  for (const child of node.children) {
    if (child.type !== "interpolation") continue;
    literal(child.start);
    parts.push(child);
    at = child.end;
  }
  literal(end);
  return { parts, inner: { start, end }, bytes: prefix.includes("b") };
}

/** The expression of `{x}` in an f-string, or null where a format or conversion changes its text. */
export function interpolated(node: PyNode): PyNode | null {
  if (node.children.some((child) => child.type === "format_specifier" || child.type === "type_conversion")) return null;
  return childOf(node, "expression") ?? childrenOf(node, "expression")[0] ?? null;
}
