// Builds every bundle. `--production` minifies, `--watch` rebuilds on change, `--only=NAME[,NAME]` builds some.
import { build, context } from "esbuild";
import { chmod, cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compiledCharts } from "./scripts/charts.mjs";
import { hasDuckdb, nativeApart } from "./scripts/native.mjs";
import { noticesOf } from "./scripts/notices.mjs";

const { version } = JSON.parse(await readFile(new URL("package.json", import.meta.url), "utf8"));
const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const only = process.argv
  .find((a) => a.startsWith("--only="))
  ?.slice(7)
  .split(",");

/**
 * Builds other than those that Node takes: vega-canvas' wants the native `canvas` package, and its browser build draws SVG text
 * without it; yaml's of ES modules leaves in the bundle only what is used.
 */
const otherBuilds = {
  "vega-canvas": "./node_modules/vega-canvas/build/vega-canvas.browser.js",
  yaml: "./node_modules/yaml/browser/dist/index.js",
};

const common = {
  bundle: true,
  sourcemap: production ? false : "linked",
  minify: production,
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
  target: "es2022",
  // jsonc-parser's "main" is a UMD build that a bundler cannot follow.
  mainFields: ["module", "main"],
  define: {
    "process.env.NODE_ENV": JSON.stringify(production ? "production" : "development"),
    "process.env.SCALING_LENS_VERSION": JSON.stringify(version),
  },
};
const node = { ...common, platform: "node", format: "cjs", target: "node20" };
const browser = { ...common, platform: "browser", mainFields: ["browser", "module", "main"] };

/** Node brings its own Brotli; the JavaScript one carries a dictionary of 80 KB that only browsers need. */
const nodeBrotli = {
  name: "node-brotli",
  setup({ onLoad }) {
    onLoad({ filter: /hyparquet-compressors[\\/]src[\\/]brotli\.js$/ }, () => ({
      contents:
        'import { brotliDecompressSync } from "node:zlib"; export const decompressBrotli = (input) => new Uint8Array(brotliDecompressSync(input));',
    }));
  },
};

/** The parser of scripts is a file of its own, read when the first script is opened. (The ES build wants `import.meta.url`, which CommonJS lacks.) */
const treeSitterApart = {
  name: "tree-sitter-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^web-tree-sitter$/ }, () => ({ path: "./tree-sitter.js", external: true }));
  },
};

/** The Parquet library, likewise: when the first Parquet file is read. */
const parquetApart = {
  name: "parquet-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/parquetCodec$/ }, () => ({ path: "./parquet.js", external: true }));
  },
};

/** The clients of databases, likewise: when the first store is read. */
const storesApart = {
  name: "stores-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/clients$/ }, () => ({ path: "./stores.js", external: true }));
  },
};

/** The protocol of agents, likewise: when `scaling-lens mcp` is called. */
const mcpApart = {
  name: "mcp-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/mcp\/serve$/ }, () => ({ path: "./mcp.js", external: true }));
  },
};

/**
 * A library that not every run needs, as a file of its own that is read at its first call; `exports` is the module that stands in.
 * (A plain external import would read it at the start.)
 */
const atFirstCall = (name, filter, exports) => ({
  name,
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ path, importer }) =>
      importer.includes("node_modules") ? undefined : { path, namespace: name },
    );
    onResolve({ filter: /^\.\//, namespace: name }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: name }, () => ({ contents: exports, loader: "js" }));
  },
});

/** The parser of expressions: plain numbers need none. */
const mathApart = atFirstCall(
  "math-apart",
  /^mathjs\/number$/,
  `export const create = () => require("./math.js").math;
   export const parseDependencies = undefined, derivativeDependencies = undefined;`,
);

/** Readers of formats that few folders hold, in one file. */
const formatsApart = atFirstCall(
  "formats-apart",
  /^(toml-eslint-parser|papaparse|jsonc-parser|fzstd|aws4fetch)$/,
  `const all = () => require("./formats.js");
   export const parseTOML = (...args) => all().parseTOML(...args);
   export class ParseError { static [Symbol.hasInstance](error) { return error instanceof all().ParseError; } }
   export const parse = (...args) => all().parse(...args);
   export const parseTree = (...args) => all().parseTree(...args);
   export const printParseErrorCode = (...args) => all().printParseErrorCode(...args);
   export class Decompress { constructor(...args) { return new (all().Decompress)(...args); } }
   export class AwsV4Signer { constructor(...args) { return new (all().AwsV4Signer)(...args); } }`,
);

