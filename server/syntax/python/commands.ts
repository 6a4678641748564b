import { literal, textOf, unknownSegment, type Segment, type Word } from "../shell/interpret/value";
import type { EmbeddedCommand } from "../shell/embedded";
import type { Grammar } from "../treeSitter";
import { pythonText } from "./arithmetic";
import { childOf, dottedName, toPlain, type PyNode } from "./ast";
import { Evaluator } from "./evaluate";
import { spanOf } from "./evaluation";
import { splitAtBlanks, splitText, textPieces } from "./pieces";
import { collectScopes, scopeChain, type Binding } from "./scopes";

/** Whether a Python text starts other programs at all. */
const STARTS_PROGRAMS = /\b(subprocess|os\.(system|popen|exec)|execute_train|submit_job|exec_command)/;

/** Functions that take a command, by the last part of their name. */
const STARTERS =
  /^(run|call|check_call|check_output|Popen|popen|system|exec\w*|sh|submit\w*|launch\w*|run_\w+|stream_\w+)$/;
const COMMAND_ARGUMENTS = new Set(["args", "cmd", "command", "entrypoint", "commands"]);
/** slime and miles give the trainer's arguments alone, as one text. */
const TRAINER_ARGUMENTS = "train_args";
const MOST_DEPTH = 40;
const MOST_WORDS = 2_000;

type Locals = ReadonlyMap<string, Word>;
const NONE: Locals = new Map();

/** The commands that a Python script would start, put together from its strings and lists. Nothing is executed. */
export function pythonCommands(source: string, grammar: Grammar): readonly EmbeddedCommand[] {
  if (!STARTS_PROGRAMS.test(source)) return [];
  const text = source.replace(/^\uFEFF/, " ");
  try {
    const { root } = grammar.parse(text, toPlain);
    return new Commands(root, text).all();
  } catch {
    return [];
  }
}

class Commands {
  readonly #evaluator: Evaluator;
  readonly #text: string;
  #left = MOST_WORDS;

  constructor(root: PyNode, text: string) {
    this.#text = text;
    this.#evaluator = new Evaluator(root, text, collectScopes(root, text));
  }

