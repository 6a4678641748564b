import type { Hover } from "vscode-languageserver-types";
import { readQuery } from "../../configs/cells/read";
import { LineIndex } from "../../syntax/text";
import { rangeOf } from "../model";
import { keyAt } from "./place";

/** What a key of a fit cell means, and the values it takes. */
export function queryHover(text: string, offset: number): Hover | null {
  const { root } = readQuery(text);
  const found = root ? keyAt(root, offset) : null;
  if (!found) return null;
  const { doc, span } = found;
  const values = doc.values.length > 0 ? `\n\nOne of ${doc.values.map((value) => `\`${value}\``).join(", ")}.` : "";
  return {
    contents: { kind: "markdown", value: `**${doc.key}**\n\n${doc.description}${values}` },
    range: rangeOf(new LineIndex(text), span),
  };
}
