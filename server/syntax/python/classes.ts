import type { MapEntry, MapNode, TreeNode } from "../tree";
import { mapNode } from "../nodes";
import { childOf, dottedName, enclosing, type PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";
import type { Mutation } from "./scopes";

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
    ...mapNode(given.length > 0 ? [...entries, ...given] : afterInit(evaluation, definition, entries), spanOf(at)),
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

function postInitOf(evaluation: Evaluation, definition: PyNode): PyNode | undefined {
  return (childOf(definition, "body")?.children ?? []).find(
    (one) => one.type === "function_definition" && evaluation.slice(childOf(one, "name") ?? one) === "__post_init__",
  );
}

/** `self.name = value` in the method, in order. */
function settings(evaluation: Evaluation, method: PyNode): readonly Mutation[] {
  return evaluation.scopes.mutations(method, "self").filter(({ kind, path }) => kind === "set" && path.length === 1);
}

/** The fields of a dataclass that nobody gave arguments to, after its `__post_init__` has run. */
function afterInit(evaluation: Evaluation, definition: PyNode, entries: readonly MapEntry[]): readonly MapEntry[] {
  const method = postInitOf(evaluation, definition);
  if (!method) return entries;
  const after = new Map(entries.map((entry) => [entry.key, entry]));
  for (const one of settings(evaluation, method)) {
    const [key] = one.path;
    const value = fieldAt(evaluation, definition, method, key, null, one.at);
    if (value) after.set(key, { key, keySpan: after.get(key)?.keySpan ?? spanOf(one.at), value });
  }
  return [...after.values()];
}

/** `self.name` where it is read within `__post_init__`; undefined anywhere else. */
export function ownField(evaluation: Evaluation, object: PyNode, name: string, node: PyNode): TreeNode | undefined {
  if (object.type !== "identifier" || evaluation.slice(object) !== "self") return undefined;
  const method = enclosing(node, "function_definition");
  const definition = method && enclosing(method, "class_definition");
  if (!method || !definition || postInitOf(evaluation, definition) !== method) return undefined;
  return fieldAt(evaluation, definition, method, name, node, node);
}

/** What a field holds at a place of the method (null: at its end): its default, or what was set last before. */
function fieldAt(
  evaluation: Evaluation,
  definition: PyNode,
  method: PyNode,
  name: string,
  use: PyNode | null,
  at: PyNode,
): TreeNode | undefined {
  const field = fieldsOf(evaluation, definition).find((one) => one.name === name);
  const initial = field?.value && fieldDefault(evaluation, field.value);
  const before = settings(evaluation, method).filter(
    (one) => one.path[0] === name && (use === null || one.at.end <= use.start),
  );
  return evaluation.lastOf<Mutation | null>(
    [...(initial ? [null] : []), ...before],
    (one) => (one === null ? true : evaluation.reached(one.at, use)),
    (one) => (one === null ? (initial as TreeNode) : evaluation.value(one.value)),
    at,
    `\`${name}\``,
  );
}
