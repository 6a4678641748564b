import type { MapEntry, MapNode, TreeNode } from "../tree";
import { entryOf, listNode, mapNode, scalar } from "../nodes";
import { builtin } from "./builtins";
import { childOf, descendants, dottedName, dottedTail, enclosing, type PyNode } from "./ast";
import { instanceOf } from "./classes";
import { namespaceOf } from "./commandLine";
import { spanOf, type Evaluation } from "./evaluation";

/** Calls that build an object from the command line, out of a class. */
const ENTRY_POINTS = new Set(["cli", "entrypoint", "parse", "wrap", "from_cli"]);
const PARSE_CALLS = new Set(["parse_args", "parse_known_args", "parse_args_into_dataclasses", "parse_args_and_config"]);
const COPIES = new Set(["deepcopy", "copy", "replace", "model_copy", "evolve"]);

/** The value of a call: a constant where it can be told, else the object that it makes, with its arguments. */
export function evaluateCall(evaluation: Evaluation, node: PyNode): TreeNode {
  const called = childOf(node, "function");
  if (!called) return evaluation.unknown(node, "it is not complete");
  const name = dottedName(called, evaluation.text);
  const last = called.type === "attribute" ? evaluation.slice(childOf(called, "attribute") ?? called) : name;
  if (last === null) return evaluation.unknown(node, "it would have to be executed");
  const definition = called.type === "identifier" ? evaluation.definition(last, node) : undefined;
  if (definition?.source.kind === "function") return returned(evaluation, definition.source.definition, node);
  const made = argumentsOf(evaluation, node);
  if (definition?.source.kind === "class")
    return instanceOf(evaluation, definition.source.definition, { ...made, callee: last }, node);
  return (
    fromEnvironment(name, made, node) ??
    fromCommandLine(evaluation, called, last, node) ??
    copied(evaluation, called, last, made, node) ??
    asDict(evaluation, called, last, made, node) ??
    (name === "asyncio.gather"
      ? listNode(
          made.entries.filter((e) => /^\d+$/.test(e.key)).map((e) => e.value),
          spanOf(node),
        )
      : undefined) ??
    (called.type === "identifier" || name?.startsWith("math.") ? builtin(evaluation, last, made, node) : undefined) ??
    methodOf(evaluation, called, last, made, node) ?? {
      ...onObject(evaluation, called, made),
      callee: name ?? dottedTail(called, evaluation.text) ?? last,
    }
  );
}

/** Keeps what a method is called on under `from` (a keyword of Python, so no argument has the name): `load_dataset(…).select(…)`. */
function onObject(evaluation: Evaluation, called: PyNode, made: MapNode): MapNode {
  const object = called.type === "attribute" ? childOf(called, "object") : null;
  const value = object ? evaluation.value(object) : undefined;
  const kept = object && value && (value.kind === "list" || (value.kind === "map" && value.callee !== undefined));
  return kept ? { ...made, entries: [...made.entries, { key: "from", keySpan: spanOf(object), value }] } : made;
}

/** The arguments as entries: keywords by name, positions as `0`, `1`, …; what is only known in a run under `*` and `**`. */
export function argumentsOf(evaluation: Evaluation, call: PyNode): MapNode {
  const entries: MapEntry[] = [];
  const list = childOf(call, "arguments");
  const given = list?.type === "generator_expression" ? [list] : (list?.children ?? []);
  let position = 0;
  for (const argument of given) {
    if (argument.type === "keyword_argument") {
      const [name, value] = [childOf(argument, "name"), childOf(argument, "value")];
      if (name && value)
        entries.push({ key: evaluation.slice(name), keySpan: spanOf(name), value: evaluation.value(value) });
    } else if (argument.type === "dictionary_splat") entries.push(...evaluation.splat(argument));
    else if (argument.type === "list_splat")
      entries.push({
        key: "*",
        keySpan: spanOf(argument),
        value: evaluation.unknown(argument, `\`${evaluation.slice(argument)}\` is only known in a run`),
      });
    else entries.push({ key: String(position++), keySpan: spanOf(argument), value: evaluation.value(argument) });
  }
  return mapNode(entries, spanOf(call));
}

