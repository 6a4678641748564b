// Builds the programs of Node into a folder inside the project (so that packages are found): `node build.mjs FOLDER`.
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { assets, bundles, nodeParts, starters } from "../../esbuild.mjs";
import { hasDuckdb } from "../../scripts/native.mjs";

const folder = process.argv[2];
const inFolder = (path) => join(folder, path.replace(/^dist\//, ""));
mkdirSync(join(folder, "wasm"), { recursive: true });
for (const [from, to] of assets) if (to.startsWith("dist/wasm/") && existsSync(from)) cpSync(from, inFolder(to));
for (const [file, text] of Object.entries(starters)) writeFileSync(inFolder(file), text);
for (const name of [...nodeParts, ...(hasDuckdb ? ["duckdb"] : [])])
  await build({ ...bundles[name], outfile: inFolder(bundles[name].outfile), sourcemap: false });