/** What follows shell and Python: when the first script is read. */
const scriptsApart = atFirstCall(
  "scripts-apart",
  /\/syntax\/(shell|python|shell\/embedded|python\/commands)$/,
  `const scripts = () => require("./scripts.js");
   export const parseShell = (...args) => scripts().parseShell(...args);
   export const parsePython = (...args) => scripts().parsePython(...args);
   export const embeddedVariants = (...args) => scripts().embeddedVariants(...args);
   export const pythonCommands = (...args) => scripts().pythonCommands(...args);`,
);

/** The protocol of editors, likewise: the command line and the workers have no use for it. */
const protocolApart = {
  name: "protocol-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^vscode-languageserver(\/node|-types|-textdocument)?$/ }, ({ importer }) =>
      importer.includes("node_modules") ? undefined : { path: "./protocol.js", external: true },
    );
  },
};

/** zod's messages in fifty languages: ours are English. */
const englishOnly = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** What esbuild's ASCII leaves in regular expressions: one such letter and V8 keeps two bytes for each of the file. */
const asciiToo = {
  name: "ascii-too",
  setup({ initialOptions: { absWorkingDir, outfile }, onEnd }) {
    onEnd(async ({ errors }) => {
      if (errors.length > 0) return;
      const file = resolve(absWorkingDir ?? "", outfile);
      const text = await readFile(file, "utf8");
      await writeFile(
        file,
        text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
      );
    });
  },
};

/** The language client, likewise: activation does not wait for it. */
const clientApart = {
  name: "client-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^vscode-languageclient(\/node)?$/ }, ({ importer }) =>
      importer.includes("node_modules") ? undefined : { path: "./client.js", external: true },
    );
  },
};

/** A module in memory, its imports taken from the project's root. */
const module = (contents) => ({ contents, resolveDir: process.cwd(), sourcefile: "parts.js" });

/** The small files that start the parts of dist/engine.js; dist/cli.js starts one too. */
export const starters = {
  "dist/server.js": 'require("./engine.js").server();\n',
  "dist/worker.js": 'require("./engine.js").worker();\n',
};

