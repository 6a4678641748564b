import type { TreeNode } from "../tree";
import { keyOf } from "../shared";
import { childOf, enclosing, type PyNode } from "./ast";
import type { Evaluation } from "./evaluation";

/** Expressions that take a value that stands elsewhere. */
const TAKING = new Set(["identifier", "attribute", "subscript", "call"]);
/** Calls that only tell. */
const TELLING = /^(?:print|tqdm|pprint|(?:wandb|logger|logging|log|mlflow|swanlab)\.)/;
const NAMES = /(?:^|_)(?:name|project|entity|group|tags?|title|notes?|description)$/i;
const MOST_SHOWN = 40;

/** The places of a Python file that take a literal through a name, an attribute or a call. */
export class Uses {
  readonly #takers = new Map<string, PyNode[]>();

  note(node: PyNode, value: TreeNode): void {
    if (value.kind !== "scalar" || !TAKING.has(node.type)) return;
    if (value.span.start >= node.start && value.span.end <= node.end) return;
    const key = keyOf(value.span);
    const before = this.#takers.get(key);
    if (before) before.push(node);
    else this.#takers.set(key, [node]);
  }

  /** What takes each literal, where several do. A name that is only handed on counts where it arrives. */
  shared(evaluation: Evaluation): ReadonlyMap<string, readonly string[]> {
    const shared = new Map<string, readonly string[]>();
    for (const [key, nodes] of this.#takers) {
      const counted = nodes.filter((node) => !isHandedOn(evaluation, node) && !isTold(evaluation, node));
      const outer = counted.filter(
        (node) => !counted.some((other) => other !== node && other.start <= node.start && other.end >= node.end),
      );
      // An entry of a dictionary is handed on where it is taken out again.
      const direct = outer.some(({ type }) => type === "attribute" || type === "subscript")
        ? outer.filter(({ parent }) => parent?.type !== "pair")
        : outer;
      if (direct.length > 1) shared.set(key, [...new Set(direct.map((node) => shownUse(evaluation, node)))]);
    }
    return shared;
  }
}

function isHandedOn(evaluation: Evaluation, node: PyNode): boolean {
  const { parent } = node;
  if (!parent) return false;
  if (parent.type === "assignment" && node.field === "right") return true;
  if (parent.type === "return_statement" || /default_parameter$/.test(parent.type)) return true;
  const given = parent.type === "keyword_argument" ? parent.parent : parent;
  const call = given?.type === "argument_list" ? given.parent : null;
  const callee = call && childOf(call, "function");
  if (callee?.type !== "identifier") return false;
  const kind = evaluation.definition(evaluation.slice(callee), callee)?.source.kind;
  return kind === "function" || kind === "class";
}

function isTold(evaluation: Evaluation, node: PyNode): boolean {
  for (let at: PyNode | null = node.parent; at; at = at.parent) {
    if (at.type === "call" && TELLING.test(evaluation.slice(childOf(at, "function") ?? at))) return true;
    if (at.type === "keyword_argument" && NAMES.test(evaluation.slice(childOf(at, "name") ?? at))) return true;
  }
  return false;
}

function shownUse(evaluation: Evaluation, node: PyNode): string {
  const keyword = enclosing(node, "keyword_argument");
  const name = keyword && childOf(keyword, "name");
  if (name) return `\`${evaluation.slice(name)}\``;
  const around = enclosing(node, "call", "for_statement", "assignment") ?? node;
  const [line] = evaluation.slice(around).split("\n");
  return `\`${line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line}\``;
}
