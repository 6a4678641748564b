// The child process of the accelerator: its program is a bundle of its own, DuckDB's native part stays outside it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Whether the optional package is installed here. */
export const hasDuckdb = existsSync(join(root, "node_modules", "@duckdb", "node-api", "package.json"));

/** The module that loads the native code is found by whoever starts the child, and named in its arguments. */
export const nativeApart = {
  name: "native-apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({ path: "bindings", namespace: "native" }));
    onLoad({ filter: /.*/, namespace: "native" }, () => ({ contents: "module.exports = require(process.argv[2]);" }));
  },
};

/** Builds the child's program, for tests and benchmarks. */
export async function buildDuckdbChild(outfile) {
  await build({
    entryPoints: [join(root, "server/node/duckdb.child.ts")],
    outfile,
    plugins: [nativeApart],
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    logLevel: "error",
  });
}
