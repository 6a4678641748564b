import type { MapEntry, TreeNode } from "../tree";
import { Work } from "../work";
import { scalar, unknownNode } from "../nodes";
import { MAX_TEXT, truthy } from "./arithmetic";
import { childOf, enclosing, type PyNode } from "./ast";
import { evaluateCall } from "./calls";
import { evaluateComprehension, evaluateDictionary, evaluateList, evaluateSplat } from "./collections";
import { sameValue, spanOf, textLength, type Evaluation } from "./evaluation";
import { reached, type Truth } from "./flow";
import { numberValue } from "./literals";
import { evaluateAttribute, evaluateSubscript, memberOf, through } from "./members";
import { changed } from "./mutations";
import { evaluateOperator, operate } from "./operators";
import { parameterValue } from "./parameters";
import { scopeChain, type Binding, type Scopes } from "./scopes";
import { evaluateConcatenated, evaluateString } from "./texts";
import { Uses } from "./uses";

/** Nodes that one reading may evaluate, and how large one value may get when shared parts are written out. */
const MAX_STEPS = 200_000;
const MAX_SIZE = 5_000;
const MAX_DEPTH = 120;
/** Characters of a text cost as much as a node. */
const CHARACTERS_A_STEP = 100;

/** Which turn of a loop is meant: what makes one variant of a sweep. */
export type Choices = ReadonlyMap<PyNode, number>;

/**
 * Gives constants their values without running anything. What would have to be executed is an unknown with the reason.
 * A value has one meaning wherever it stands (parameters take the arguments of their calls), so each node is judged once.
 */
export class Evaluator implements Evaluation {
  readonly text: string;
  readonly scopes: Scopes;
  readonly root: PyNode;
  readonly given: ReadonlyMap<string, TreeNode>;
  /** Loops over lists whose variable a value needed, for variants. */
  readonly sweeps = new Set<PyNode>();
  readonly uses = new Uses();
  readonly #choices: Choices;
  readonly #values = new Map<PyNode, TreeNode>();
  readonly #open = new Set<PyNode>();
  readonly #sizes = new WeakMap<TreeNode, number>();
  readonly #work: Work;
  #steps = 0;
  #depth = 0;

  constructor(
    root: PyNode,
    text: string,
    scopes: Scopes,
    choices: Choices = new Map(),
    given: ReadonlyMap<string, TreeNode> = new Map(),
    work = new Work(),
  ) {
    this.#work = work;
    this.root = root;
    this.given = given;
    this.text = text;
    this.scopes = scopes;
    this.#choices = choices;
  }

  slice(node: PyNode): string {
    return this.text.slice(node.start, node.end);
  }

  unknown(node: PyNode, reason: string): TreeNode {
    return unknownNode(reason, spanOf(node));
  }

