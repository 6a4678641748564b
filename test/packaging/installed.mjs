// What of a platform package the command line needs, laid out in a folder as VS Code unpacks it.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundles, nodeParts } from "../../esbuild.mjs";
import { addNative } from "../../scripts/targets.mjs";
import { root } from "../../scripts/setup.mjs";
import { NATIVE_FOLDER } from "../../scripts/vsix.mjs";

export async function layOut(folder, target) {
  const bundled = (name) =>
    build({
      ...bundles[name],
      absWorkingDir: root,
      minify: true,
      sourcemap: false,
      outfile: join(folder, bundles[name].outfile),
    });
  await Promise.all([...nodeParts, "duckdb"].map(bundled));
  mkdirSync(join(folder, "dist", "wasm"));
  cpSync(
    join(root, "node_modules/web-tree-sitter/web-tree-sitter.wasm"),
    join(folder, "dist/wasm/web-tree-sitter.wasm"),
  );
  addNative(target, join(folder, NATIVE_FOLDER));
}
