/**
 * `--host <node_ip>`: something to fill in, which the shell's grammar takes for a redirection and loses the rest of the
 * script over. The brackets become ‹ and ›, one character for one, so that every place in the text stays where it is.
 */
export function withPlaceholders(text: string): string {
  return text.replace(/(?<=^|[\s=,:/])<([A-Za-z][\w .:/-]*?)>(?=[\s,:/\\]|$)/gm, "‹$1›");
}
