import type { MapEntry, MapNode, TreeNode } from "../tree";
import { mapNode } from "../nodes";
import { childOf, dottedName, type PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";

/** Calls that describe a field instead of giving its value. */
const FIELD_MAKERS = new Set([
  "field",
  "Field",
  "attrib",
  "ib",
  "Option",
  "Argument",
  "Arg",
  "arg",
  "Parameter",
  "PrivateAttr",
  "Subcommand",
]);

export interface Field {
  readonly name: string;
  readonly nameNode: PyNode;
  /** Undefined: declared without a default. */
  readonly value: PyNode | undefined;
  readonly type: PyNode | null;
}

/** The names after a class, `trl.GRPOConfig` as written. */
export function basesOf(evaluation: Evaluation, definition: PyNode): readonly string[] {
  return (childOf(definition, "superclasses")?.children ?? []).flatMap((base) => {
    const target = base.type === "subscript" ? (childOf(base, "value") ?? base) : base;
    return dottedName(target, evaluation.text) ?? [];
  });
}

/** The fields of a class in order, those of its bases in this file first; a base that several lead to counts once. */
export function fieldsOf(evaluation: Evaluation, definition: PyNode): readonly Field[] {
  let made = kept.get(evaluation);
  if (made === undefined) kept.set(evaluation, (made = new Map()));
  let fields = made.get(definition);
  if (fields === undefined) {
    const gathered = new Map<string, Field>();
    gather(evaluation, definition, new Set(), gathered);
    made.set(definition, (fields = [...gathered.values()]));
  }
  return fields;
}

const kept = new WeakMap<Evaluation, Map<PyNode, readonly Field[]>>();

function gather(evaluation: Evaluation, definition: PyNode, seen: Set<PyNode>, fields: Map<string, Field>): void {
  if (seen.has(definition)) return;
  seen.add(definition);
  for (const base of basesOf(evaluation, definition)) {
    const binding = evaluation.definition(base, definition);
    if (binding?.source.kind !== "class") continue;
    gather(evaluation, binding.source.definition, seen, fields);
  }
  for (const statement of childOf(definition, "body")?.children ?? []) {
    const assignment = statement.type === "expression_statement" ? statement.children[0] : undefined;
    if (assignment?.type !== "assignment") continue;
    const left = childOf(assignment, "left");
    if (left?.type !== "identifier") continue;
    const name = evaluation.slice(left);
    fields.set(name, {
      name,
      nameNode: left,
      value: childOf(assignment, "right") ?? undefined,
      type: childOf(assignment, "type"),
    });
  }
}

/** What a field has when nobody sets it; undefined when it must be given. */
export function fieldDefault(evaluation: Evaluation, value: PyNode): TreeNode | undefined {
  const called = value.type === "call" ? childOf(value, "function") : null;
  const name = called && dottedName(called, evaluation.text)?.split(".").at(-1);
  if (!name || !FIELD_MAKERS.has(name)) return evaluation.value(value);
  const given = childOf(value, "arguments")?.children ?? [];
  const keyword = (wanted: string): PyNode | null => {
    const argument = given.find(
      (a) => a.type === "keyword_argument" && evaluation.slice(childOf(a, "name") ?? a) === wanted,
    );
    return argument ? childOf(argument, "value") : null;
  };
  const stated =
    keyword("default") ?? (name === "field" ? null : (given.find((a) => a.type !== "keyword_argument") ?? null));
  if (stated?.type === "ellipsis") return undefined;
  if (stated) return evaluation.value(stated);
  const factory = keyword("default_factory") ?? keyword("factory");
  if (!factory) return undefined;
  if (factory.type === "lambda") {
    const body = childOf(factory, "body");
    return body ? evaluation.value(body) : undefined;
  }
  const binding = factory.type === "identifier" ? evaluation.definition(evaluation.slice(factory), factory) : undefined;
  if (binding?.source.kind === "class") return instanceOf(evaluation, binding.source.definition, null, factory);
  return evaluation.unknown(value, `\`${evaluation.slice(factory)}()\` would have to be executed`);
}

/** An object of a class in this file: its defaults, under the arguments of its call. */
export function instanceOf(evaluation: Evaluation, definition: PyNode, call: MapNode | null, at: PyNode): MapNode {
  const fields = fieldsOf(evaluation, definition);
  const hasInit = (childOf(definition, "body")?.children ?? []).some(
    (s) => s.type === "function_definition" && evaluation.slice(childOf(s, "name") ?? s) === "__init__",
  );
  const given: MapEntry[] = [];
  for (const entry of call?.entries ?? []) {
    const position = /^\d+$/.test(entry.key) && !hasInit ? Number(entry.key) : null;
    const field = position === null ? undefined : fields[position];
    given.push(field ? { ...entry, key: field.name } : entry);
  }
  const set = new Set(given.map((entry) => entry.key));
  const entries: MapEntry[] = [];
  for (const field of fields) {
    if (set.has(field.name)) continue;
    const value = field.value && fieldDefault(evaluation, field.value);
    if (value) entries.push({ key: field.name, keySpan: spanOf(field.nameNode), value });
    else if (call)
      entries.push({
        key: field.name,
        keySpan: spanOf(field.nameNode),
        value: evaluation.unknown(at, `\`${field.name}\` has no default and is not given here`),
      });
  }
  const name = childOf(definition, "name");
  return {
    ...mapNode([...entries, ...given], spanOf(at)),
    ...(name ? { callee: call?.callee ?? evaluation.slice(name) } : {}),
  };
}

/** The class in this file that a type annotation names (`CLIConfig`, `CLIConfig | None`), if one. */
export function annotatedClass(evaluation: Evaluation, type: PyNode | null): PyNode | undefined {
  if (!type) return undefined;
  const name = /^["']?([A-Za-z_][A-Za-z0-9_]*)["']?$/.exec(
    evaluation
      .slice(type)
      .replace(/\s*\|\s*None$/, "")
      .trim(),
  )?.[1];
  const binding = name ? evaluation.definition(name, type) : undefined;
  return binding?.source.kind === "class" ? binding.source.definition : undefined;
}
