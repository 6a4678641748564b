import { childOf, childrenOf, descendants, dottedName, enclosing, type PyNode } from "./ast";

/** How a name gets its value. */
type BindingSource =
  /** `x = value`; `index` where a tuple is unpacked (`a, b = value`). */
  | { readonly kind: "value"; readonly value: PyNode; readonly index?: number }
  | { readonly kind: "augmented"; readonly statement: PyNode }
  | { readonly kind: "loop"; readonly loop: PyNode; readonly index?: number }
  | { readonly kind: "parameter"; readonly parameter: PyNode; readonly owner: PyNode }
  | { readonly kind: "function" | "class"; readonly definition: PyNode }
  | { readonly kind: "import"; readonly from: string }
  /** Bound by something whose value is not in the text (`with … as x`, `except … as e`). */
  | { readonly kind: "other"; readonly what: string };

export interface Binding {
  readonly name: string;
  /** The statement. */
  readonly at: PyNode;
  /** Uses from this offset on come later: the end of the statement, except for names of loops. */
  readonly after: number;
  readonly source: BindingSource;
}

/** `name.path[…] = value`, `name.update(…)` or `name.append(…)`, which changes an object after it was bound. */
export interface Mutation {
  readonly at: PyNode;
  readonly path: readonly string[];
  readonly value: PyNode;
  /** `set`: `value` stands at the path; `merge`: its entries do; `fill`: what is there afterwards only a run knows. */
  readonly kind: "set" | "merge" | "fill";
  /** It stands in another function, which may or may not run, and before or after. */
  readonly elsewhere?: boolean;
}

/** Methods that fill or empty a list, set or dict. */
const FILLERS = new Set([
  "append",
  "extend",
  "insert",
  "add",
  "remove",
  "pop",
  "clear",
  "setdefault",
  "popitem",
  "discard",
]);

export interface Scopes {
  /** Bindings of a name in a scope, in the order of the text. */
  bindings(scope: PyNode, name: string): readonly Binding[];
  mutations(scope: PyNode, name: string): readonly Mutation[];
  namesIn(scope: PyNode): readonly string[];
  /** Calls by the last part of the called name. */
  callsOf(name: string): readonly PyNode[];
  readonly calls: readonly PyNode[];
  readonly functions: readonly PyNode[];
  readonly classes: readonly PyNode[];
  readonly imports: readonly string[];
}

const SCOPES = [
  "module",
  "function_definition",
  "class_definition",
  "lambda",
  "list_comprehension",
  "generator_expression",
  "set_comprehension",
  "dictionary_comprehension",
];

/** The scope in which a node stands. The default values of a function's parameters stand outside the function. */
export function scopeOf(node: PyNode): PyNode {
  let at = node;
  for (let up = node.parent; up; up = up.parent) {
    const outside = (up.type === "function_definition" || up.type === "class_definition") && at.field !== "body";
    if (SCOPES.includes(up.type) && !outside) return up;
    at = up;
  }
  return at;
}

/** Scopes from the innermost outwards; class bodies are seen only from directly inside. */
export function scopeChain(node: PyNode): readonly PyNode[] {
  const chain: PyNode[] = [];
  for (let scope: PyNode | null = scopeOf(node); scope; scope = scope.parent ? scopeOf(scope) : null) {
    if (scope.type !== "class_definition" || chain.length === 0) chain.push(scope);
  }
  return chain;
}

/** `name` and the keys below it for `name.a["b"]`; null for anything else. */
function targetPath(node: PyNode, text: string): { name: string; path: string[] } | null {
  if (node.type === "identifier") return { name: text.slice(node.start, node.end), path: [] };
  if (node.type === "attribute") {
    const object = childOf(node, "object");
    const attribute = childOf(node, "attribute");
    const outer = object && targetPath(object, text);
    return outer && attribute
      ? { name: outer.name, path: [...outer.path, text.slice(attribute.start, attribute.end)] }
      : null;
  }
  if (node.type === "subscript") {
    const value = childOf(node, "value");
    const key = childOf(node, "subscript");
    const outer = value && targetPath(value, text);
    if (!outer || key?.type !== "string" || key.children.some((c) => c.type === "interpolation")) return null;
    const content = key.children.find((c) => c.type === "string_content");
    return content ? { name: outer.name, path: [...outer.path, text.slice(content.start, content.end)] } : null;
  }
  return null;
}

