/**
 * Writes what is said once in the source and shown elsewhere: the signs that wake the editor, the schemas, the lists of
 * frameworks in README.md, CHANGELOG.md and docs/frameworks.md, the palette commands of package.json, the table of the extension's texts. `--check` only says what is not
 * current (exit 1), and is part of `npm run lint`. The sources are TypeScript, so they are bundled in memory first.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { paletteCommands, withCommands, withTitles } from "./commands.mjs";
import { bundle as texts } from "./l10n.mjs";
import { fieldsTable, formats, names, signs } from "./sheets.mjs";
import { currentDocs, currentSchemas, printed } from "./schemas.mjs";
import { withTools } from "./tools.mjs";

const root = new URL("../", import.meta.url);

async function sheets() {
  const result = await build({
    stdin: {
      contents:
        'export { FRAMEWORKS } from "./server/frameworks"; export { Config } from "./server/frameworks/sheet/config";',
      resolveDir: fileURLToPath(root),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString("base64")}`);
}

const between = (text, name, content, file) => {
  const [open, close] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`${file} has no place for ${name}: ${open} … ${close}`);
  // The closing mark keeps its indent.
  const line = text.lastIndexOf("\n", end) + 1;
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(line)}`;
};

/** Every generated file: its path, and from its text as it stands the text as it should be. */
async function targets() {
  const { FRAMEWORKS, Config } = await sheets();
  const schemas = await currentSchemas();
  const commands = await paletteCommands();
  return [
    { path: "server/signs.ts", next: () => signs(FRAMEWORKS) },
    { path: "README.md", next: (text) => between(text, "frameworks", names(FRAMEWORKS), "README.md") },
    {
      path: "CHANGELOG.md",
      next: (text) => text.replace(/(configs of )\d+( training frameworks)/, `$1${FRAMEWORKS.length}$2`),
    },
    {
      path: "docs/frameworks.md",
      next: (text) =>
        between(
          between(text, "fields", fieldsTable(FRAMEWORKS, Config), "docs/frameworks.md"),
          "formats",
          formats(FRAMEWORKS),
          "docs/frameworks.md",
        ),
    },
    { path: "package.json", next: async (text) => withCommands(await withTools(text), commands) },
    { path: "package.nls.json", next: (text) => withTitles(text, commands) },
    { path: "docs/files.md", next: currentDocs },
    ...Object.entries(schemas).map(([name, schema]) => ({ path: `schemas/${name}`, next: () => printed(schema) })),
    { path: "l10n/bundle.l10n.json", next: () => texts() },
  ];
}

const check = process.argv.includes("--check");
let stale = 0;
for (const { path, next } of await targets()) {
  const place = new URL(path, root);
  const before = await readFile(place, "utf8").catch(() => "");
  const after = await next(before);
  if (before === after) continue;
  stale++;
  if (check) console.error(`${path} is not current: run npm run generate`);
  else {
    await writeFile(place, after);
    console.log(`wrote ${path}`);
  }
}
if (check && stale > 0) process.exitCode = 1;
