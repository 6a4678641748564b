import { entryOf, mapNode } from "../../syntax/nodes";
import type { MapEntry, MapNode, TreeNode } from "../../syntax/tree";

/**
 * Lays one tree over another as OmegaConf does: maps are merged key by key, anything else is replaced. A map that says `_override_: true`
 * replaces as a whole (NeMo-RL).
 */
export function merge(base: MapNode, over: MapNode): MapNode {
  if (base.entries.length === 0) return over;
  const merged = new Map<string, MapEntry>();
  for (const entry of base.entries) merged.set(entry.key, entry);
  for (const entry of over.entries) {
    const below = merged.get(entry.key);
    const value = withoutMarker(entry.value);
    if (value !== entry.value || below?.value.kind !== "map" || value.kind !== "map")
      merged.set(entry.key, value === entry.value ? entry : { ...entry, value });
    else merged.set(entry.key, { ...entry, value: merge(below.value, value) });
  }
  return { ...over, entries: [...merged.values()] };
}

function withoutMarker(node: TreeNode): TreeNode {
  if (node.kind !== "map") return node;
  const marker = entryOf(node, "_override_")?.value;
  if (marker?.kind !== "scalar" || marker.value !== true) return node;
  return { ...node, entries: node.entries.filter((entry) => entry.key !== "_override_") };
}

/** Puts a tree under a dotted path: `placed(x, "a.b")` is `{a: {b: x}}`. */
export function placed(node: MapNode, path: string): MapNode {
  return path
    .split(".")
    .filter((key) => key !== "")
    .reverse()
    .reduce<MapNode>(
      (inner, key) => ({
        ...mapNode([{ key, keySpan: node.span, value: inner }], node.span),
        ...(node.file === undefined ? {} : { file: node.file }),
      }),
      node,
    );
}
