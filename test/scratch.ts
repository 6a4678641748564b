/** A copy of the project, to add something to it as a person would and use what was added. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(__dirname, "..");

export class ScratchCopy {
  readonly folder = mkdtempSync(join(tmpdir(), "scratch-copy-"));

  /** @param parts files and folders of the project, all that is copied; packages are linked */
  constructor(parts: readonly string[]) {
    for (const part of parts) cpSync(join(root, part), this.path(part), { recursive: true });
    symlinkSync(join(root, "node_modules"), this.path("node_modules"), "dir");
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** The one new file. */
  add(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /**
   * The one line: an entry of a list, with its import.
   * @param opening the text that the list begins with
   */
  enter(list: string, name: string, from: string, opening: string): void {
    const text = this.text(list);
    const at = text.indexOf(opening) + opening.length;
    if (at < opening.length) throw new Error(`${list} has no "${opening}"`);
    this.add(list, `import { ${name} } from "${from}";\n${text.slice(0, at)}\n  ${name},${text.slice(at)}`);
  }

  /** What these lines export, bundled from the copy. */
  async load<Exports>(...lines: readonly string[]): Promise<Exports> {
    const outfile = this.path("engine.mjs");
    await build({
      stdin: { contents: lines.join("\n"), resolveDir: this.folder, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile,
      logLevel: "error",
    });
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Exports;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
