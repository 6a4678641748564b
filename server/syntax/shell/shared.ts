import type { ConfigVariant, MapNode, TreeNode } from "../tree";

/**
 * A variable that several keys take as it is cannot be edited for one of them: such values lose their editability and
 * name the other keys. Names that only carry the value (`experiment_name`) are text and do not count.
 */
export function shareEdits(variant: ConfigVariant): ConfigVariant {
  const users = new Map<string, string[]>();
  visit(variant.root, "", (node, path) => {
    if (node.kind === "scalar" && node.editable) users.set(spanKey(node), [...(users.get(spanKey(node)) ?? []), path]);
  });
  visit(variant.flags, "", (node, path) => {
    if (node.kind === "scalar" && node.editable && !/^(env|sbatch|launcher)\./.test(path))
      users.set(spanKey(node), [...(users.get(spanKey(node)) ?? []), path]);
  });
  if (![...users.values()].some((paths) => paths.length > 1)) return variant;
  const change = (node: TreeNode, path: string): TreeNode => {
    if (node.kind !== "scalar" || !node.editable) return node;
    const others = (users.get(spanKey(node)) ?? []).filter((other) => other !== path);
    return others.length === 0
      ? node
      : {
          ...node,
          editable: false,
          whyNot: `the same value also sets ${others.map((other) => `\`${other}\``).join(", ")}`,
        };
  };
  return { ...variant, root: rebuilt(variant.root, "", change), flags: rebuilt(variant.flags, "", change) };
}

function spanKey(node: TreeNode): string {
  return `${node.span.start}:${node.span.end}`;
}

function visit(node: TreeNode, path: string, see: (node: TreeNode, path: string) => void): void {
  see(node, path);
  if (node.kind === "map")
    for (const entry of node.entries) visit(entry.value, path ? `${path}.${entry.key}` : entry.key, see);
  if (node.kind === "list") node.items.forEach((item, index) => visit(item, `${path}[${index}]`, see));
}

function rebuilt(node: MapNode, path: string, change: (node: TreeNode, path: string) => TreeNode): MapNode {
  const inner = (value: TreeNode, at: string): TreeNode => {
    if (value.kind === "map") return rebuilt(value, at, change);
    if (value.kind === "list")
      return { ...value, items: value.items.map((item, index) => inner(item, `${at}[${index}]`)) };
    return change(value, at);
  };
  return {
    ...node,
    entries: node.entries.map((entry) => ({
      ...entry,
      value: inner(entry.value, path ? `${path}.${entry.key}` : entry.key),
    })),
  };
}
