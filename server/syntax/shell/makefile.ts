import { literal, type Word } from "./interpret/value";

/**
 * A Makefile as the shell script that its recipes are: `$(NAME)` is `${NAME}`, `$$` is `$`, `NAME ?= value` an
 * assignment. Pieces keep their places in the text.
 */
export function makefileScript(text: string): Word {
  const out: { text: string; span?: { start: number; end: number } }[] = [];
  const keep = (from: number, to: number): void => {
    if (to > from) out.push({ text: text.slice(from, to), span: { start: from, end: to } });
  };
  const put = (value: string): void => {
    if (value !== "") out.push({ text: value });
  };
  /** A range with make's own references written as the shell has them. */
  const translated = (from: number, to: number): void => {
    let at = from;
    for (const match of text.slice(from, to).matchAll(/\$\(([A-Za-z_]\w*)\)|\$\$/g)) {
      keep(at, from + match.index);
      put(match[1] === undefined ? "$" : `\${${match[1]}}`);
      at = from + match.index + match[0].length;
    }
    keep(at, to);
  };
  let at = 0;
  let inRecipe = false;
  for (const line of text.split("\n")) {
    const end = at + line.length;
    const assigned = /^(?:export\s+)?([A-Za-z_]\w*)\s*(?:\?|::?|\+)?=\s*(.*?)\s*(?:#.*)?$/.exec(line);
    if (inRecipe || line.startsWith("\t")) {
      const skip = inRecipe ? 0 : (/^\t[\s@+-]*/.exec(line)?.[0].length ?? 0);
      translated(at + skip, end);
      inRecipe = line.endsWith("\\");
      put("\n");
    } else if (assigned) {
      const from = at + line.indexOf(assigned[2], line.indexOf("=") + 1);
      // A value of several words is one value; quotes of its own stay.
      const bare = !/["'\\]/.test(assigned[2]);
      put(`${assigned[1]}=${bare ? '"' : ""}`);
      if (assigned[2] !== "") translated(from, from + assigned[2].length);
      put(`${bare ? '"' : ""}\n`);
    } else put("\n");
    at = end + 1;
  }
  return out.map(({ text: piece, span }) => literal(piece, span ? { span } : {}));
}
