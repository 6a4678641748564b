import { EMPTY_MAP, listNode, mapNode, scalar } from "./nodes";
import { childOf, dottedName, enclosing, descendants, toPlain, type PyNode, type PyTree } from "./python/ast";
import { argumentsOf } from "./python/calls";
import { basesOf, fieldDefault, fieldsOf } from "./python/classes";
import { argparseOptions } from "./python/commandLine";
import { Evaluator, type Choices } from "./python/evaluate";
import { spanOf } from "./python/evaluation";
import { collectScopes, functionName, type Scopes } from "./python/scopes";
import { guardedTree, keyOf } from "./shared";
import type { ConfigDiagnostic, ConfigVariant, MapEntry, MapNode, SyntaxDocument, TreeNode } from "./tree";
import type { Grammar } from "./treeSitter";
import { Work } from "./work";

/** Objects that hold a config: only a loop over their values makes variants. */
const CONFIG_CALL = /(Config|Args|Arguments|Model)$/;
const MAX_VARIANTS = 32;
const MAX_ERRORS = 20;
/** Nodes of one variant with everything shared written out; what comes after is left out. */
const MAX_NODES = 200_000;

/**
 * Reads a Python file as text; nothing is executed, and what would have to be is unknown with the reason. The root has:
 *
 * - `imports`: the qualified names, in order.
 * - `names`: names of the module with their values; `locals.FUNCTION`: those inside functions.
 * - `classes.NAME`: fields with their defaults; under `class` the names of the bases.
 * - `calls.NAME`: the arguments of each call by the last part of the called name, one entry a call in the order of the
 *   text: keywords by name, positions as `0`, `1`, …, `**` and `*` where some are only known in a run. Under `in` the
 *   function it stands in, under `for` what the loops around it run over, under `from` the object of a method (keywords
 *   of Python, so no argument has the name).
 * - `arguments.NAME`: command-line options with their defaults.
 * - `dicts`: the outermost dict literals.
 *
 * `given` are options of a command line, by their names in code (`num_generations`): they replace the defaults.
 * Never throws. Spans are offsets into `source`.
 */
export function parsePython(
  source: string,
  grammar: Grammar,
  given: ReadonlyMap<string, TreeNode> = new Map(),
  work = new Work(),
): SyntaxDocument {
  const text = source.replace(/^\uFEFF/, " ");
  const diagnostics: ConfigDiagnostic[] = [];
  const whole = { start: 0, end: firstLineEnd(text) };
  let tree: PyTree;
  try {
    tree = grammar.parse(text, toPlain);
  } catch {
    const message = "The Python grammar could not read this file.";
    return {
      syntax: "python",
      variants: [],
      diagnostics: [{ span: whole, severity: "error", code: "config.parse", message }],
    };
  }
  for (const error of tree.errors.slice(0, MAX_ERRORS)) {
    const end = Math.min(Math.max(error.end, error.start), lineEnd(text, error.start));
    diagnostics.push({
      span: { start: error.start, end },
      severity: "error",
      code: "config.parse",
      message: "This is not valid Python; the rest of the file is still read.",
    });
  }
  if (tree.tooDeep)
    diagnostics.push({
      span: { start: tree.tooDeep.start, end: lineEnd(text, tree.tooDeep.start) },
      severity: "warning",
      code: "config.parse",
      message: "Nested too deeply; what lies below is not read.",
    });
  const scopes = collectScopes(tree.root, text);
  return { syntax: "python", variants: variantsOf(tree.root, text, scopes, given, work), diagnostics };
}

