import { entryOf } from "../../syntax/nodes";
import type { MapNode, TreeNode } from "../../syntax/tree";

/** `hydra.searchpath` entries as folders to look below: `file://verl/trainer/config`, `pkg://verl.trainer.config`. */
export function searchPaths(root: MapNode): readonly string[] {
  const hydra = entryOf(root, "hydra")?.value;
  const list = hydra?.kind === "map" ? entryOf(hydra, "searchpath")?.value : undefined;
  if (list?.kind !== "list") return [];
  return list.items.flatMap((item) => {
    if (item.kind !== "scalar" || typeof item.value !== "string" || item.value.includes("$")) return [];
    if (item.value.startsWith("pkg://")) return [item.value.slice(6).replaceAll(".", "/")];
    return [item.value.replace(/^file:\/\/(?!\/)/, "")];
  });
}

/** `# @package _global_` at the head of a Hydra config. */
export function packageHeader(text: string): string | null {
  return /^\s*#\s*@package\s+([\w.]+)/m.exec(text.slice(0, 500))?.[1] ?? null;
}

/** Which option is chosen for a config group: what is said outside wins over the list's own. */
export interface Choices {
  /** By the command line or an `override` item: these change what a list says. */
  readonly forced: ReadonlyMap<string, string>;
  /** All of them, for `${group}` in other items. */
  readonly all: ReadonlyMap<string, string>;
}

interface DefaultsItem {
  /** Paths without ending, relative to the config's folder (or the search roots when absolute). */
  readonly names: readonly string[];
  readonly target: string;
  readonly absolute: boolean;
  readonly optional: boolean;
  /** True where the item itself says where its content goes. */
  readonly explicit: boolean;
}

/** A launch command may choose options: `rllm/backend=tinker`, `model_engine=megatron`. */
export function choicesOf(root: MapNode): Choices {
  const forced = new Map<string, string>();
  for (const { key, value } of root.entries)
    if (value.kind === "scalar" && value.value !== null) forced.set(key, String(value.value));
  return { forced, all: forced };
}

/** Adds what a defaults list chooses; `override group: option` changes the option of a group that is chosen elsewhere. */
export function withChoicesOf(items: readonly TreeNode[], outer: Choices | null): Choices {
  const forced = new Map(outer?.forced);
  const all = new Map<string, string>();
  for (const item of items) {
    if (item.kind !== "map" || item.entries.length === 0) continue;
    const { key, value } = item.entries[0];
    if (value.kind !== "scalar" || value.value === null) continue;
    const group = key.trim().split(/\s+/).at(-1)?.replace(/^\//, "") ?? "";
    all.set(splitPackage(group)[0], String(value.value));
    if (/^override\s/.test(key) && !forced.has(group)) forced.set(group, String(value.value));
  }
  return { forced, all: new Map([...all, ...(outer?.all ?? []), ...forced]) };
}

export function defaultsItem(item: TreeNode, choices: Choices): DefaultsItem | null {
  if (item.kind === "scalar" && typeof item.value === "string") {
    const [path, target] = splitPackage(item.value);
    // A path with an ending is NeMo-RL's: its content goes to the top, wherever it stands.
    const group =
      /\.ya?ml$/i.test(path) || path.startsWith("..") ? "" : path.replace(/^\//, "").split("/").slice(0, -1).join(".");
    return {
      names: [path.startsWith("/") && !/\.ya?ml$/i.test(path) ? path.slice(1) : path],
      target: targetOf(target, group),
      absolute: path.startsWith("/"),
      optional: false,
      explicit: target !== null,
    };
  }
  if (item.kind !== "map" || item.entries.length === 0) return null;
  const { key, value } = item.entries[0];
  const words = key.trim().split(/\s+/);
  const qualifier = words.length > 1 ? words[0] : "";
  if (qualifier === "override") return null;
  const [group, target] = splitPackage(words[words.length - 1]);
  const forced =
    choices.forced.get(words[words.length - 1].replace(/^\//, "")) ?? choices.forced.get(group.replace(/^\//, ""));
  const written = value.kind === "list" ? value.items : [value];
  const options = (
    forced === undefined
      ? written.flatMap((option) => (option.kind === "scalar" && option.value !== null ? [String(option.value)] : []))
      : [forced]
  ).map((option) =>
    option
      .replace(/\$\{([^{}:]+)\}/g, (all, name: string) => choices.all.get(name.trim()) ?? all)
      .replace(/\.ya?ml$/i, ""),
  );
  const path = group.replace(/^\//, "");
  return {
    names: options.map((option) => `${path}/${option}`),
    target: targetOf(
      target,
      path
        .split("/")
        .filter((step) => step !== "..")
        .join("."),
    ),
    absolute: group.startsWith("/"),
    optional: qualifier === "optional",
    explicit: target !== null,
  };
}

function splitPackage(text: string): readonly [string, string | null] {
  const at = text.lastIndexOf("@");
  return at < 0 ? [text.trim(), null] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Targets are relative to the config that includes: its own target is added where its content is placed. */
function targetOf(target: string | null, group: string): string {
  if (target === null || target === "_group_") return group;
  return target === "_here_" || target === "_global_" ? "" : target;
}
