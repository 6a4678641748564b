import { count } from "../../core/numbers";
import type { SyntaxDocument } from "../../syntax/tree";
import { parseYaml } from "../../syntax/yaml/yaml";

/** It is read on the thread that answers; no person writes one that is longer. */
const MOST_CHARACTERS = 200_000;

/** The tree of a `scaling.yaml`; a text that is too long for one is not read, and said. */
export function parsedScaling(text: string): SyntaxDocument {
  if (text.length <= MOST_CHARACTERS) return parseYaml(text, { dialect: "1.2" });
  const message = `This file has ${count(text.length)} characters; a scaling.yaml above ${count(MOST_CHARACTERS)} is not read.`;
  const span = { start: 0, end: Math.max(0, text.search(/[\r\n]|$/)) };
  return {
    syntax: "yaml",
    variants: [],
    diagnostics: [{ span, severity: "error", code: "config.too-large", message }],
  };
}
