import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { WasmName } from "../syntax/treeSitter";

/** Reads a file that lies beside the bundles (`dist/wasm/`). */
export function readAsset(name: WasmName): Promise<Uint8Array> {
  return readFile(join(__dirname, "wasm", name));
}

/** A page of the documentation; undefined where it does not come along. In the sources, two folders up. */
export async function documentation(page: string): Promise<string | undefined> {
  for (const folder of ["../docs", "../../docs"]) {
    const text = await readFile(join(__dirname, folder, page), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}
