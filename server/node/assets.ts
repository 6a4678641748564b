import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WasmName } from "../syntax/treeSitter";

/** Reads a file that lies beside the bundles (`dist/wasm/`). */
export function readAsset(name: WasmName): Promise<Uint8Array> {
  return readFile(join(__dirname, "wasm", name));
}