/** One entry a bundle; an entry whose source does not exist yet is left out. */
export const bundles = {
  extension: {
    ...node,
    entryPoints: ["extension/node.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    plugins: [clientApart],
    supported: { "dynamic-import": false },
  },
  client: {
    ...node,
    entryPoints: ["node_modules/vscode-languageclient/lib/node/main.js"],
    outfile: "dist/client.js",
    external: ["vscode"],
  },
  "extension-web": {
    ...browser,
    format: "cjs",
    entryPoints: ["extension/browser.ts"],
    outfile: "dist/extension-web.js",
    external: ["vscode"],
  },
  // Server, worker and command line are one file for Node and one for the browser: they share the engine. Each part starts
  // when it is asked for by the small file that bears its name.
  engine: {
    ...node,
    outfile: "dist/engine.js",
    // Of one byte a character it is read sooner, and dist/cli.js reads it as such.
    charset: "ascii",
    alias: otherBuilds,
    plugins: [
      englishOnly,
      treeSitterApart,
      parquetApart,
      storesApart,
      mcpApart,
      mathApart,
      formatsApart,
      scriptsApart,
      protocolApart,
      asciiToo,
    ],
    // A dynamic import becomes a require when it is reached.
    supported: { "dynamic-import": false },
    // Behind dynamic imports, each part starts with only the modules that it needs.
    stdin: module(
      ["server=node", "worker=worker.node", "cli=cli"]
        .map((part) => part.split("="))
        .map(
          ([name, file]) =>
            `export const ${name} = () => import("./server/entries/${file}.ts").then((m) => m.start());`,
        )
        .join("\n"),
    ),
  },
  cli: {
    ...node,
    entryPoints: ["server/entries/bin.ts"],
    outfile: "dist/cli.js",
    banner: { js: "#!/usr/bin/env node" },
  },
  // Left out where the optional package is not installed.
  duckdb: { ...node, entryPoints: ["server/node/duckdb.child.ts"], outfile: "dist/duckdb.js", plugins: [nativeApart] },
  parquet: {
    ...node,
    entryPoints: ["server/records/parquetCodec.ts"],
    outfile: "dist/parquet.js",
    plugins: [nodeBrotli],
  },
  stores: {
    ...node,
    entryPoints: ["server/node/stores/clients.ts"],
    outfile: "dist/stores.js",
    external: ["pg-native"],
  },
  math: {
    ...node,
    outfile: "dist/math.js",
    stdin: module(
      'import { create, parseDependencies, derivativeDependencies } from "mathjs/number"; export const math = create({ parseDependencies, derivativeDependencies }, {});',
    ),
  },
  formats: {
    ...node,
    outfile: "dist/formats.js",
    stdin: module(
      `export { ParseError, parseTOML } from "toml-eslint-parser";
       export { parse } from "papaparse";
       export { parseTree, printParseErrorCode } from "jsonc-parser";
       export { Decompress } from "fzstd";
       export { AwsV4Signer } from "aws4fetch";`,
    ),
  },
  scripts: {
    ...node,
    outfile: "dist/scripts.js",
    plugins: [treeSitterApart, mathApart],
    stdin: module(
      `export { parseShell } from "./server/syntax/shell.ts";
       export { embeddedVariants } from "./server/syntax/shell/embedded.ts";
       export { parsePython } from "./server/syntax/python.ts";
       export { pythonCommands } from "./server/syntax/python/commands.ts";`,
    ),
  },
  protocol: {
    ...node,
    outfile: "dist/protocol.js",
    stdin: module(
      'export * from "vscode-languageserver/node"; export { TextDocument } from "vscode-languageserver-textdocument";',
    ),
  },
  mcp: { ...node, entryPoints: ["server/mcp/serve.ts"], outfile: "dist/mcp.js" },
  "tree-sitter": {
    ...node,
    entryPoints: ["node_modules/web-tree-sitter/web-tree-sitter.cjs"],
    outfile: "dist/tree-sitter.js",
  },
  "server-web": {
    ...browser,
    format: "iife",
    outfile: "dist/server-web.js",
    alias: otherBuilds,
    plugins: [englishOnly],
    stdin: module(
      'import { start as server } from "./server/entries/browser.ts"; import { start as worker } from "./server/entries/worker.browser.ts"; (globalThis.scalingLensJob ? worker : server)();',
    ),
  },
  // One file for both hosts: what is required in Node starts as a thread of its own where a browser loads it.
  png: {
    ...browser,
    format: "cjs",
    entryPoints: ["renderer/pngWorker.ts"],
    outfile: "dist/png.js",
    banner: { js: 'var module=typeof module=="object"?module:{exports:{}};' },
    plugins: [compiledCharts],
  },
  renderer: {
    ...browser,
    format: "esm",
    entryPoints: ["renderer/index.ts"],
    outfile: "dist/renderer.js",
    plugins: [compiledCharts],
  },
  explain: { ...browser, format: "iife", entryPoints: ["renderer/explain.ts"], outfile: "dist/explain.js" },
};

/** Files that are read at run time beside the bundles. */
export const assets = [
  ["node_modules/web-tree-sitter/web-tree-sitter.wasm", "dist/wasm/web-tree-sitter.wasm"],
  ["node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm", "dist/wasm/tree-sitter-bash.wasm"],
  ["node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm", "dist/wasm/tree-sitter-python.wasm"],
  ["node_modules/@resvg/resvg-wasm/index_bg.wasm", "dist/wasm/resvg.wasm"],
  ...["latin-400", "latin-600", "greek-400", "greek-600"].map((name) => [
    `node_modules/@fontsource/inter/files/inter-${name}-normal.woff2`,
    `dist/fonts/inter-${name}.woff2`,
  ]),
];

/** The licences of all that the bundles and the assets are made of. */
export const NOTICES = "dist/THIRD_PARTY_NOTICES.txt";

/** What server, worker and command line may load in Node, beside DuckDB and the protocol of agents. */
export const nodeParts = [
  "engine",
  "cli",
  "math",
  "formats",
  "scripts",
  "protocol",
  "parquet",
  "stores",
  "tree-sitter",
];

/** Everything that a production build leaves in dist/. */
export const outputs = [
  NOTICES,
  ...Object.values(bundles).map(({ outfile }) => outfile),
  ...Object.keys(starters),
  ...assets.map(([, to]) => to),
];

async function main() {
  await mkdir("dist/wasm", { recursive: true });
  for (const [from, to] of assets) {
    if (!existsSync(from)) throw new Error(`Missing ${from}: run npm ci first.`);
    await cp(from, to);
  }
  for (const [file, text] of Object.entries(starters)) await writeFile(file, text, { mode: 0o755 });
  const sources = assets.map(([from]) => from);
  for (const [name, options] of Object.entries(bundles)) {
    if (only && !only.includes(name)) continue;
    if (options.entryPoints && !existsSync(options.entryPoints[0])) continue;
    if (name === "duckdb" && !hasDuckdb) continue;
    if (watch) await (await context(options)).watch();
    else {
      const { metafile } = await build({ ...options, metafile: true });
      sources.push(...Object.keys(metafile.inputs));
      const { size } = await stat(options.outfile);
      if (name === "cli") await chmod(options.outfile, 0o755);
      console.log(`${options.outfile.padEnd(24)} ${(size / 1024).toFixed(0).padStart(6)} KiB`);
    }
  }
  if (production) await writeFile(NOTICES, noticesOf(sources));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