class Collector implements Scopes {
  readonly #bindings = new Map<PyNode, Map<string, Binding[]>>();
  readonly #mutations = new Map<PyNode, Map<string, Mutation[]>>();
  readonly #callsByName = new Map<string, PyNode[]>();
  readonly calls: PyNode[] = [];
  readonly functions: PyNode[] = [];
  readonly classes: PyNode[] = [];
  readonly imports: string[] = [];
  readonly #text: string;

  constructor(root: PyNode, text: string) {
    this.#text = text;
    for (const node of descendants(
      root,
      "assignment",
      "augmented_assignment",
      "named_expression",
      "for_statement",
      "for_in_clause",
      "function_definition",
      "lambda",
      "class_definition",
      "import_statement",
      "import_from_statement",
      "with_item",
      "as_pattern",
      "call",
    ))
      this.#visit(node);
    this.#moveOutwards();
  }

  /** A change in a function to a name that it does not bind belongs to the scope that does. */
  #moveOutwards(): void {
    for (const [scope, names] of [...this.#mutations]) {
      for (const [name, mutations] of [...names]) {
        if (this.#bindings.get(scope)?.has(name)) continue;
        const owner = scopeChain(mutations[0].at).find((outer) => this.#bindings.get(outer)?.has(name));
        if (!owner || owner === scope) continue;
        names.delete(name);
        for (const mutation of mutations) this.#mutate(owner, name, { ...mutation, elsewhere: true });
      }
    }
  }

  bindings(scope: PyNode, name: string): readonly Binding[] {
    return this.#bindings.get(scope)?.get(name) ?? [];
  }

  mutations(scope: PyNode, name: string): readonly Mutation[] {
    return this.#mutations.get(scope)?.get(name) ?? [];
  }

  namesIn(scope: PyNode): readonly string[] {
    return [...(this.#bindings.get(scope)?.keys() ?? [])];
  }

  callsOf(name: string): readonly PyNode[] {
    return this.#callsByName.get(name) ?? [];
  }

  #visit(node: PyNode): void {
    switch (node.type) {
      case "assignment":
        return this.#assignment(node);
      case "augmented_assignment": {
        const left = childOf(node, "left");
        if (left?.type === "identifier")
          this.#bind(scopeOf(node), this.#slice(left), node, { kind: "augmented", statement: node });
        return;
      }
      case "named_expression": {
        const [name, value] = [childOf(node, "name"), childOf(node, "value")];
        if (name && value) this.#bind(scopeOf(node), this.#slice(name), node, { kind: "value", value });
        return;
      }
      case "for_statement":
      case "for_in_clause": {
        const left = childOf(node, "left");
        // A comprehension's name lives in the comprehension, and is in use before the clause.
        const scope = scopeOf(node);
        const after = node.type === "for_in_clause" ? scope.start : left?.end;
        if (left) this.#target(scope, left, node, (index) => ({ kind: "loop", loop: node, index }), after);
        return;
      }
      case "function_definition":
      case "lambda":
        return this.#function(node);
      case "class_definition": {
        const name = childOf(node, "name");
        if (name) this.#bind(scopeOf(node), this.#slice(name), node, { kind: "class", definition: node });
        this.classes.push(node);
        return;
      }
      case "import_statement":
      case "import_from_statement":
        return this.#import(node);
      case "with_item":
      case "as_pattern": {
        const alias = childOf(node, "alias");
        if (alias) this.#bind(scopeOf(node), this.#slice(alias), node, { kind: "other", what: "is bound by `as`" });
        return;
      }
      case "call":
        return this.#call(node);
    }
  }

  #assignment(node: PyNode): void {
    const left = childOf(node, "left");
    const right = childOf(node, "right");
    if (!left || !right) return;
    let value = right;
    while (value.type === "assignment") value = childOf(value, "right") ?? value.children[0] ?? node;
    const path = targetPath(left, this.#text);
    if (path && path.path.length > 0)
      this.#mutate(scopeOf(node), path.name, { at: node, path: path.path, value, kind: "set" });
    else if (left.type === "subscript") {
      // A key that is not a constant: which entry changes is only known in a run.
      const object = childOf(left, "value");
      const outer = object && targetPath(object, this.#text);
      if (outer) this.#mutate(scopeOf(node), outer.name, { at: node, path: outer.path, value, kind: "fill" });
    } else this.#target(scopeOf(node), left, node, (index) => ({ kind: "value", value, index }));
  }

  #target(scope: PyNode, left: PyNode, at: PyNode, source: (index?: number) => BindingSource, after = at.end): void {
    if (left.type === "identifier") this.#bind(scope, this.#slice(left), at, source(), after);
    else if (left.type === "pattern_list" || left.type === "tuple_pattern" || left.type === "list_pattern") {
      left.children.forEach((child, index) => {
        if (child.type === "identifier") this.#bind(scope, this.#slice(child), at, source(index), after);
      });
    }
  }

  #function(node: PyNode): void {
    const name = childOf(node, "name");
    if (name) {
      this.#bind(scopeOf(node), this.#slice(name), node, { kind: "function", definition: node });
      this.functions.push(node);
    }
    for (const parameter of childOf(node, "parameters")?.children ?? []) {
      const identifier = parameterName(parameter);
      if (identifier)
        this.#bind(node, this.#slice(identifier), identifier, { kind: "parameter", parameter, owner: node });
    }
  }

  #import(node: PyNode): void {
    const module = childOf(node, "module_name");
    const from = module ? this.#slice(module) : null;
    for (const name of childrenOf(node, "name")) {
      const aliased = name.type === "aliased_import";
      const full = this.#slice(aliased ? (childOf(name, "name") ?? name) : name);
      const alias = aliased ? childOf(name, "alias") : null;
      const bound = alias ? this.#slice(alias) : from === null ? full.split(".")[0] : full;
      const qualified = from === null ? full : `${from}.${full}`;
      this.imports.push(qualified);
      this.#bind(scopeOf(node), bound, node, { kind: "import", from: alias || from !== null ? qualified : bound });
    }
    if (from !== null && childrenOf(node, "name").length === 0) this.imports.push(`${from}.*`);
  }

  #call(node: PyNode): void {
    const called = childOf(node, "function");
    if (!called) return;
    const name =
      called.type === "attribute" ? childOf(called, "attribute") : called.type === "identifier" ? called : null;
    this.calls.push(node);
    if (!name) return;
    const last = this.#slice(name);
    const known = this.#callsByName.get(last);
    if (known) known.push(node);
    else this.#callsByName.set(last, [node]);
    if (called.type !== "attribute" || (last !== "update" && !FILLERS.has(last))) return;
    const object = childOf(called, "object");
    const path = object && targetPath(object, this.#text);
    const argument = childOf(node, "arguments")?.children[0];
    if (!path) return;
    if (last !== "update")
      this.#mutate(scopeOf(node), path.name, { at: node, path: path.path, value: node, kind: "fill" });
    else if (argument)
      this.#mutate(scopeOf(node), path.name, {
        at: node,
        path: path.path,
        value: argument.type === "keyword_argument" ? node : argument,
        kind: "merge",
      });
  }

  #bind(scope: PyNode, name: string, at: PyNode, source: BindingSource, after = at.end): void {
    push(this.#bindings, scope, name, { name, at, after, source });
  }

  #mutate(scope: PyNode, name: string, mutation: Mutation): void {
    push(this.#mutations, scope, name, mutation);
  }

  #slice(node: PyNode): string {
    return this.#text.slice(node.start, node.end);
  }
}

function push<Item>(table: Map<PyNode, Map<string, Item[]>>, scope: PyNode, name: string, item: Item): void {
  let names = table.get(scope);
  if (!names) table.set(scope, (names = new Map()));
  const items = names.get(name);
  if (items) items.push(item);
  else names.set(name, [item]);
}

/** The identifier of a parameter in any of its forms (`x`, `x: T`, `x=1`, `x: T = 1`); null for `*args`. */
export function parameterName(parameter: PyNode): PyNode | null {
  if (parameter.type === "identifier") return parameter;
  if (parameter.type === "typed_parameter") return parameter.children.find((c) => c.type === "identifier") ?? null;
  if (parameter.type === "default_parameter" || parameter.type === "typed_default_parameter")
    return childOf(parameter, "name");
  return null;
}

export function collectScopes(root: PyNode, text: string): Scopes {
  return new Collector(root, text);
}

/** The function in whose body a node stands, by name; null at module level. */
export function functionName(node: PyNode, text: string): string | null {
  const owner = enclosing(node, "function_definition");
  const name = owner && childOf(owner, "name");
  return name ? dottedName(name, text) : null;
}
