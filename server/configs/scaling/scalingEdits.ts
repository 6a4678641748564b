import { entryOf } from "../../syntax/nodes";
import { lineEnd, newlineOf, type TextChange } from "../../syntax/text";
import type { ListNode, MapEntry, MapNode } from "../../syntax/tree";
import { parseYaml } from "../../syntax/yaml/yaml";

/** What commands and actions write into `scaling.yaml`. */
export type ScalingChange =
  | { readonly kind: "pin" | "unpin"; readonly axis: string }
  | { readonly kind: "set"; readonly key: "fit" | "law"; readonly value: string }
  /** A fact; without a value it is to be filled in by hand, since nothing may be invented. */
  | { readonly kind: "fact"; readonly file: string; readonly axis: string; readonly value?: number };

/** Splices that make the change; what else is in the file stays byte for byte. Null: there is nothing to do. */
export function scalingChanges(text: string, change: ScalingChange): readonly TextChange[] | null {
  const root = parseYaml(text, { dialect: "1.2" }).variants[0]?.root ?? null;
  const newline = newlineOf(text);
  switch (change.kind) {
    case "set":
      return setText(text, root, newline, change.key, quoted(change.value));
    case "pin":
    case "unpin":
      return pin(text, root, newline, change.axis, change.kind === "pin");
    case "fact":
      return addFact(text, root, newline, change.file, change.axis, change.value);
  }
}

function setText(
  text: string,
  root: MapNode | null,
  newline: string,
  key: string,
  value: string,
): readonly TextChange[] | null {
  const entry = root && entryOf(root, key);
  if (!entry) return [appended(text, newline, `${key}: ${value}`)];
  const { start, end } = entry.value.span;
  // `fit:` with nothing after it has an empty span that may begin right at the colon.
  const gap = start === end && text[start - 1] === ":" ? " " : "";
  return text.slice(start, end) === value ? null : [{ span: { start, end }, newText: gap + value }];
}

function pin(
  text: string,
  root: MapNode | null,
  newline: string,
  axis: string,
  on: boolean,
): readonly TextChange[] | null {
  const entry = root && entryOf(root, "pin");
  const list = entry?.value.kind === "list" ? entry.value : null;
  const now = list ? names(list) : [];
  if (now.includes(axis) === on) return null;
  const wanted = on ? [...now, axis] : now.filter((name) => name !== axis);
  if (!entry) return [appended(text, newline, `pin: [${axis}]`)];
  const flow = `[${wanted.join(", ")}]`;
  if (!list || text[list.span.start] === "[")
    return [{ span: entry.value.span, newText: entry.value.span.start === entry.value.span.end ? ` ${flow}` : flow }];
  return on ? addItem(text, list, newline, axis) : removeItem(text, list, axis, flow);
}

function names(list: ListNode): string[] {
  return list.items.flatMap((item) => (item.kind === "scalar" && item.value !== null ? [String(item.value)] : []));
}

function addItem(text: string, list: ListNode, newline: string, axis: string): readonly TextChange[] {
  const last = list.items[list.items.length - 1];
  const lineStart = text.lastIndexOf("\n", last.span.start - 1) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart))?.[0] ?? "";
  const end = lineEnd(text, last.span.end);
  return [{ span: { start: end, end }, newText: `${newline}${indent}- ${axis}` }];
}

function removeItem(text: string, list: ListNode, axis: string, flow: string): readonly TextChange[] {
  if (list.items.length <= 1) return [{ span: list.span, newText: flow }];
  const item = list.items.find((one) => one.kind === "scalar" && one.value === axis);
  if (!item) return [];
  const start = text.lastIndexOf("\n", item.span.start - 1) + 1;
  const end = lineEnd(text, item.span.end);
  return [{ span: { start, end: Math.min(text.length, end + (text.startsWith("\r\n", end) ? 2 : 1)) }, newText: "" }];
}

