// Builds the npm package `scaling-lens` (the command line and the MCP server, no dependencies): `node scripts/npm.mjs [FOLDER]`.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildBundles, npm, root, setup } from "./setup.mjs";

/** At most so many bytes packed. */
const CAP = 6e6;

const BUNDLES = ["engine", "cli", "math", "formats", "scripts", "parquet", "stores", "mcp", "tree-sitter"];
const FILES = [
  ...BUNDLES.map((name) => `dist/${name}.js`),
  "dist/THIRD_PARTY_NOTICES.txt",
  "dist/wasm/web-tree-sitter.wasm",
  "dist/wasm/tree-sitter-bash.wasm",
  "dist/wasm/tree-sitter-python.wasm",
  "schemas/budget.schema.json",
  "schemas/scaling.schema.json",
  "docs/diagnostics.md",
  "LICENSE",
  "CHANGELOG.md",
];

/** What people of the command line need of the extension's manifest. */
function manifest() {
  const { name, version, description, license, keywords, engines } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return {
    name,
    version,
    description: description.replace(/, inside the editor/, ""),
    license,
    keywords: [...keywords, "mcp"],
    type: "commonjs",
    bin: { [name]: "dist/cli.js" },
    engines: { node: engines.node },
    files: ["dist", "docs", "schemas", "CHANGELOG.md"],
  };
}

setup();
buildBundles(["--production", `--only=${BUNDLES.join(",")}`]);
const target = resolve(process.argv[2] ?? root);
mkdirSync(target, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), "scaling-lens-npm-"));
try {
  for (const file of FILES) {
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    cpSync(join(root, file), join(stage, file));
  }
  // Links of the page lead to files that are not in this package.
  const page = readFileSync(join(root, "docs/cli.md"), "utf8").replace(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, "$1");
  writeFileSync(join(stage, "README.md"), page);
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  npm(["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", target], { cwd: stage });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const { name, version } = manifest();
const { size } = statSync(join(target, `${name}-${version}.tgz`));
console.log(`${name}-${version}.tgz: ${(size / 1e6).toFixed(2)} MB`);
if (size > CAP) throw new Error(`The package is larger than ${CAP / 1e6} MB.`);
