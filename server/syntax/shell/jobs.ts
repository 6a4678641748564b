import { entryOf } from "../nodes";
import type { MapNode, SyntaxDocument, TreeNode } from "../tree";
import type { EmbeddedCommand } from "./embedded";
import { literal, textOf, unknownSegment, type Segment, type Word } from "./interpret/value";

/** Keys under which job systems keep what they run: Ray and its operator, Kubernetes, dstack, Docker Compose, Slurm-like runners. */
const COMMANDS = new Set(["entrypoint", "command", "commands", "args", "run", "script", "cmd"]);
const ENVIRONMENTS = new Set(["env", "envs", "environment", "env_vars"]);
/** What a job that trains says somewhere. */
const STARTS = /\b(python[\d.]*|torchrun|accelerate|deepspeed|uv run|bash|swift|trl|axolotl)\b/;
const MOST_DEPTH = 24;

/**
 * The commands of a job description in YAML (a RayJob's `entrypoint`, a container's `command` and `args`, dstack's
 * `commands`, …), each with the environment that stands beside it. Values keep their places in the text.
 */
export function jobCommands(document: SyntaxDocument, text: string): readonly EmbeddedCommand[] {
  if (!STARTS.test(text)) return [];
  const commands: EmbeddedCommand[] = [];
  const visit = (node: TreeNode, depth: number, given: ReadonlyMap<string, Word>): void => {
    if (depth > MOST_DEPTH) return;
    if (node.kind === "list") for (const item of node.items) visit(item, depth + 1, given);
    if (node.kind !== "map") return;
    const own = withEnvironment(node, text, given);
    const found = ofMap(node, text, own);
    if (found) commands.push(found);
    for (const entry of node.entries)
      if (!COMMANDS.has(entry.key) || entry.value.kind === "map") visit(entry.value, depth + 1, own);
  };
  for (const { root } of document.variants) visit(root, 0, new Map());
  return commands;
}

/** `command: ["bash", "-c"]` with `args: ["…"]` is one command; so is either alone. */
function ofMap(map: MapNode, text: string, given: ReadonlyMap<string, Word>): EmbeddedCommand | undefined {
  const parts = map.entries.filter(({ key, value }) => COMMANDS.has(key) && value.kind !== "map");
  const span = parts[0]?.keySpan;
  if (span === undefined) return undefined;
  const nodeOf = (key: string): TreeNode | undefined => entryOf(map, key)?.value;
  const extra = given.size === 0 ? {} : { given };
  const scripts = nodeOf("commands") ?? nodeOf("script");
  if (scripts?.kind === "list")
    return { text: joinLines(scripts.items.map((item) => wordOf(item, text))), span, ...extra };
  const [command, args] = [nodeOf("command") ?? nodeOf("entrypoint") ?? nodeOf("cmd"), nodeOf("args")];
  const words = [command, args].flatMap((node) =>
    node?.kind === "list" ? node.items.map((item) => wordOf(item, text)) : [],
  );
  if (words.length > 0 && command?.kind !== "scalar") return { words: words.map(quoted), span, ...extra };
  const single = scripts ?? command ?? nodeOf("run") ?? args;
  return single?.kind === "scalar" && typeof single.value === "string"
    ? { text: wordOf(single, text), span, ...extra }
    : undefined;
}

const quoted = (word: Word): Word =>
  word.map((segment) => (segment.unknown === undefined ? { ...segment, quoted: true } : segment));

function joinLines(words: readonly Word[]): Word {
  return words.flatMap((word, index) => (index === 0 ? [...word] : [literal("\n"), ...word]));
}

/** A scalar's text in pieces that keep their places; block and quoted forms are put together as YAML does. */
function wordOf(node: TreeNode, text: string): Word {
  if (node.kind !== "scalar") return [unknownSegment("it is not one text", "${value}")];
  const value = node.value === null ? "" : String(node.value);
  const out: Segment[] = [];
  let at = node.span.start;
  // Each line of the value, looked for in the order of the text: what is not found there (an escape) has no place.
  for (const piece of value.match(/[^\n ]+|[\n ]+/g) ?? []) {
    if (/^[\n ]/.test(piece)) {
      out.push(literal(piece));
      continue;
    }
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > node.span.end) out.push(literal(piece, { via: "a quoted text" }));
    else {
      out.push(literal(piece, { span: { start: found, end: found + piece.length } }));
      at = found + piece.length;
    }
  }
  return out;
}

/** `env: [{name: N, value: "8"}]`, `env: [N=8]` or `env: {N: 8}`. */
function withEnvironment(map: MapNode, text: string, outer: ReadonlyMap<string, Word>): ReadonlyMap<string, Word> {
  const all = new Map(outer);
  const add = (name: string, value: TreeNode): void => {
    if (value.kind === "scalar" && value.value !== null)
      all.set(
        name,
        quoted(wordOf(value, text)).map((segment) => ({
          ...segment,
          via: segment.via ?? `set in the job's environment`,
        })),
      );
  };
  for (const { key, value } of map.entries) {
    if (!ENVIRONMENTS.has(key)) continue;
    if (value.kind === "map") for (const entry of value.entries) add(entry.key, entry.value);
    for (const item of value.kind === "list" ? value.items : []) {
      if (item.kind === "map") {
        const [name, given] = [entryOf(item, "name")?.value, entryOf(item, "value")?.value];
        if (name?.kind === "scalar" && given) add(String(name.value), given);
      }
      const assigned = item.kind === "scalar" ? /^([A-Za-z_]\w*)=(.*)$/s.exec(String(item.value)) : null;
      if (assigned) all.set(assigned[1], [literal(assigned[2], { quoted: true, via: "set in the job's environment" })]);
    }
  }
  return all;
}

/** Whether a command of a job says anything that could be a training. */
export function mayTrain(command: EmbeddedCommand): boolean {
  return STARTS.test([command.text ?? [], ...(command.words ?? [])].map(textOf).join(" "));
}
