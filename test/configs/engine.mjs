import { build } from "esbuild";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The engine, bundled from its source so that the score is that of this tree. */
export async function engine() {
  const out = join(mkdtempSync(join(root, "node_modules/.score-")), "engine.mjs");
  await build({
    stdin: {
      contents: `export { readConfig } from "./server/configs/read"; export { createGrammars } from "./server/syntax/treeSitter";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: out,
    logLevel: "error",
    mainFields: ["module", "main"],
    external: ["web-tree-sitter"],
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
  });
  const loaded = await import(pathToFileURL(out).href);
  rmSync(join(out, ".."), { recursive: true, force: true });
  const places = {
    "web-tree-sitter.wasm": "web-tree-sitter/web-tree-sitter.wasm",
    "tree-sitter-bash.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm",
    "tree-sitter-python.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
  };
  const grammars = loaded.createGrammars(
    async (name) => new Uint8Array(readFileSync(join(root, "node_modules", places[name]))),
  );
  return { readConfig: loaded.readConfig, grammars };
}
