import { FRAMEWORKS } from "../../frameworks";
import { entryOf, nodeAt } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigVariant, TreeNode } from "../../syntax/tree";

/** A config file that a launch command names. */
export interface ConfigReference {
  readonly name: string;
  /** Paths to try, the likeliest first; relative ones from the script's folder and those above it. */
  readonly paths: readonly string[];
  /** Dotted key that its content goes under (`--trainer @ train.toml`); "" for the top. */
  readonly under: string;
  readonly span: Span;
  /** Nothing is missed where it is not there. */
  readonly optional?: true;
}

const FILE = /\.(?:ya?ml|toml|jsonc?)$/i;

/**
 * Which config files a command starts from: Hydra's `--config-path` and `--config-name`, `--config x.yaml`, a YAML or TOML file among the arguments
 * (`axolotl train x.yaml`), and prime-rl's `@ rl.toml`.
 */
export function configFilesOf(variant: ConfigVariant): readonly ConfigReference[] {
  const references: ConfigReference[] = [];
  const flag = (name: string): { readonly value: string; readonly span: Span } | undefined => {
    const node = entryOf(variant.flags, name)?.value;
    const text = textOf(node);
    return node === undefined || text === undefined ? undefined : { value: text, span: node.span };
  };
  const name = flag("config-name");
  if (name !== undefined) {
    const folder = flag("config-path") ?? flag("config-dir");
    const guesses = [`config/${name.value}`, name.value, `configs/${name.value}`, `conf/${name.value}`];
    references.push({
      name: name.value,
      paths:
        folder === undefined
          ? guesses
          : [
              `${folder.value.replace(/\/$/, "")}/${name.value}`,
              `examples/${folder.value.replace(/\/$/, "")}/${name.value}`,
              ...guesses.slice(0, 2),
            ],
      under: "",
      span: name.span,
    });
  }
  const config = flag("config") ?? flag("config-file");
  if (config !== undefined && config.value !== "@" && (FILE.test(config.value) || config.value.includes("/")))
    references.push({ name: config.value, paths: [config.value.replace(/^@\s*/, "")], under: "", span: config.span });
  const command = variant.command;
  if (command !== null) references.push(...positionalFiles(command.positional, command.span));
  for (const key of ["trainer", "orchestrator", "inference"]) {
    const part = flag(key);
    const path = part === undefined ? undefined : /^@\s*(\S+)$/.exec(part.value)?.[1];
    if (part !== undefined && path !== undefined)
      references.push({ name: path, paths: [path], under: key, span: part.span });
  }
  for (const { key, under, only } of PARTS) {
    const node = nodeAt(variant.root, key.split("."));
    const path = textOf(node);
    if (node === undefined || path === undefined || !only.test(path)) continue;
    // Recipes live in repositories of their own too, without the folder that the path begins with.
    const tail = path.replace(/^.*?(?=recipe\/)|^(\$\{?\w+\}?|\.?\/)+\/?/, "");
    references.push({
      name: path,
      paths: [tail, tail.replace(/^(recipe|examples)\//, ""), ...(path.startsWith("/") ? [path] : [])],
      under,
      span: node.span,
      optional: true,
    });
  }
  return references;
}

/** Keys that name a config of another part, as the sheets have them. */
const PARTS = FRAMEWORKS.flatMap(({ signs }) => signs.parts ?? []).map((part) => ({
  ...part,
  only: part.only === undefined ? FILE : new RegExp(part.only, "i"),
}));

function positionalFiles(positional: readonly string[], span: Span): readonly ConfigReference[] {
  const result: ConfigReference[] = [];
  positional.forEach((argument, index) => {
    const marked = argument.startsWith("@") ? argument.slice(1) || positional[index + 1] : undefined;
    const path =
      marked ??
      (FILE.test(argument) && !argument.includes("=") && positional[index - 1] !== "@" ? argument : undefined);
    if (path !== undefined && FILE.test(path)) result.push({ name: path, paths: [path], under: "", span });
  });
  return result;
}

function textOf(node: TreeNode | undefined): string | undefined {
  return node?.kind === "scalar" && node.value !== null && typeof node.value !== "boolean"
    ? String(node.value)
    : undefined;
}
