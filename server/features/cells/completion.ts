import type { CompletionItem } from "vscode-languageserver-types";
import { docAt } from "../../configs/schema/describe";
import { readQuery } from "../../configs/cells/read";
import { QUERY_KEYS } from "../../configs/cells/schema";
import { placeAt } from "./place";

const KEY_KIND = 10;
const VALUE_KIND = 12;

/** Keys and values that may stand at a place of a fit cell. */
export function queryCompletion(text: string, offset: number): CompletionItem[] {
  const place = placeAt(text, offset, readQuery(text).root);
  if (place.valueOf !== null) {
    const doc = docAt(QUERY_KEYS, [...place.path, place.valueOf]);
    return (doc?.values ?? [])
      .filter((value) => !place.chosen.includes(value))
      .map((value, i) => ({
        label: value,
        kind: VALUE_KIND,
        sortText: String(i).padStart(2, "0"),
        ...(i === 0 && doc ? { documentation: { kind: "markdown", value: doc.description } } : {}),
      }));
  }
  const docs = place.path.length === 0 ? QUERY_KEYS : (docAt(QUERY_KEYS, place.path)?.children ?? []);
  return docs
    .filter((doc) => !place.present.includes(doc.key))
    .map((doc, i) => ({
      label: doc.key,
      kind: KEY_KIND,
      insertText: `${doc.key}: `,
      sortText: String(i).padStart(2, "0"),
      documentation: { kind: "markdown", value: doc.description },
    }));
}