function variantsOf(
  root: PyNode,
  text: string,
  scopes: Scopes,
  given: ReadonlyMap<string, TreeNode>,
  work: Work,
): readonly ConfigVariant[] {
  const single = new Evaluator(root, text, scopes, new Map(), given, work);
  const configCalls = scopes.calls.filter((call) => CONFIG_CALL.test(lastName(call, text) ?? ""));
  for (const call of configCalls) single.value(call);
  const turns = turnsOf([...single.sweeps], single);
  if (turns.length === 0)
    return [
      {
        name: null,
        root: guardedContents(single),
        flags: EMPTY_MAP,
        command: null,
        anchor: { start: 0, end: firstLineEnd(text) },
      },
    ];
  return turns.map(({ choices, name }) => ({
    name,
    root: guardedContents(new Evaluator(root, text, scopes, choices, given, work)),
    flags: EMPTY_MAP,
    command: null,
    anchor: spanOf(firstOf([...choices.keys()])),
  }));
}

function firstOf(nodes: readonly PyNode[]): PyNode {
  return nodes.reduce((first, node) => (node.start < first.start ? node : first));
}

/** Every combination of the turns of the loops that configs depend on; none where there are too many. */
function turnsOf(
  loops: readonly PyNode[],
  evaluator: Evaluator,
): readonly { readonly choices: Choices; readonly name: string }[] {
  let combined: { choices: Map<PyNode, number>; name: string }[] = [{ choices: new Map(), name: "" }];
  for (const loop of loops) {
    const [left, right] = [childOf(loop, "left"), childOf(loop, "right")];
    const list = right && evaluator.value(right);
    if (!left || list?.kind !== "list" || combined.length * list.items.length > MAX_VARIANTS) return [];
    combined = combined.flatMap(({ choices, name }) =>
      list.items.map((item, index) => ({
        choices: new Map(choices).set(loop, index),
        name: `${name}${name ? ", " : ""}${evaluator.slice(left)}=${evaluator.text.slice(item.span.start, Math.min(item.span.end, item.span.start + 40))}`,
      })),
    );
  }
  return loops.length === 0 ? [] : combined;
}

/** The contents; a literal that several places take cannot be edited for one of them. */
function guardedContents(evaluator: Evaluator): MapNode {
  const root = contents(evaluator);
  const shared = evaluator.uses.shared(evaluator);
  return shared.size === 0
    ? root
    : guardedTree(root, (span, path) =>
        (shared.get(keyOf(span)) ?? [])
          .filter((use) => use !== `\`${path.slice(path.lastIndexOf(".") + 1)}\``)
          .map((what) => ({ what })),
      );
}

function contents(evaluator: Evaluator): MapNode {
  const { root, scopes } = evaluator;
  let left = MAX_NODES;
  const withinBudget = (entries: readonly MapEntry[]): readonly MapEntry[] => {
    for (const entry of entries) left -= evaluator.size(entry.value);
    return left > 0 ? entries : [];
  };
  const part = (key: string, value: TreeNode): MapEntry => ({ key, keySpan: { start: 0, end: 0 }, value });
  return mapNode(
    [
      part(
        "imports",
        listNode(
          scopes.imports.map((name) => scalar(name, name, { start: 0, end: 0 }, { editable: false })),
          { start: 0, end: 0 },
        ),
      ),
      part(
        "classes",
        mapNode(
          scopes.classes.flatMap((definition) => classEntry(evaluator, definition)),
          spanOf(root),
        ),
      ),
      part(
        "calls",
        mapNode(
          scopes.calls.flatMap((call) => (left > 0 ? withinBudget(callEntry(evaluator, call)) : [])),
          spanOf(root),
        ),
      ),
      part(
        "arguments",
        mapNode(
          argparseOptions(evaluator, null).map((option) => ({
            key: option.name,
            keySpan: spanOf(option.at),
            value: option.value,
          })),
          spanOf(root),
        ),
      ),
      part("names", namesIn(evaluator, root)),
      part(
        "locals",
        mapNode(
          scopes.functions.flatMap((definition) => {
            const [name, body] = [childOf(definition, "name"), childOf(definition, "body")];
            return name && body
              ? [
                  {
                    key: evaluator.slice(name),
                    keySpan: spanOf(name),
                    value: mapNode(withinBudget(namesIn(evaluator, definition, body).entries), spanOf(definition)),
                  },
                ]
              : [];
          }),
          spanOf(root),
        ),
      ),
      part(
        "dicts",
        listNode(
          [...descendants(root, "dictionary")]
            .filter(
              (dict) =>
                dict.children.length > 0 && !enclosing(dict, "dictionary") && evaluator.reached(dict, null) !== false,
            )
            .map((dict) => evaluator.value(dict)),
          spanOf(root),
        ),
      ),
    ],
    spanOf(root),
  );
}

