import { readFile } from "node:fs/promises";
import { createGrammars, type WasmName } from "../../server/syntax/treeSitter";

const places: Record<WasmName, string> = {
  "web-tree-sitter.wasm": "web-tree-sitter/web-tree-sitter.wasm",
  "tree-sitter-bash.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm",
  "tree-sitter-python.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
};

/** The grammars, read from the installed packages. */
export const grammars = createGrammars((name) =>
  readFile(new URL(`../../node_modules/${places[name]}`, import.meta.url)),
);
