/**
 * What the shell's grammar would lose the rest of the script over, in other characters of the same length, so that every
 * place in the text stays where it is: things to fill in, comments between the lines of a command, a line to go on at the end.
 */
export function readable(text: string): string {
  return withPlaceholders(withoutInlineComments(text)).replace(ENDLESS, " $1");
}

/** The last line ends as if another followed, which the shell takes for its end. */
const ENDLESS = /(?<!\\)\\(\s*)$/;

/** `` `# the knobs` \ `` between the lines of a command: a substitution that holds nothing but a comment. */
function withoutInlineComments(text: string): string {
  return text.replace(/(?<=^|\s)`#[^`\n]*`(?=[\s\\]|$)/gm, (comment) => " ".repeat(comment.length));
}

/**
 * `--host <node_ip>`: something to fill in, which the shell's grammar takes for a redirection and loses the rest of the
 * script over. The brackets become ‹ and ›, one character for one, so that every place in the text stays where it is.
 */
function withPlaceholders(text: string): string {
  return text.replace(/(?<=^|[\s=,:/])<([A-Za-z][\w .:/-]*?)>(?=[\s,:/\\]|$)/gm, "‹$1›");
}
