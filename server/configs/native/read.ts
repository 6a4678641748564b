import { apart, takenBySeveral } from "../shared";
import { shareEdits } from "../../syntax/shared";
import type { SyntaxDocument } from "../../syntax/tree";
import { readNativeBudget, type NativeReading } from "./budget";

/** A native budget, its shared values marked: those that several of its experiments or keys take. */
export function readNative(
  written: SyntaxDocument,
  fallback: string,
): { readonly reading: NativeReading; readonly syntax: SyntaxDocument } {
  const syntax = { ...written, variants: written.variants.map((one) => shareEdits(one)) };
  const first = readNativeBudget(syntax, fallback);
  const shared = takenBySeveral(first.experiments);
  if (shared.size === 0) return { reading: first, syntax };
  const parted = { ...syntax, variants: syntax.variants.map((one) => apart(one, shared)) };
  return { reading: readNativeBudget(parted, fallback), syntax: parted };
}