function entry(made: MapNode, ...keys: readonly string[]): TreeNode | undefined {
  return made.entries.find((e) => keys.includes(e.key))?.value;
}

/** What a function of this file returns, when that is one value. */
function returned(evaluation: Evaluation, definition: PyNode, call: PyNode): TreeNode {
  const body = childOf(definition, "body");
  const returns = body
    ? [...descendants(body, "return_statement")].filter(
        (r) => enclosing(r, "function_definition", "lambda") === definition,
      )
    : [];
  // The first that is reached ends the function, so the last counts only when none before it is.
  const reachedReturns: PyNode[] = [];
  for (const statement of returns) {
    const truth = evaluation.reached(statement, null);
    if (truth !== false) reachedReturns.push(statement);
    if (truth === true) break;
  }
  const name = evaluation.slice(childOf(definition, "name") ?? definition);
  const value = evaluation.lastOf(
    reachedReturns,
    (statement) =>
      reachedReturns.length === 1
        ? true
        : evaluation.reached(statement, null) === true && statement === reachedReturns[0]
          ? true
          : null,
    (statement) =>
      statement.children[0]
        ? evaluation.value(statement.children[0])
        : scalar(null, "", spanOf(statement), { editable: false }),
    call,
    `what \`${name}\` returns`,
  );
  return value ?? evaluation.unknown(call, `\`${name}()\` would have to be executed`);
}

/** `os.environ.get("X", 8)`, `os.getenv("X", "8")`: what holds where the variable is not set. */
function fromEnvironment(name: string | null, made: MapNode, node: PyNode): TreeNode | undefined {
  if (name === null || !/^(os\.)?(environ\.(get|setdefault)|getenv)$/.test(name)) return undefined;
  const variable = entry(made, "0", "key");
  const otherwise = entry(made, "1", "default");
  const which = variable?.kind === "scalar" ? String(variable.value) : "a variable";
  if (!otherwise) return scalar(null, "", spanOf(node), { editable: false, via: `\`${which}\` is not set` });
  return otherwise.kind === "scalar"
    ? { ...otherwise, via: `default of the environment variable \`${which}\`` }
    : otherwise;
}

function fromCommandLine(evaluation: Evaluation, called: PyNode, last: string, node: PyNode): TreeNode | undefined {
  if (PARSE_CALLS.has(last) && called.type === "attribute") {
    const classes = parsedClasses(evaluation, childOf(called, "object"));
    if (classes.length > 0) return listNode(classes, spanOf(node));
    const namespace = namespaceOf(evaluation, node);
    return last === "parse_known_args"
      ? listNode([namespace, evaluation.unknown(node, "these are the options left over")], spanOf(node))
      : namespace;
  }
  if (!ENTRY_POINTS.has(last)) return undefined;
  const first = childOf(node, "arguments")?.children.find((a) => a.type !== "keyword_argument");
  const definition = first?.type === "identifier" ? evaluation.definition(evaluation.slice(first), first) : undefined;
  return definition?.source.kind === "class"
    ? instanceOf(evaluation, definition.source.definition, null, node)
    : undefined;
}