  all(): EmbeddedCommand[] {
    return this.#evaluator.scopes.calls.flatMap((call): readonly EmbeddedCommand[] => {
      const called = childOf(call, "function");
      const name = called && (dottedName(called, this.#text) ?? this.#slice(childOf(called, "attribute") ?? called));
      if (!name || !STARTERS.test(name.split(".").at(-1) ?? "") || this.#evaluator.reached(call, null) === false)
        return [];
      const given = childOf(call, "arguments")?.children ?? [];
      const named = (wanted: (key: string) => boolean): PyNode | null => {
        const found = given.find(
          (one) => one.type === "keyword_argument" && wanted(this.#slice(childOf(one, "name") ?? one)),
        );
        return (found && childOf(found, "value")) ?? null;
      };
      const trainer = named((key) => key === TRAINER_ARGUMENTS);
      if (trainer) {
        const script = named((key) => key === "train_script");
        const target = script ? this.#string(script, 0, NONE) : [literal("train.py")];
        return [
          {
            text: [literal("python3 "), ...target, literal(" "), ...this.#string(trainer, 0, NONE)],
            span: spanOf(call),
          },
        ];
      }
      const argument =
        given.find((one) => one.type !== "keyword_argument") ?? named((key) => COMMAND_ARGUMENTS.has(key));
      const words = argument && this.#words(argument, 0, NONE);
      if (words) return [{ words, span: spanOf(call) }];
      const command = argument ? this.#string(argument, 0, NONE) : [];
      return /\S\s+\S/.test(textOf(command)) ? [{ text: command, span: spanOf(call) }] : [];
    });
  }

  #slice(node: PyNode): string {
    return this.#text.slice(node.start, node.end);
  }

  #unknown(node: PyNode, reason: string): Word {
    const name = /([A-Za-z_]\w*)\W*$/.exec(this.#slice(node))?.[1] ?? "value";
    return [unknownSegment(reason, `\${${name}}`)];
  }

  /** The value of an expression that is no text put together: a number, a name from elsewhere, an option's default. */
  #value(node: PyNode): Word {
    const value = this.#evaluator.value(node);
    if (value.kind !== "scalar")
      return this.#unknown(node, value.kind === "unknown" ? value.reason : "it would have to be executed");
    const shown = pythonText(value.value);
    const at = this.#text.indexOf(shown, value.span.start);
    const exact =
      value.editable && shown !== "" && at >= 0 && at - value.span.start <= 1 && at + shown.length <= value.span.end;
    return [
      literal(shown, {
        ...(exact ? { span: { start: at, end: at + shown.length } } : { via: value.via ?? "computed" }),
        ...(exact && value.via !== undefined ? { via: value.via } : {}),
      }),
    ];
  }

  /** An expression as text. */
  #string(node: PyNode, depth: number, locals: Locals): Word {
    if (depth > MOST_DEPTH || --this.#left < 0) return this.#unknown(node, "it is nested too deeply to follow");
    switch (node.type) {
      case "string":
        return this.#literal(node, depth, locals);
      case "concatenated_string":
        return node.children.flatMap((child) => this.#string(child, depth + 1, locals));
      case "parenthesized_expression":
        return node.children[0] ? this.#string(node.children[0], depth + 1, locals) : [];
      case "binary_operator": {
        const [left, right] = [childOf(node, "left"), childOf(node, "right")];
        const plus = this.#slice(childOf(node, "operator") ?? node) === "+";
        const isText = plus && this.#evaluator.value(node).kind === "unknown";
        if (!left || !right || !(isText || (plus && typeof this.#scalarOf(node) === "string")))
          return this.#value(node);
        return [...this.#string(left, depth + 1, locals), ...this.#string(right, depth + 1, locals)];
      }
      case "conditional_expression": {
        const [body, condition, otherwise] = node.children;
        const truth = condition ? this.#evaluator.truth(condition) : null;
        if (truth === null || !body || !otherwise) return this.#value(node);
        return this.#string(truth ? body : otherwise, depth + 1, locals);
      }
      case "identifier":
        return locals.get(this.#slice(node)) ?? this.#named(node, depth, locals);
      case "call":
        return this.#called(node, depth, locals);
      default:
        return this.#value(node);
    }
  }

  #scalarOf(node: PyNode): unknown {
    const value = this.#evaluator.value(node);
    return value.kind === "scalar" ? value.value : undefined;
  }

  #literal(node: PyNode, depth: number, locals: Locals): Word {
    return textPieces(node, this.#text, (expression, place) =>
      expression ? this.#string(expression, depth + 1, locals) : this.#unknown(place, "its text is formatted"),
    );
  }

  /** What binds a name where it is used: the last value, with what is added to it afterwards. */
  #bindings(node: PyNode): readonly Binding[] {
    const name = this.#slice(node);
    for (const [depth, scope] of scopeChain(node).entries()) {
      const all = this.#evaluator.scopes.bindings(scope, name);
      if (all.length === 0) continue;
      const before = all.filter(
        (one) => (depth > 0 || one.after <= node.start) && this.#evaluator.reached(one.at, node) !== false,
      );
      const last = before.filter((one) => one.source.kind !== "augmented").at(-1);
      return last === undefined ? [] : before.slice(before.indexOf(last));
    }
    return [];
  }

  #named(node: PyNode, depth: number, locals: Locals): Word {
    const [first, ...added] = this.#bindings(node);
    if (first?.source.kind !== "value" || first.source.index !== undefined) return this.#value(node);
    const simple = this.#evaluator.value(node);
    if (added.length === 0 && simple.kind === "scalar" && typeof simple.value !== "string") return this.#value(node);
    const more = added.flatMap((one): Word => {
      const right = one.source.kind === "augmented" ? childOf(one.source.statement, "right") : null;
      return right && this.#evaluator.reached(one.at, node) === true ? this.#string(right, depth + 1, locals) : [];
    });
    return [...this.#string(first.source.value, depth + 1, locals), ...more];
  }

  #called(node: PyNode, depth: number, locals: Locals): Word {
    const called = childOf(node, "function");
    const given = (childOf(node, "arguments")?.children ?? []).filter((one) => one.type !== "keyword_argument");
    const method = called?.type === "attribute" ? this.#slice(childOf(called, "attribute") ?? called) : null;
    const object = called ? childOf(called, "object") : null;
    const whole = splitText(node, this.#text);
    if (whole) return this.#string(whole, depth + 1, locals);
    if (method === "dedent" || (called && this.#slice(called) === "str" && given[0]))
      return given[0] ? this.#string(given[0], depth + 1, locals) : [];
    if (object && (method === "strip" || method === "rstrip" || method === "lstrip") && given.length === 0)
      return this.#string(object, depth + 1, locals);
    const isJoin = (object && method === "join") || (called && /^shlex\.join$/.test(this.#slice(called)));
    const words = isJoin && given[0] ? this.#words(given[0], depth + 1, locals) : undefined;
    if (words) {
      const mark = object?.type === "string" ? this.#string(object, depth + 1, locals) : [literal(" ")];
      return words.flatMap((word, index) => (index === 0 ? [...word] : [...mark, ...word]));
    }
    const definition =
      called?.type === "identifier" ? this.#evaluator.definition(this.#slice(called), node) : undefined;
    const result = definition?.source.kind === "function" ? returnOf(definition.source.definition) : null;
    if (result && this.#evaluator.value(node).kind === "unknown") return this.#string(result, depth + 1, NONE);
    return this.#value(node);
  }

  /** An expression as the words of a command; undefined where it is no list. */
  #words(node: PyNode, depth: number, locals: Locals): Word[] | undefined {
    if (depth > MOST_DEPTH || --this.#left < 0) return undefined;
    switch (node.type) {
      case "list":
      case "tuple":
        return node.children.flatMap((child) =>
          child.type === "list_splat"
            ? ((child.children[0] && this.#words(child.children[0], depth + 1, locals)) ?? [])
            : [this.#word(child, depth, locals)],
        );
      case "parenthesized_expression":
        return node.children[0] ? this.#words(node.children[0], depth + 1, locals) : undefined;
      case "binary_operator": {
        const [left, right] = [childOf(node, "left"), childOf(node, "right")];
        if (this.#slice(childOf(node, "operator") ?? node) !== "+" || !left || !right) return undefined;
        const sides = [this.#words(left, depth + 1, locals), this.#words(right, depth + 1, locals)];
        if (sides[0] === undefined && sides[1] === undefined) return undefined;
        return sides.flatMap((side) => side ?? []);
      }
      case "conditional_expression": {
        const [body, condition, otherwise] = node.children;
        const truth = condition ? this.#evaluator.truth(condition) : null;
        if (!body || !otherwise) return undefined;
        return truth === null ? [] : this.#words(truth ? body : otherwise, depth + 1, locals);
      }
      case "list_comprehension":
        return this.#comprehended(node, depth, locals);
      case "identifier":
        return this.#list(node, depth, locals);
      case "call": {
        const called = childOf(node, "function");
        const name = called && this.#slice(called);
        const argument = childOf(node, "arguments")?.children[0];
        const whole = splitText(node, this.#text);
        if (whole) return splitAtBlanks(this.#string(whole, depth + 1, locals));
        if (argument && (name === "list" || name === "map")) {
          const inner = name === "map" ? childOf(node, "arguments")?.children[1] : argument;
          return inner ? this.#words(inner, depth + 1, locals) : undefined;
        }
        const definition = called?.type === "identifier" ? this.#evaluator.definition(name ?? "", node) : undefined;
        const result = definition?.source.kind === "function" ? returnOf(definition.source.definition) : null;
        return result ? this.#words(result, depth + 1, NONE) : undefined;
      }
      default:
        return undefined;
    }
  }

  #word(node: PyNode, depth: number, locals: Locals): Word {
    const word = this.#string(node, depth + 1, locals);
    return word.map((segment) => (segment.unknown === undefined ? { ...segment, quoted: true } : segment));
  }

  /** A list by its name, with what is appended before it is used. */
  #list(node: PyNode, depth: number, locals: Locals): Word[] | undefined {
    const [first, ...added] = this.#bindings(node);
    if (first?.source.kind !== "value") return undefined;
    const words = this.#words(first.source.value, depth + 1, locals);
    if (!words) return undefined;
    const scope = scopeChain(node).find((one) => this.#evaluator.scopes.bindings(one, this.#slice(node)).length > 0);
    const filled = (scope ? this.#evaluator.scopes.mutations(scope, this.#slice(node)) : []).filter(
      (one) => one.path.length === 0 && one.at.start > first.at.start && one.at.end <= node.start && !one.elsewhere,
    );
    const steps = [
      ...added.flatMap((one) => (one.source.kind === "augmented" ? [one.source.statement] : [])),
      ...filled.map((one) => one.at),
    ].sort((a, b) => a.start - b.start);
    for (const step of steps) {
      if (this.#evaluator.reached(step, node) !== true) continue;
      const method = childOf(step, "function");
      const argument = method ? childOf(step, "arguments")?.children[0] : childOf(step, "right");
      if (!argument) continue;
      const appended = method !== null && this.#slice(childOf(method, "attribute") ?? method) === "append";
      words.push(
        ...(appended ? [this.#word(argument, depth, locals)] : (this.#words(argument, depth + 1, locals) ?? [])),
      );
    }
    return words;
  }

  /** `[f"{k}={v}" for k, v in OVERRIDES.items()]`, over a dict or a list that is in the text. */
  #comprehended(node: PyNode, depth: number, locals: Locals): Word[] | undefined {
    const body = childOf(node, "body");
    const clauses = node.children.filter((child) => child.type === "for_in_clause" || child.type === "if_clause");
    const [left, right] = [clauses[0] && childOf(clauses[0], "left"), clauses[0] && childOf(clauses[0], "right")];
    if (!body || clauses.length !== 1 || !left || !right) return undefined;
    const called = right.type === "call" ? childOf(right, "function") : null;
    const names = left.type === "identifier" ? [left] : left.children;
    if (called?.type === "attribute" && this.#slice(childOf(called, "attribute") ?? called) === "items") {
      const object = childOf(called, "object");
      const map = object ? this.#evaluator.value(object) : undefined;
      if (map?.kind !== "map" || names.length !== 2) return undefined;
      return map.entries.map((entry) => {
        const value: Word =
          entry.value.kind === "scalar"
            ? [literal(pythonText(entry.value.value), this.#placed(entry.value.span, pythonText(entry.value.value)))]
            : [unknownSegment("it is no plain value", `\${${entry.key}}`)];
        const own = new Map([...locals, [this.#slice(names[0]), [literal(entry.key)]], [this.#slice(names[1]), value]]);
        return this.#word(body, depth, own);
      });
    }
    const items = names.length === 1 ? this.#words(right, depth + 1, locals) : undefined;
    return items?.map((item) => this.#word(body, depth, new Map([...locals, [this.#slice(names[0]), item]])));
  }

  #placed(span: { readonly start: number; readonly end: number }, shown: string): Partial<Segment> {
    const start = this.#text[span.start] === '"' || this.#text[span.start] === "'" ? span.start + 1 : span.start;
    return this.#text.slice(start, start + shown.length) === shown && start + shown.length <= span.end
      ? { span: { start, end: start + shown.length } }
      : { via: "computed" };
  }
}

/** What a function with one `return` gives. */
function returnOf(definition: PyNode): PyNode | null {
  const body = childOf(definition, "body");
  const returns = body?.children.filter((child) => child.type === "return_statement") ?? [];
  return returns.length === 1 ? (returns[0].children[0] ?? null) : null;
}
