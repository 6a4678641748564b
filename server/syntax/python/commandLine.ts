import type { MapEntry, MapNode, TreeNode } from "../tree";
import { mapNode, scalar } from "../nodes";
import { childOf, enclosing, type PyNode } from "./ast";
import { spanOf, type Evaluation } from "./evaluation";

/** A command-line option that the script declares: its name in code, and what it is when not given. */
export interface Option {
  readonly name: string;
  /** As it is typed: `--num-generations`. */
  readonly flag: string;
  readonly value: TreeNode;
  readonly at: PyNode;
}

/** `parser.add_argument(…)` calls, of the parsers in the same function as `near` where several are built. */
export function argparseOptions(evaluation: Evaluation, near: PyNode | null): readonly Option[] {
  const all = evaluation.scopes.callsOf("add_argument");
  const owner = near && enclosing(near, "function_definition");
  const several = evaluation.scopes.callsOf("ArgumentParser").length > 1;
  const beside = several && owner ? all.filter((call) => enclosing(call, "function_definition") === owner) : all;
  return (beside.length > 0 ? beside : all).flatMap((call) => optionOf(evaluation, call) ?? []);
}

/** The namespace that `parse_args()` gives when the script is started without options. */
export function namespaceOf(evaluation: Evaluation, at: PyNode): MapNode {
  const entries: MapEntry[] = argparseOptions(evaluation, at).map((option) => ({
    key: option.name,
    keySpan: spanOf(option.at),
    value: option.value,
  }));
  return mapNode(entries, spanOf(at));
}

/** The default that a click decorator of `owner` gives to a parameter. */
export function optionDefault(evaluation: Evaluation, owner: PyNode, name: string): TreeNode | undefined {
  if (owner.parent?.type !== "decorated_definition") return undefined;
  for (const decorator of owner.parent.children) {
    const call = decorator.type === "decorator" ? decorator.children[0] : undefined;
    const called = call?.type === "call" ? childOf(call, "function") : null;
    if (!call || !called || !/(^|\.)(option|argument)$/.test(evaluation.slice(called))) continue;
    const option = optionOf(evaluation, call);
    if (option?.name === name) return option.value;
  }
  return undefined;
}

function optionOf(evaluation: Evaluation, call: PyNode): Option | undefined {
  const given = childOf(call, "arguments")?.children ?? [];
  const flags = given
    .filter((a) => a.type === "string")
    .map((a) => evaluation.value(a))
    .flatMap((v) => (v.kind === "scalar" ? [String(v.value)] : []));
  const keyword = (wanted: string): PyNode | null => {
    const argument = given.find(
      (a) => a.type === "keyword_argument" && evaluation.slice(childOf(a, "name") ?? a) === wanted,
    );
    return argument ? childOf(argument, "value") : null;
  };
  const flag = flags.find((f) => f.startsWith("--")) ?? flags[0];
  if (flag === undefined) return undefined;
  const destination = keyword("dest");
  const dest = destination && evaluation.value(destination);
  // click takes a bare word among the flags as the parameter's name.
  const word = flags.length > 1 ? flags.find((f) => /^[A-Za-z_]\w*$/.test(f)) : undefined;
  const name =
    dest?.kind === "scalar" ? String(dest.value) : (word ?? flag.replace(/^-+/, "").split("/")[0].replaceAll("-", "_"));
  const onCommandLine =
    evaluation.given.get(flag.replace(/^-+/, "").replaceAll("-", "_")) ?? evaluation.given.get(name);
  return { name, flag, value: onCommandLine ?? valueOf(evaluation, call, flag, keyword), at: call };
}

function valueOf(
  evaluation: Evaluation,
  call: PyNode,
  flag: string,
  keyword: (name: string) => PyNode | null,
): TreeNode {
  const given = keyword("default");
  if (given) {
    const value = evaluation.value(given);
    return value.kind === "scalar"
      ? typed(evaluation, { ...value, via: `default of \`${flag}\`` }, keyword("type"))
      : value;
  }
  const required = keyword("required");
  if ((required && evaluation.truth(required) !== false) || !flag.startsWith("-"))
    return evaluation.unknown(call, `\`${flag}\` must be given on the command line`);
  const action = keyword("action");
  const kind = action && evaluation.value(action);
  const value =
    kind?.kind === "scalar" && kind.value === "store_true"
      ? false
      : kind?.kind === "scalar" && kind.value === "store_false"
        ? true
        : null;
  return scalar(value, "", spanOf(call), { editable: false, via: `\`${flag}\` is not given` });
}

/** argparse converts a text default by `type`. */
function typed(evaluation: Evaluation, value: TreeNode, type: PyNode | null): TreeNode {
  if (value.kind !== "scalar" || typeof value.value !== "string" || !type) return value;
  const name = evaluation.slice(type);
  const number = name === "int" || name === "float" ? Number(value.value) : Number.NaN;
  return Number.isFinite(number) && value.value.trim() !== "" ? { ...value, value: number } : value;
}
