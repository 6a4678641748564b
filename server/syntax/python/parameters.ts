import type { TreeNode } from "../tree";
import { childOf, dottedName, type PyNode } from "./ast";
import { annotatedClass, fieldDefault, instanceOf } from "./classes";
import { optionDefault } from "./commandLine";
import { sameValue, type Evaluation } from "./evaluation";
import { parameterName } from "./scopes";

/**
 * A parameter's value: what its calls in this file pass, when they agree; else its default, or the defaults of the
 * class it is annotated with (which is how command-line libraries build it).
 */
export function parameterValue(evaluation: Evaluation, parameter: PyNode, owner: PyNode): TreeNode {
  const identifier = parameterName(parameter) ?? parameter;
  const name = evaluation.slice(identifier);
  const own = owner.type === "function_definition" ? childOf(owner, "name") : null;
  const functionName = own ? evaluation.slice(own) : null;
  const calls = functionName ? callsTo(evaluation, owner, functionName) : [];
  if (calls.length === 0) return unsetParameter(evaluation, parameter, owner, name);
  const values = calls.map((call) => argument(evaluation, call, parameter, owner, name));
  if (values.every((value) => sameValue(values[0], value))) return values[0];
  return evaluation.unknown(identifier, `\`${functionName}\` is called with several values of \`${name}\``);
}

function callsTo(evaluation: Evaluation, owner: PyNode, name: string): readonly PyNode[] {
  return evaluation.scopes.callsOf(name).filter((call) => {
    const inside = call.start >= owner.start && call.end <= owner.end;
    const called = childOf(call, "function");
    // A method of some other object may have the same name; only plain calls are surely this function.
    return (
      !inside &&
      called?.type === "identifier" &&
      evaluation.definition(name, call)?.source.kind === "function" &&
      evaluation.reached(call, null) !== false
    );
  });
}

function argument(evaluation: Evaluation, call: PyNode, parameter: PyNode, owner: PyNode, name: string): TreeNode {
  const given = childOf(call, "arguments")?.children ?? [];
  const keyword = given.find(
    (a) => a.type === "keyword_argument" && evaluation.slice(childOf(a, "name") ?? a) === name,
  );
  const keywordValue = keyword && childOf(keyword, "value");
  if (keywordValue) return evaluation.value(keywordValue);
  const index = (childOf(owner, "parameters")?.children ?? [])
    .filter((p) => parameterName(p) !== null)
    .indexOf(parameter);
  const positional = given.filter((a) => a.type !== "keyword_argument");
  if (given.some((a) => a.type === "dictionary_splat" || a.type === "list_splat")) {
    return evaluation.unknown(
      call,
      `\`${evaluation.slice(call).slice(0, 40)}\` passes arguments that are only known in a run`,
    );
  }
  return index >= 0 && index < positional.length
    ? evaluation.value(positional[index])
    : unsetParameter(evaluation, parameter, owner, name);
}

function unsetParameter(evaluation: Evaluation, parameter: PyNode, owner: PyNode, name: string): TreeNode {
  const option = optionDefault(evaluation, owner, name);
  if (option) return option;
  const value = childOf(parameter, "value");
  const byDefault = value && fieldDefault(evaluation, value);
  if (byDefault)
    return byDefault.kind === "scalar" && byDefault.via === undefined
      ? { ...byDefault, via: `default of \`${name}\`` }
      : byDefault;
  const annotated = annotatedClass(evaluation, childOf(parameter, "type"));
  if (annotated) return instanceOf(evaluation, annotated, null, parameter);
  const function_ = childOf(owner, "name");
  return evaluation.unknown(
    parameter,
    `\`${name}\` is given by whoever calls \`${(function_ && dottedName(function_, evaluation.text)) ?? "this function"}\``,
  );
}
