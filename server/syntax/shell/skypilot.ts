import { entryOf } from "../nodes";
import type { MapNode, SyntaxDocument, TreeNode } from "../tree";
import { literal, type Word } from "./interpret/value";

/**
 * A SkyPilot job: a launch script in a YAML file (`run: |`), with what SkyPilot sets for it (`envs`, the nodes and the
 * GPUs of `resources.accelerators`). The script comes with everything around it blanked, so that every place in the
 * text stays where it is. Undefined for any other YAML file.
 */
export function skypilotJob(
  document: SyntaxDocument,
  text: string,
): { readonly script: string; readonly given: ReadonlyMap<string, Word> } | undefined {
  const root = document.variants.length === 1 ? document.variants[0].root : undefined;
  if (root === undefined || !["resources", "num_nodes", "workdir"].some((key) => entryOf(root, key) !== undefined))
    return undefined;
  const run = entryOf(root, "run")?.value;
  const header = run?.kind === "scalar" ? /^\|[^\n]*\n/.exec(text.slice(run.span.start, run.span.end)) : null;
  if (!run || !header) return undefined;
  const from = run.span.start + header[0].length;
  const script = blank(text.slice(0, from)) + text.slice(from, run.span.end) + blank(text.slice(run.span.end));
  const given = new Map<string, Word>([["SKYPILOT_NODE_RANK", [literal("0", { via: "the first node" })]]]);
  const nodes = entryOf(root, "num_nodes")?.value;
  given.set(
    "SKYPILOT_NUM_NODES",
    nodes ? wordOf(nodes, text, "num_nodes") : [literal("1", { via: "default of `num_nodes`" })],
  );
  const resources = entryOf(root, "resources")?.value;
  const gpus = resources?.kind === "map" ? gpusOf(resources) : undefined;
  if (gpus !== undefined)
    given.set("SKYPILOT_NUM_GPUS_PER_NODE", [literal(gpus, { via: "set in `resources.accelerators`" })]);
  const envs = entryOf(root, "envs")?.value;
  for (const { key, value } of envs?.kind === "map" ? envs.entries : []) {
    // What is left empty must be given with `--env`.
    if (value.kind === "scalar" && value.value !== null) given.set(key, wordOf(value, text, "envs"));
  }
  return { script, given };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function wordOf(node: TreeNode, text: string, key: string): Word {
  if (node.kind !== "scalar") return [{ text: "", unknown: `\`${key}\` is not one value`, shown: key }];
  const start = node.span.start + (/["']/.test(text[node.span.start] ?? "") ? 1 : 0);
  const end = start + node.text.length;
  return [
    literal(node.text, {
      via: `set in \`${key}\``,
      quoted: true,
      ...(text.slice(start, end) === node.text ? { span: { start, end } } : {}),
    }),
  ];
}

/** The GPUs of each node: as `resources` says, or as all its alternatives (`any_of`, `ordered`) say alike. */
function gpusOf(resources: MapNode): string | undefined {
  const own = entryOf(resources, "accelerators")?.value;
  if (own) return acceleratorsOf(own);
  const choices = (entryOf(resources, "ordered") ?? entryOf(resources, "any_of"))?.value;
  const counts =
    choices?.kind === "list"
      ? new Set(
          choices.items.map((choice) =>
            choice.kind === "map" ? acceleratorsOf(entryOf(choice, "accelerators")?.value) : undefined,
          ),
        )
      : new Set<string | undefined>();
  return counts.size === 1 ? [...counts][0] : undefined;
}

/** `H100:8`, `H100`, `[H100:8, A100:8]` or `{H100: 8}`: GPUs of each node, where every choice has as many. */
function acceleratorsOf(node: TreeNode | undefined): string | undefined {
  const choices = !node
    ? []
    : node.kind === "list"
      ? node.items
      : node.kind === "map"
        ? node.entries.map(({ value }) => value)
        : [node];
  const counts = new Set(
    choices.map((choice) => {
      if (choice.kind !== "scalar" || choice.value === null) return undefined;
      const counted = /^(?:[A-Za-z][\w.+-]*:)?(\d+)$/.exec(choice.text);
      return counted ? counted[1] : /^[A-Za-z][\w.+-]*$/.test(choice.text) && node?.kind !== "map" ? "1" : undefined;
    }),
  );
  return counts.size === 1 ? [...counts][0] : undefined;
}
