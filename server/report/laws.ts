import { lawFamily } from "../core/laws/list";

/** A law as a formula; empty for one that has none of ours (custom). */
export function lawForm(name: string): string {
  return lawFamily(name)?.form ?? "";
}

export function lawNote(name: string): string {
  return lawFamily(name)?.note ?? "";
}
