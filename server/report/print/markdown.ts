import { axisWord } from "../../core/axes";
import { capitalised } from "../../core/numbers";

/** Text from files never becomes markup: names, paths and values pass through here before they reach any Markdown. */

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Plain text inside Markdown: every character with a meaning is escaped, lines become one. */
export function escape(text: string): string {
  return (
    text
      .replace(/[\r\n\u2028\u2029]+/g, " ")
      .replace(UNSEEN, "\ufffd")
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/[\\`*_{}[\]()#!|~$]/g, (c) => `\\${c}`)
      // `www.`, `https:` and addresses become links by themselves.
      .replace(/:(?=\/\/)|@|(?<=www)\.|^[-+=]|^\d+(?=[.)]\s)/gi, (c) =>
        c.length === 1 ? `&#${c.charCodeAt(0)};` : [...c].map((one) => `&#${one.charCodeAt(0)};`).join(""),
      )
  );
}

/** A code span that its content cannot leave, for use in tables too. */
export function code(text: string): string {
  const clean = text
    .replace(/[\r\n\u2028\u2029]+/g, " ")
    .replace(UNSEEN, "\ufffd")
    .replace(/\|/g, "¦");
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  const pad = clean.startsWith("`") || clean.endsWith("`") || clean === "" ? " " : "";
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Where a long name may break in a narrow table. */
const SOFT_HYPHEN = "\u00ad";

/** The name of an axis as the head of a column among many: beside a config there is room for some forty characters. */
export function columnHead(name: string): string {
  return axisTitle(name).replace(/^(Environ|Struc|Para)(?=[a-z])/, `$1${SOFT_HYPHEN}`);
}

/** The name of an axis where it begins a line or a row. */
export function axisTitle(axis: string): string {
  return capital(axisWord(axis));
}

/** The first letter large. */
export function capital(name: string): string {
  return escape(capitalised(name));
}

/** Text cut to a length that a surface can hold. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Rows of a two-column (or wider) table; cells are Markdown already. Rows without a value are left out by the caller. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => ":--").join("|")}|`, ...rows.map(line)].join("\n");
}

/** A link that runs one of our commands; the client trusts only those. */
export function commandLink(label: string, command: string, args: readonly unknown[]): string {
  return `[${escape(label)}](command:${command}?${encodeURIComponent(JSON.stringify(args)).replace(/[()]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)})`;
}