/** The classes of `HfArgumentParser((A, B))`, each with its defaults; what the command line gives to those of other packages is unknown. */
function parsedClasses(evaluation: Evaluation, parser: PyNode | null): readonly TreeNode[] {
  const binding = parser?.type === "identifier" ? evaluation.definition(evaluation.slice(parser), parser) : undefined;
  const made = binding?.source.kind === "value" ? binding.source.value : parser;
  const called = made?.type === "call" ? childOf(made, "function") : null;
  if (!made || !called || !/(HfArgumentParser|TrlParser|H4ArgumentParser)$/.test(evaluation.slice(called))) return [];
  const given =
    childOf(made, "arguments")?.children.flatMap((a) =>
      a.type === "keyword_argument" ? (childOf(a, "value") ?? []) : [a],
    ) ?? [];
  const names = given.flatMap((a) => (a.type === "tuple" || a.type === "list" ? a.children : [a]));
  return names.map((name) => {
    const definition = name.type === "identifier" ? evaluation.definition(evaluation.slice(name), name) : undefined;
    if (definition?.source.kind === "class")
      return instanceOf(evaluation, definition.source.definition, mapNode([], spanOf(name)), name);
    const given: MapEntry = {
      key: "**",
      keySpan: spanOf(name),
      value: evaluation.unknown(name, `the fields of \`${evaluation.slice(name)}\` are given on the command line`),
    };
    return { ...mapNode([given], spanOf(name)), callee: dottedName(name, evaluation.text) ?? evaluation.slice(name) };
  });
}

/** `copy.deepcopy(x)`, `x.model_copy(update={…})`, `dataclasses.replace(x, a=1)`. */
function copied(
  evaluation: Evaluation,
  called: PyNode,
  last: string,
  made: MapNode,
  node: PyNode,
): TreeNode | undefined {
  if (!COPIES.has(last)) return undefined;
  const object = called.type === "attribute" ? childOf(called, "object") : null;
  const onModule = !object || /^(copy|dataclasses|attrs?|chz)$/.test(evaluation.slice(object));
  const source = onModule ? entry(made, "0") : evaluation.value(object);
  if (source?.kind !== "map") return source?.kind === "unknown" ? source : undefined;
  const update = entry(made, "update");
  const changes = [
    ...made.entries.filter((e) => !/^\d+$|^(deep|update|memo)$/.test(e.key)),
    ...(update?.kind === "map" ? update.entries : []),
  ];
  const names = new Set(changes.map((change) => change.key));
  return { ...source, span: spanOf(node), entries: [...source.entries.filter((e) => !names.has(e.key)), ...changes] };
}

/** `asdict(x)`, `vars(x)`, `x.model_dump()`: the fields of an object as a dict. */
function asDict(
  evaluation: Evaluation,
  called: PyNode,
  last: string,
  made: MapNode,
  node: PyNode,
): TreeNode | undefined {
  const object = called.type === "attribute" ? childOf(called, "object") : null;
  const source =
    last === "asdict" || (last === "vars" && !object)
      ? entry(made, "0")
      : last === "model_dump" && object
        ? evaluation.value(object)
        : undefined;
  return source?.kind === "map" ? mapNode(source.entries, spanOf(node)) : undefined;
}

/** Methods of dicts and texts whose result is plain. */
function methodOf(
  evaluation: Evaluation,
  called: PyNode,
  last: string,
  made: MapNode,
  node: PyNode,
): TreeNode | undefined {
  const object = called.type === "attribute" ? childOf(called, "object") : null;
  if (!object || !["get", "pop", "items", "values", "keys", "lower", "upper", "strip"].includes(last)) return undefined;
  const value = evaluation.value(object);
  if (value.kind === "map" && value.callee === undefined && (last === "get" || last === "pop")) {
    const key = entry(made, "0");
    if (key?.kind !== "scalar") return undefined;
    return (
      entryOf(value, String(key.value))?.value ??
      entry(made, "1") ??
      scalar(null, "", spanOf(node), { editable: false })
    );
  }
  if (value.kind === "scalar" && typeof value.value === "string" && made.entries.length === 0) {
    const text =
      last === "lower"
        ? value.value.toLowerCase()
        : last === "upper"
          ? value.value.toUpperCase()
          : last === "strip"
            ? value.value.trim()
            : undefined;
    return text === undefined ? undefined : { ...value, value: text, editable: false };
  }
  return undefined;
}
