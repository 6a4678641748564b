import type * as runtimeModule from "web-tree-sitter";
import type { Node } from "web-tree-sitter";

export type { Node } from "web-tree-sitter";

type GrammarName = "bash" | "python";

/** The three WebAssembly files, by the name they have beside the bundles (`dist/wasm/`). */
export type WasmName = "web-tree-sitter.wasm" | "tree-sitter-bash.wasm" | "tree-sitter-python.wasm";

/** Gives the bytes of one of the files; Node reads the disk, a browser asks its client. */
export type WasmReader = (name: WasmName) => Promise<Uint8Array>;

/** A grammar that is loaded and ready: parsing is synchronous from here on. */
export interface Grammar {
  /**
   * Parses and hands the root to `use`; the tree is freed when `use` returns, so no node may be kept.
   * Indices of nodes are UTF-16 offsets into `text`.
   */
  parse<Value>(text: string, use: (root: Node) => Value): Value;
}

export interface Grammars {
  /** Loads a grammar once; rejects when its bytes cannot be had. */
  load(name: GrammarName): Promise<Grammar>;
}

type Runtime = typeof runtimeModule;

/** The runtime is one per realm, whoever asks first. It is loaded then, and never for those who open YAML alone. */
let runtime: Promise<Runtime> | undefined;

function startRuntime(read: WasmReader): Promise<Runtime> {
  runtime ??= Promise.all([import("web-tree-sitter"), read("web-tree-sitter.wasm")]).then(
    async ([module, wasmBinary]) => {
      // `locateFile` is never used for reading, but without it a browser bundle fails on a missing `import.meta.url`.
      await module.Parser.init({ wasmBinary, locateFile: (name: string) => name });
      return module;
    },
  );
  runtime.catch(() => {
    runtime = undefined;
  });
  return runtime;
}

export function createGrammars(read: WasmReader): Grammars {
  const loaded = new Map<GrammarName, Promise<Grammar>>();
  const start = async (name: GrammarName): Promise<Grammar> => {
    const { Language, Parser } = await startRuntime(read);
    const parser = new Parser();
    parser.setLanguage(await Language.load(await read(`tree-sitter-${name}.wasm`)));
    return {
      parse(text, use) {
        parser.reset();
        const tree = parser.parse(text);
        if (!tree) throw new Error(`The ${name} parser gave no tree`);
        try {
          return use(tree.rootNode);
        } finally {
          tree.delete();
        }
      },
    };
  };
  return {
    load(name) {
      let grammar = loaded.get(name);
      if (!grammar) {
        grammar = start(name);
        grammar.catch(() => loaded.delete(name));
        loaded.set(name, grammar);
      }
      return grammar;
    },
  };
}
