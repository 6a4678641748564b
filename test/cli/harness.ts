import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { main } from "../../server/cli/index";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in a folder; nothing is printed. */
export async function cli(cwd: string, ...argv: string[]): Promise<Run> {
  let out = "";
  let err = "";
  const code = await main(argv, {
    cwd,
    out: (text) => void (out += `${text}\n`),
    err: (text) => void (err += `${text}\n`),
    interactive: false,
    progress: () => undefined,
  });
  return { code, out, err };
}

/** A folder with files in it, removed by `remove`. */
export function folderWith(files: Readonly<Record<string, string>>): {
  readonly folder: string;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-cli-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
