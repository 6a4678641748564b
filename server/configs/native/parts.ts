import { entryOf } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigVariant, MapEntry, MapNode } from "../../syntax/tree";

/** Keys above a list of experiments hold for each of them. */
export function partsOf(
  variant: ConfigVariant,
): readonly { readonly root: MapNode; readonly anchor: Span; readonly name: string | null }[] {
  const list = entryOf(variant.root, "experiments")?.value;
  if (list?.kind !== "list" || list.items.length === 0)
    return [{ root: variant.root, anchor: variant.anchor, name: variant.name }];
  const shared = variant.root.entries.filter((entry) => entry.key !== "experiments");
  return list.items
    .filter((item) => item.kind === "map")
    .map((item) => ({
      root: { ...item, entries: overlaid(shared, item.entries) },
      anchor: item.entries[0]?.keySpan ?? item.span,
      name: null,
    }));
}

function overlaid(shared: readonly MapEntry[], own: readonly MapEntry[]): readonly MapEntry[] {
  const inherited = shared.map((entry) => {
    const over = own.find((candidate) => candidate.key === entry.key);
    if (entry.value.kind !== "map" || over?.value.kind !== "map") return entry;
    return { ...over, value: { ...over.value, entries: overlaid(entry.value.entries, over.value.entries) } };
  });
  const merged = new Set(inherited.filter((entry, index) => entry !== shared[index]).map((entry) => entry.key));
  return [...inherited, ...own.filter((entry) => !merged.has(entry.key))];
}
