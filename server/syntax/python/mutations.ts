import type { MapEntry, MapNode, TreeNode } from "../tree";
import { entryOf, mapNode } from "../nodes";
import { childOf, type PyNode } from "./ast";
import { sameValue, spanOf, type Evaluation } from "./evaluation";
import type { Truth } from "./flow";
import { scopeOf, type Mutation } from "./scopes";

/** The value that an assignment gives a name, with what is later put into it through the name. */
export function changed(evaluation: Evaluation, assignment: PyNode, name: string, value: TreeNode): TreeNode {
  if (value.kind !== "map" && value.kind !== "list") return value;
  const scope = scopeOf(assignment);
  const mutations = evaluation.scopes.mutations(scope, name);
  if (mutations.length === 0) return value;
  const next = evaluation.scopes
    .bindings(scope, name)
    .find((binding) => binding.at.start > assignment.start && evaluation.reached(binding.at, assignment) !== false);
  let result: TreeNode = value;
  for (const mutation of mutations) {
    if (mutation.elsewhere) {
      if (result.kind === "list") return evaluation.unknown(mutation.at, `\`${name}\` is changed by another function`);
      if (result.kind === "map") result = mutated(evaluation, result, mutation, null);
      continue;
    }
    if (mutation.at.start < assignment.end || (next && mutation.at.start > next.at.start)) continue;
    const truth = evaluation.reached(mutation.at, assignment);
    if (truth === false) continue;
    if (mutation.kind === "fill" && mutation.path.length === 0 && result.kind === "list")
      return evaluation.unknown(mutation.at, `\`${name}\` is filled by code`);
    if (result.kind === "map") result = mutated(evaluation, result, mutation, truth);
  }
  return result;
}

function mutated(evaluation: Evaluation, map: MapNode, mutation: Mutation, truth: Truth): MapNode {
  const { path, kind, at } = mutation;
  if (kind === "fill") return filled(evaluation, map, path, at);
  const value =
    mutation.value.type === "call" && kind === "merge"
      ? keywordsOf(evaluation, mutation.value)
      : evaluation.value(mutation.value);
  if (kind === "set") return path.length === 0 ? map : set(evaluation, map, path, value, at, truth);
  if (value.kind !== "map") return filled(evaluation, map, path, at);
  return value.entries.reduce((to, entry) => set(evaluation, to, [...path, entry.key], entry.value, at, truth), map);
}

/** Some entries are only known in a run: said with an entry `**`; a list in its place is unknown. */
function filled(evaluation: Evaluation, map: MapNode, path: readonly string[], at: PyNode): MapNode {
  const unknown = evaluation.unknown(at, "it is filled by code");
  if (path.length === 0)
    return { ...map, entries: [...map.entries, { key: "**", keySpan: spanOf(at), value: unknown }] };
  const [key, ...rest] = path;
  const before = entryOf(map, key);
  if (!before || before.value.kind === "scalar" || before.value.kind === "unknown") return map;
  const next = before.value.kind === "list" ? unknown : filled(evaluation, before.value, rest, at);
  return { ...map, entries: map.entries.map((entry) => (entry === before ? { ...entry, value: next } : entry)) };
}

function set(
  evaluation: Evaluation,
  map: MapNode,
  path: readonly string[],
  value: TreeNode,
  at: PyNode,
  truth: Truth,
): MapNode {
  const [key, ...rest] = path;
  const before = entryOf(map, key);
  let next: TreeNode;
  if (rest.length > 0) {
    const inner = before?.value;
    if (inner !== undefined && inner.kind !== "map") return map;
    next = set(evaluation, inner ?? mapNode([], spanOf(at)), rest, value, at, truth);
  } else if (truth === null && !(before && sameValue(before.value, value))) {
    next = evaluation.unknown(at, "it is set under a condition that only a run decides");
  } else next = value;
  return {
    ...map,
    entries: [
      ...map.entries.filter((entry) => entry !== before),
      { key, keySpan: before?.keySpan ?? spanOf(at), value: next },
    ],
  };
}

function keywordsOf(evaluation: Evaluation, call: PyNode): MapNode {
  const entries: MapEntry[] = [];
  for (const argument of childOf(call, "arguments")?.children ?? []) {
    const [name, value] = [childOf(argument, "name"), childOf(argument, "value")];
    if (argument.type === "keyword_argument" && name && value)
      entries.push({ key: evaluation.slice(name), keySpan: spanOf(name), value: evaluation.value(value) });
  }
  return mapNode(entries, spanOf(call));
}