function classEntry(evaluator: Evaluator, definition: PyNode): readonly MapEntry[] {
  const name = childOf(definition, "name");
  if (!name) return [];
  const bases = basesOf(evaluator, definition).map((base) => scalar(base, base, spanOf(name), { editable: false }));
  const fields = fieldsOf(evaluator, definition).flatMap((field): MapEntry[] => {
    const value = field.value && fieldDefault(evaluator, field.value);
    return value ? [{ key: field.name, keySpan: spanOf(field.nameNode), value }] : [];
  });
  return [
    {
      key: evaluator.slice(name),
      keySpan: spanOf(name),
      value: mapNode(
        [...fields, { key: "class", keySpan: spanOf(name), value: listNode(bases, spanOf(name)) }],
        spanOf(definition),
      ),
    },
  ];
}

function callEntry(evaluator: Evaluator, call: PyNode): readonly MapEntry[] {
  const called = childOf(call, "function");
  const name = lastName(call, evaluator.text);
  const given = childOf(call, "arguments");
  if (
    !called ||
    name === null ||
    !given ||
    (given.children.length === 0 && !/^[A-Z]/.test(name)) ||
    evaluator.reached(call, null) === false
  )
    return [];
  // A call of this file's own functions has a value of its own; here its arguments are asked for.
  const value = evaluator.value(call);
  const made =
    value.kind === "map" && value.callee !== undefined
      ? value
      : { ...argumentsOf(evaluator, call), callee: dottedName(called, evaluator.text) ?? name };
  const function_ = functionName(call, evaluator.text);
  const loops: TreeNode[] = [];
  for (
    let loop = enclosing(call, "for_statement", "function_definition");
    loop?.type === "for_statement";
    loop = enclosing(loop, "for_statement", "function_definition")
  ) {
    const over = childOf(loop, "right");
    if (over) loops.push(evaluator.value(over));
  }
  const entries: MapEntry[] = [
    ...made.entries,
    { key: "in", keySpan: spanOf(call), value: scalar(function_, function_ ?? "", spanOf(call), { editable: false }) },
    { key: "for", keySpan: spanOf(call), value: listNode(loops, spanOf(call)) },
  ];
  return [{ key: name, keySpan: spanOf(called), value: { ...made, span: spanOf(call), entries } }];
}

/** The values of a scope's names; functions, classes and imports are left out. */
function namesIn(evaluator: Evaluator, scope: PyNode, from: PyNode = scope): MapNode {
  return mapNode(
    evaluator.scopes.namesIn(scope).flatMap((name): MapEntry[] => {
      const binding = evaluator.scopes.bindings(scope, name).at(-1);
      if (!binding || !["value", "augmented", "parameter"].includes(binding.source.kind)) return [];
      return [{ key: name, keySpan: spanOf(binding.at), value: evaluator.name(name, from) }];
    }),
    spanOf(scope),
  );
}

function lastName(call: PyNode, text: string): string | null {
  const called = childOf(call, "function");
  if (called?.type === "identifier") return text.slice(called.start, called.end);
  const attribute = called?.type === "attribute" ? childOf(called, "attribute") : null;
  return attribute ? text.slice(attribute.start, attribute.end) : null;
}

function lineEnd(text: string, from: number): number {
  const end = /[\r\n]/.exec(text.slice(from, from + 2000));
  return end ? from + end.index : Math.min(text.length, from + 2000);
}

function firstLineEnd(text: string): number {
  return lineEnd(text, 0);
}