function addFact(
  text: string,
  root: MapNode | null,
  newline: string,
  file: string,
  axis: string,
  value?: number,
): readonly TextChange[] {
  const entry = root && entryOf(root, "facts");
  const said = `${axis}: ${value ?? "# state the number"}`;
  const line = (indent: string) => `${indent}- files: ${quoted(file)}${newline}${indent}  ${said}`;
  if (!entry) return [appended(text, newline, `facts:${newline}${line("  ")}`)];
  if (entry.value.kind === "map" && entry.value.entries.length > 0)
    return addKeyedFact(text, entry.value, newline, file, axis, value);
  if (entry.value.kind !== "list" || entry.value.items.length === 0)
    return [
      { span: { start: afterColon(text, entry), end: entry.value.span.end }, newText: `${newline}${line("  ")}` },
    ];
  const list = entry.value;
  const own = list.items.find(
    (item) =>
      item.kind === "map" &&
      item.entries.some(({ key, value }) => key === "files" && value.kind === "scalar" && value.value === file),
  );
  if (text[list.span.start] === "[") {
    const end = list.span.end - 1;
    return [{ span: { start: end, end }, newText: `, { files: ${quoted(file)}, ${axis}: ${value ?? "null"} }` }];
  }
  if (own?.kind === "map" && text[own.span.start] !== "{") {
    const last = own.entries[own.entries.length - 1];
    const first = own.entries[0];
    const end = lineEnd(text, last.value.span.end);
    return [{ span: { start: end, end }, newText: `${newline}${indentAt(text, first.keySpan.start)}${said}` }];
  }
  const last = list.items[list.items.length - 1];
  const lineStart = text.lastIndexOf("\n", list.items[0].span.start - 1) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart))?.[0] ?? "  ";
  const end = lineEnd(text, last.span.end);
  return [{ span: { start: end, end }, newText: `${newline}${line(indent)}` }];
}

/** The same where `facts` is a map from files to what holds for them. */
function addKeyedFact(
  text: string,
  facts: MapNode,
  newline: string,
  file: string,
  axis: string,
  value?: number,
): readonly TextChange[] {
  const said = `${axis}: ${value ?? "null"}`;
  const own = entryOf(facts, file);
  const inBraces = (map: MapNode, what: string): readonly TextChange[] => {
    const end = map.span.end - 1;
    return [{ span: { start: end, end }, newText: map.entries.length > 0 ? `, ${what}` : ` ${what} ` }];
  };
  if (own?.value.kind === "map") {
    if (text[own.value.span.start] === "{") return inBraces(own.value, said);
    const [first, last] = [own.value.entries[0], own.value.entries[own.value.entries.length - 1]];
    const end = lineEnd(text, last.value.span.end);
    return [{ span: { start: end, end }, newText: `${newline}${indentAt(text, first.keySpan.start)}${said}` }];
  }
  if (own) return [{ span: { start: afterColon(text, own), end: own.value.span.end }, newText: ` { ${said} }` }];
  const rule = `${quoted(file)}: { ${said} }`;
  if (text[facts.span.start] === "{") return inBraces(facts, rule);
  const [first, last] = [facts.entries[0], facts.entries[facts.entries.length - 1]];
  const end = lineEnd(text, last.value.span.end);
  return [{ span: { start: end, end }, newText: `${newline}${indentAt(text, first.keySpan.start)}${rule}` }];
}

/** Blanks up to the column of a place. */
function indentAt(text: string, at: number): string {
  return " ".repeat(at - (text.lastIndexOf("\n", at - 1) + 1));
}

function afterColon(text: string, { keySpan }: MapEntry): number {
  return text.indexOf(":", keySpan.end) + 1;
}

function appended(text: string, newline: string, line: string): TextChange {
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return { span: { start: text.length, end: text.length }, newText: `${gap}${line}${newline}` };
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : JSON.stringify(text);
}

/** A new `scaling.yaml`: every key explained, nothing in force but what is named. */
export function scalingTemplate(logs: readonly string[]): string {
  return `# Where the run logs or a saved fit are, and what no config can state. All of it is optional.
${logs.length > 0 ? `logs: [${logs.map(quoted).join(", ")}]` : '# logs: ["runs/**"]'}
# fit: fits/runs.fit.json          # instead of logs: a saved fit
# metric: val-core/*/acc/mean@1    # the success rate, where it is not found by itself
# columns: { tasks: n_prompts, success_rate: acc }   # where the files call a column otherwise
# hardware: { gpu: H100, count: 8, price: 2.5 USD/h, utilisation: { generation: 0.25, training: 0.4 } }
# prices: { environment: 40 USD, task: 0.5 USD, synthetic: { environment: 6 USD, task: 0.02 USD } }
# limits: { environments: [1, 200], trajectories: [2, 64] }
# pin: [parameters]
# facts:
#   - files: "configs/**"
#     tasks: 4096
`;
}
