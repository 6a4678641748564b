/** Where a string in double quotes ends; what runs in `$( … )` and `${ … }` may hold quotes of its own. */
export function closingQuote(text: string, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i;
    else if (text.startsWith("$(", i)) i = closingParenthesis(text, i + 2, end);
    else if (text.startsWith("${", i)) i = closingBrace(text, i + 2, end);
  }
  return end;
}

/** Where the bracket that is open before `at` closes, or `end`. */
function closing(text: string, at: number, end: number, open: string, close: string): number {
  let depth = 0;
  for (let i = at; i < end; i++) {
    const c = text[i];
    if (c === "\\") i++;
    else if (c === "'" && open !== "{") {
      const stop = text.indexOf("'", i + 1);
      if (stop < 0 || stop >= end) return end;
      i = stop;
    } else if (c === '"') {
      i = skipQuoted(text, i + 1, end);
    } else if (c === open) depth++;
    else if (c === close) {
      if (depth === 0) return i;
      depth--;
    }
  }
  return end;
}

function skipQuoted(text: string, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i;
  }
  return end;
}

export function closingParenthesis(text: string, at: number, end: number): number {
  return closing(text, at, end, "(", ")");
}

export function closingBrace(text: string, at: number, end: number): number {
  return closing(text, at, end, "{", "}");
}

export function closingBracket(text: string, at: number, end: number): number {
  return closing(text, at, end, "[", "]");
}

/** Where `$((` closes with `))`; -1 where it does not. */
export function closingArithmetic(text: string, at: number, end: number): number {
  const close = closing(text, at, end, "(", ")");
  return close < end && text[close + 1] === ")" ? close : -1;
}
