import { parsePython } from "../../syntax/python";
import { sourceCandidates } from "../../syntax/shell/sources";
import { EMPTY_MAP, inFile } from "../../syntax/nodes";
import type { ConfigVariant, MapNode, TreeNode } from "../../syntax/tree";
import type { Grammar } from "../../syntax/treeSitter";

/** A Python script as a launch command starts it. */
export interface LaunchedPython {
  readonly file: string;
  readonly text: string;
  readonly variants: readonly ConfigVariant[];
}

interface LaunchContext {
  /** The launch script. */
  readonly uri: string;
  readText(uri: string): Promise<string | undefined>;
}

/** Flags that are not the script's: its environment, the job system's, the launcher's, and our own marks. */
const NOT_OPTIONS = /^(env|sbatch|launcher|shell)\./;
const MOST_CHARACTERS = 300_000;

/**
 * The Python file that a command starts, read with the options that the command gives it (`python train.py --group-size
 * 8`) in place of its own defaults. Its values cannot be edited in the launch script. Undefined where the command starts
 * no such file, or it is not in the workspace.
 */
export async function launchedPython(
  variant: ConfigVariant,
  grammar: Grammar,
  context: LaunchContext,
): Promise<LaunchedPython | undefined> {
  const target = variant.command?.target;
  if (!target || !/\.py$/.test(target) || variant.root.entries.length > 0) return undefined;
  for (const file of sourceCandidates(target, context.uri)) {
    const text = await context.readText(file);
    if (text === undefined) continue;
    if (text.length > MOST_CHARACTERS) return undefined;
    const document = parsePython(text, grammar, optionsOf(variant.flags, context.uri));
    const outside: MapNode = {
      ...EMPTY_MAP,
      entries: variant.flags.entries.filter((entry) => NOT_OPTIONS.test(entry.key)),
    };
    return {
      file,
      text,
      variants: document.variants.map((one) => ({
        ...one,
        name: variant.name ?? one.name,
        root: inFile(one.root, file),
        flags: outside,
        command: variant.command,
        anchor: variant.anchor,
      })),
    };
  }
  return undefined;
}

/** The options by their names in Python. */
function optionsOf(flags: MapNode, file: string): ReadonlyMap<string, TreeNode> {
  return new Map(
    flags.entries
      .filter((entry) => !NOT_OPTIONS.test(entry.key))
      .map((entry) => [entry.key.replaceAll("-", "_"), inFile(entry.value, file)]),
  );
}
