/**
 * Whether a document is worth waking up for. Pure and cheap (one pass over at most the first 200 KB), because the
 * extension asks it for every YAML, TOML, JSON, shell and Python document before anything is started.
 *
 * It may say yes too often (the server then finds no budget and shows nothing) but not too seldom.
 */

import { WORDS } from "./signs";

/** Languages that a budget can be written in, with the names VS Code gives them. */
export const DOCUMENT_LANGUAGES = ["yaml", "toml", "json", "jsonc", "shellscript", "makefile", "python"] as const;

/** The language of notebook fit cells. */
export const QUERY_LANGUAGE = "scaling-query";

export type DocumentKind = "budget" | "scaling" | "query" | "framework";

const BUDGET_FILE = /\.budget\.(ya?ml|json|toml)$/i;
const SCALING_FILE = /(^|[\\/])scaling\.ya?ml$/i;
const READ_AT_MOST = 200_000;

const anyOf = (...words: readonly (readonly string[])[]): RegExp =>
  new RegExp([...new Set(words.flat())].join("|"), "i");

/** Any document may hold a command that trains: a job's YAML, a Python launcher. */
const SIGNALS: Readonly<Record<(typeof DOCUMENT_LANGUAGES)[number], RegExp>> = (() => {
  const data = anyOf(WORDS.data, WORDS.shell);
  const shell = anyOf(WORDS.shell);
  return {
    yaml: data,
    toml: data,
    json: data,
    jsonc: data,
    shellscript: shell,
    makefile: shell,
    python: anyOf(WORDS.python, WORDS.shell),
  };
})();

/** What kind of document this is for us, or null when it is none of ours. `uri` may be a path or a URI. */
export function documentKind(uri: string, languageId: string, text: string): DocumentKind | null {
  if (languageId === QUERY_LANGUAGE) return "query";
  const signals = Object.hasOwn(SIGNALS, languageId) ? SIGNALS[languageId as keyof typeof SIGNALS] : null;
  if (signals === null) return null;
  if (BUDGET_FILE.test(uri)) return "budget";
  if (SCALING_FILE.test(uri)) return "scaling";
  const head = text.length > READ_AT_MOST ? text.slice(0, READ_AT_MOST) : text;
  return signals.test(head) ? "framework" : null;
}

/** Whether anything should start for this document. */
export function isOurs(uri: string, languageId: string, text: string): boolean {
  return documentKind(uri, languageId, text) !== null;
}
