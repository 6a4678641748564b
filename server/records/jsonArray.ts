import { joined, messageOf, openBytes } from "./bytes";
import { unpackedName } from "./files";
import { isObject, parseJson } from "./json";
import type { RecordReading } from "./recordTypes";

/** A list is parsed whole. */
const LARGEST = 64 * 1024 * 1024;

/** Whether a file is JSON that begins as a list of objects: results of τ-bench and its like. */
export function isJsonArray(name: string, head: string): boolean {
  return /\.json$/i.test(unpackedName(name)) && /^\uFEFF?\s*\[\s*\{/.test(head);
}

/** The keys of the first object in a list of which only the beginning is there. */
export function firstKeys(head: string): ReadonlySet<string> {
  const keys = new Set<string>();
  const start = head.indexOf("{");
  let depth = 0;
  for (const [token] of head.slice(start).matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") {
      if (--depth === 0) break;
    } else if (depth === 1 && token.endsWith(":")) {
      const key = parseJson(token.slice(0, token.lastIndexOf(":")).trim());
      if (typeof key === "string") keys.add(key);
    }
  }
  return keys;
}

/** Hands over the objects of a list, numbered from 1. Damage becomes a note. */
export async function readJsonArray({ host, file, notes, signal, onBytes, onRecord }: RecordReading): Promise<void> {
  if (file.size > LARGEST) {
    notes.error("log.too-large", "A list in JSON is read up to 64 MB; as JSON lines it could be of any size.", {
      file: file.uri,
    });
    return;
  }
  const parts: Uint8Array[] = [];
  try {
    for await (const piece of openBytes(host, file.uri, signal, onBytes)) parts.push(piece.slice());
  } catch (error) {
    signal?.throwIfAborted();
    notes.error("log.unreadable", messageOf(error), { file: file.uri });
  }
  const list = parseJson(new TextDecoder().decode(joined(parts)));
  if (!Array.isArray(list)) {
    notes.error("log.bad-json", "This is no whole list in JSON: it is damaged or cut short, and was left out.", {
      file: file.uri,
      line: 1,
    });
    return;
  }
  let odd = 0;
  for (const [at, item] of list.entries()) {
    if (isObject(item)) onRecord(item, { line: at + 1, column: () => undefined });
    else odd++;
  }
  if (odd > 0)
    notes.warn("log.bad-line", `${odd} items of the list are no objects and were left out.`, { file: file.uri });
}
