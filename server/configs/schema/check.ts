import type * as z from "zod/mini";
import { nearest } from "../../syntax/nearest";
import { entryOf, nodeAt, toPlain } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, MapNode, TreeNode } from "../../syntax/tree";

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly expected?: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** Of so many unknown keys it is said what may have been meant: more are no slips. */
const MOST_GUESSED = 200;

/** Checks a tree against a schema; every finding stands on the key or value that it is about. */
export function checkShape(
  schema: z.ZodMiniType,
  root: MapNode,
  known: (path: readonly string[]) => readonly string[],
): readonly ConfigDiagnostic[] {
  const result = schema.safeParse(toPlain(root));
  if (result.success) return [];
  return (result.error.issues as readonly Issue[]).flatMap((issue) => diagnosticsOf(issue, root, known));
}

function diagnosticsOf(
  issue: Issue,
  root: MapNode,
  known: (path: readonly string[]) => readonly string[],
): readonly ConfigDiagnostic[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const node = nodeAt(root, path);
  if (issue.code === "unrecognized_keys") {
    if (node?.kind !== "map") return [];
    const candidates = known(path.filter((step): step is string => typeof step === "string"));
    const entries = new Map(node.entries.map((entry) => [entry.key, entry]));
    return (issue.keys ?? []).flatMap((key, at) => {
      const entry = entries.get(key);
      return entry === undefined ? [] : [unknownKey(entry.keySpan, key, at < MOST_GUESSED ? candidates : [])];
    });
  }
  if (node === undefined) {
    const parent = nodeAt(root, path.slice(0, -1));
    const span =
      parent === undefined
        ? root.span
        : { start: parent.span.start, end: Math.min(parent.span.end, parent.span.start + 1) };
    return [problem(span, "budget.missing", `\`${String(path.at(-1))}\` is missing here.`)];
  }
  if (node.kind === "unknown") return [];
  // No finite number: the reader of the value says so better.
  if (node.kind === "scalar" && typeof node.value === "number" && !Number.isFinite(node.value)) return [];
  if (node.kind === "scalar" && node.value === null)
    return [
      problem(
        node.span.end > node.span.start ? node.span : (keySpanAt(root, path) ?? node.span),
        "budget.value",
        "A value is missing.",
        "warning",
      ),
    ];
  if (issue.code === "invalid_value") {
    const values = (issue.values ?? []).map(String);
    const text = node.kind === "scalar" ? String(node.value) : "";
    const suggestion = nearest(text, values);
    return [
      problem(
        node.span,
        "budget.value",
        `Expected ${listed(values)}${suggestion === undefined ? "." : `; did you mean \`${suggestion}\`?`}`,
      ),
    ];
  }
  const expected =
    issue.code === "invalid_union"
      ? (issue.errors ?? [])
          .flat()
          .map((inner) => inner.expected ?? "")
          .filter(Boolean)
      : [issue.expected ?? "another value"];
  return [problem(headOf(node), "budget.value", `Expected ${expectation(expected)}.`)];
}

/** A whole map or list would underline half the file: its first line's worth is enough. */
function headOf(node: TreeNode): Span {
  if (node.kind !== "map" || node.entries.length === 0) return node.span;
  return node.entries[0].keySpan;
}

function keySpanAt(root: MapNode, path: readonly (string | number)[]): Span | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  return parent?.kind === "map" ? entryOf(parent, String(path.at(-1)))?.keySpan : undefined;
}

function unknownKey(span: Span, key: string, candidates: readonly string[]): ConfigDiagnostic {
  const suggestion = nearest(key, candidates);
  const hint =
    suggestion !== undefined
      ? ` Did you mean \`${suggestion}\`?`
      : candidates.length > 0 && candidates.length <= 12
        ? ` Known here: ${candidates.join(", ")}.`
        : "";
  return {
    span,
    severity: "warning",
    code: "budget.unknown",
    message: `Unknown key \`${key}\`.${hint}`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function expectation(types: readonly string[]): string {
  const names: Readonly<Record<string, string>> = {
    number: "a number",
    string: "text",
    object: "keys and values",
    record: "keys and values",
    array: "a list",
    boolean: "true or false",
  };
  const unique = [...new Set(types.map((type) => names[type] ?? type))];
  if (unique.length === 2 && unique.includes("a number") && unique.includes("text")) return "a number or an expression";
  return unique.join(" or ") || "another value";
}

function listed(values: readonly string[]): string {
  return values.length === 1 ? values[0] : `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
}

function problem(
  span: Span,
  code: string,
  message: string,
  severity: ConfigDiagnostic["severity"] = "error",
): ConfigDiagnostic {
  return { span, severity, code, message };
}
