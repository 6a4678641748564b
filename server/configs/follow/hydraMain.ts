import type { ConfigVariant } from "../../syntax/tree";

/** What `@hydra.main(config_path="config", config_name="trainer")` above a script's entry says. */
export interface HydraMain {
  readonly folder: string;
  readonly name: string;
}

/** A package whose own configs are known anyway. */
const KNOWN_PACKAGE = /^verl[./]/;

/**
 * Files that may hold the entry of a launched module or script, the likeliest first. A recipe may live in a repository
 * of its own, without the folder that its module begins with.
 */
export function entryFiles(variant: ConfigVariant): readonly string[] {
  const target = variant.command?.target;
  if (target === undefined || target === null || /[$`\s]/.test(target) || KNOWN_PACKAGE.test(target)) return [];
  if (/\.py$/.test(target)) return [target];
  if (!/^\w+(\.\w+)+$/.test(target)) return [];
  const path = `${target.replaceAll(".", "/")}.py`;
  return [path, path.slice(path.indexOf("/") + 1)];
}

/** The config that an entry starts from; undefined where the text says none. */
export function hydraMain(text: string): HydraMain | undefined {
  const call = /^@hydra\.main\(([^)]*)\)/m.exec(text)?.[1];
  const name = call === undefined ? undefined : /\bconfig_name\s*=\s*["']([\w./-]+)["']/.exec(call)?.[1];
  const folder = call === undefined ? undefined : /\bconfig_path\s*=\s*["']([\w./-]+)["']/.exec(call)?.[1];
  return name === undefined || folder === undefined ? undefined : { folder, name };
}