  /** The value of an expression. */
  value(node: PyNode): TreeNode {
    const done = this.#values.get(node);
    if (done) return done;
    if (this.#open.has(node)) return this.unknown(node, "it is defined in terms of itself");
    if (++this.#steps > MAX_STEPS || !this.#work.spend())
      return this.unknown(node, "the file is too large to follow every value");
    if (this.#depth > MAX_DEPTH) return this.unknown(node, "it is nested too deeply to follow");
    this.#open.add(node);
    this.#depth++;
    let value = this.#evaluate(node);
    // The place that gives a call its name also changes it: `config.max_steps = 5` belongs to the call.
    const left = node.parent?.type === "assignment" && node.field === "right" ? childOf(node.parent, "left") : null;
    if (node.parent && left?.type === "identifier") value = changed(this, node.parent, this.slice(left), value);
    this.#work.spend(textLength(value) / CHARACTERS_A_STEP);
    if (textLength(value) > Math.max(MAX_TEXT, node.end - node.start))
      value = this.unknown(node, "the text is too long to follow");
    if (this.size(value) > MAX_SIZE) value = this.unknown(node, "the value is too large to follow");
    this.#depth--;
    this.#open.delete(node);
    this.#values.set(node, value);
    this.uses.note(node, value);
    return value;
  }

  size(value: TreeNode): number {
    if (value.kind === "scalar" || value.kind === "unknown") return 1;
    let size = this.#sizes.get(value);
    if (size === undefined) {
      size = 1;
      for (const child of value.kind === "map" ? value.entries.map((e) => e.value) : value.items)
        size += this.size(child);
      this.#sizes.set(value, size);
    }
    return size;
  }

  truth(condition: PyNode): Truth {
    const value = this.value(condition);
    if (value.kind === "scalar") return truthy(value.value);
    if (value.kind === "list") return (value.count ?? value.items.length) > 0;
    // What a function gives is not known; an object of a class is true.
    if (value.kind === "map")
      return value.callee === undefined
        ? value.entries.length > 0
        : /^[A-Z]/.test(value.callee.split(".").at(-1) ?? "") || null;
    return null;
  }

  reached(node: PyNode, use: PyNode | null): Truth {
    return reached(node, use, (condition) => this.truth(condition));
  }

  /** The value of the last of several places that is reached; unknown where a run would have to decide between different ones. */
  lastOf<Item>(
    items: readonly Item[],
    truthOf: (item: Item) => Truth,
    valueOf: (item: Item) => TreeNode,
    at: PyNode,
    what: string,
  ): TreeNode | undefined {
    const possible: TreeNode[] = [];
    for (let i = items.length - 1; i >= 0; i--) {
      const truth = truthOf(items[i]);
      if (truth === false) continue;
      possible.push(valueOf(items[i]));
      if (truth === true) break;
    }
    if (possible.length === 0) return undefined;
    return possible.every((other) => sameValue(possible[0], other))
      ? possible[0]
      : this.unknown(at, `${what} depends on a condition that only a run decides`);
  }

  /** The binding of a name that counts at `use`, as a value. */
  name(name: string, use: PyNode): TreeNode {
    if (name === "__name__") return scalar("__main__", name, spanOf(use), { editable: false });
    const chain = scopeChain(use);
    for (const [depth, scope] of chain.entries()) {
      const all = this.scopes.bindings(scope, name);
      if (all.length === 0) continue;
      // Inside the same scope only what was bound before counts; an inner function runs after all of the outer scope.
      const before = depth === 0 ? all.filter((binding) => binding.after <= use.start) : all;
      const value = this.lastOf(
        before.length > 0 ? before : all.filter((binding) => binding.at.start > use.start || binding.at.end < use.end),
        (binding) => this.reached(binding.at, use),
        (binding) => this.bound(binding),
        use,
        `\`${name}\``,
      );
      if (value) return value;
    }
    return this.unknown(use, `\`${name}\` is not defined in this file`);
  }

  /** What binds a name that is a function, class or import, wherever it is defined. */
  definition(name: string, use: PyNode): Binding | undefined {
    for (const scope of scopeChain(use)) {
      const binding = this.scopes.bindings(scope, name).at(-1);
      if (binding) return binding;
    }
    return undefined;
  }

  bound(binding: Binding): TreeNode {
    const { source, name, at } = binding;
    switch (source.kind) {
      case "value":
        return source.index === undefined
          ? through(this.value(source.value), name)
          : changed(this, at, name, this.#item(this.value(source.value), source.index, at));
      case "loop":
        return this.#loopItem(source.loop, source.index, at);
      case "parameter":
        return this.#guarded(source.parameter, () => parameterValue(this, source.parameter, source.owner));
      case "augmented":
        return this.#guarded(source.statement, () => this.#augmented(source.statement));
      case "function":
      case "class":
        return this.unknown(at, `\`${name}\` is a ${source.kind}`);
      case "import":
        return this.unknown(at, `\`${name}\` comes from \`${source.from}\``);
      case "other":
        return this.unknown(at, `\`${name}\` ${source.what}`);
    }
  }

  /** Values that are not those of an expression can also go in circles. */
  #guarded(node: PyNode, evaluate: () => TreeNode): TreeNode {
    if (this.#open.has(node) || this.#depth > MAX_DEPTH || ++this.#steps > MAX_STEPS)
      return this.unknown(node, "it is defined in terms of itself");
    this.#open.add(node);
    this.#depth++;
    const value = evaluate();
    this.#depth--;
    this.#open.delete(node);
    return value;
  }

  #item(value: TreeNode, index: number, at: PyNode): TreeNode {
    if (value.kind === "list" && index < value.items.length) return value.items[index];
    return value.kind === "unknown" ? value : this.unknown(at, "what is unpacked here is not in the text");
  }

  #loopItem(loop: PyNode, index: number | undefined, at: PyNode): TreeNode {
    const over = childOf(loop, "right");
    const list = over ? this.value(over) : undefined;
    if (list?.kind !== "list" || list.items.length === 0)
      return this.unknown(at, "it changes from turn to turn of a loop");
    const choice = this.#choices.get(loop);
    if (choice === undefined && list.items.length > 1) {
      if (loop.type === "for_statement") this.sweeps.add(loop);
      return this.unknown(at, "it changes from turn to turn of a loop");
    }
    const item = list.items[choice ?? 0];
    return index === undefined ? item : this.#item(item, index, at);
  }

  #augmented(statement: PyNode): TreeNode {
    const [left, operator, right] = [
      childOf(statement, "left"),
      childOf(statement, "operator"),
      childOf(statement, "right"),
    ];
    if (!left || !operator || !right || enclosing(statement, "for_statement", "while_statement"))
      return this.unknown(statement, "it changes from turn to turn of a loop");
    return operate(
      this,
      this.slice(operator).slice(0, -1),
      this.name(this.slice(left), left),
      this.value(right),
      statement,
    );
  }

  #evaluate(node: PyNode): TreeNode {
    const span = spanOf(node);
    switch (node.type) {
      case "integer":
      case "float": {
        const value = numberValue(this.slice(node));
        return value === null
          ? this.unknown(node, "the number is out of range")
          : scalar(value, this.slice(node), span);
      }
      case "true":
      case "false":
        return scalar(node.type === "true", this.slice(node), span);
      case "none":
        return scalar(null, this.slice(node), span);
      case "string":
        return evaluateString(this, node);
      case "concatenated_string":
        return evaluateConcatenated(this, node);
      case "identifier":
        return this.name(this.slice(node), node);
      case "attribute":
        return evaluateAttribute(this, node);
      case "subscript":
        return evaluateSubscript(this, node);
      case "call":
        return evaluateCall(this, node);
      case "list":
      case "tuple":
      case "set":
      case "expression_list":
        return evaluateList(this, node);
      case "dictionary":
        return evaluateDictionary(this, node);
      case "list_comprehension":
      case "set_comprehension":
      case "generator_expression":
        return evaluateComprehension(this, node);
      case "parenthesized_expression":
      case "await":
      case "named_expression": {
        const inner = childOf(node, "value") ?? node.children.at(-1);
        return inner ? this.value(inner) : this.unknown(node, "it is not complete");
      }
      case "unary_operator":
      case "binary_operator":
      case "boolean_operator":
      case "not_operator":
      case "comparison_operator":
        return evaluateOperator(this, node);
      case "conditional_expression": {
        const [body, condition, otherwise] = node.children;
        if (!body || !condition || !otherwise) return this.unknown(node, "it is not complete");
        const truth = this.truth(condition);
        if (truth !== null) return this.value(truth ? body : otherwise);
        return (
          this.lastOf(
            [body, otherwise],
            () => null,
            (n) => this.value(n),
            node,
            "it",
          ) ?? this.unknown(node, "it is not complete")
        );
      }
      default:
        return this.unknown(node, "it would have to be executed");
    }
  }

  member(value: TreeNode, name: string, at: PyNode): TreeNode {
    return memberOf(this, value, name, at);
  }

  splat(node: PyNode): readonly MapEntry[] {
    return evaluateSplat(this, node);
  }
}
