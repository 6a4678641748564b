type Token = { readonly kind: "star" } | { readonly kind: "one"; readonly fits: (c: string) => boolean };

const MOST_PATTERN = 300;
const MOST_TEXT = 20_000;
/** Where every part of a text is tried, both are short. */
const MOST_STRIPPED = 300;
const MOST_STRIPPER = 60;
/** A replacement tries every start and every end. */
const MOST_REPLACED = 100;

/** Whether a shell pattern (`*`, `?`, `[…]`) fits a whole text. Time grows with text × pattern, never more; what is longer does not match. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.length > MOST_PATTERN || text.length > MOST_TEXT) return pattern === text;
  return fits(tokensOf(pattern), text);
}

function fits(tokens: readonly Token[], text: string): boolean {
  let token = 0;
  let at = 0;
  // Where to go on when what follows the last star does not fit: the star takes one character more.
  let star = -1;
  let from = 0;
  while (at < text.length) {
    const now = tokens[token];
    if (now?.kind === "one" && now.fits(text[at])) {
      token++;
      at++;
    } else if (now?.kind === "star") {
      star = token++;
      from = at;
    } else if (star >= 0) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (tokens[token]?.kind === "star") token++;
  return token === tokens.length;
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (c === "?") tokens.push({ kind: "one", fits: () => true });
    else if (c === "\\" && i + 1 < pattern.length) tokens.push(exactly(pattern[++i]));
    else if (c === "[" && pattern.indexOf("]", i + 2) > 0) {
      const close = pattern.indexOf("]", i + 2);
      tokens.push({ kind: "one", fits: setOf(pattern.slice(i + 1, close)) });
      i = close;
    } else tokens.push(exactly(c));
  }
  return tokens;
}

function exactly(wanted: string): Token {
  return { kind: "one", fits: (c) => c === wanted };
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  digit: /\d/,
  alpha: /[a-z]/i,
  alnum: /[a-z\d]/i,
  space: /\s/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
};

function setOf(body: string): (c: string) => boolean {
  const negated = /^[!^]/.test(body);
  const inner = negated ? body.slice(1) : body;
  const named = /^:(\w+):?$/.exec(inner)?.[1];
  const has = (c: string): boolean => {
    if (named !== undefined && CLASSES[named]) return CLASSES[named].test(c);
    for (let i = 0; i < inner.length; i++) {
      if (inner[i + 1] === "-" && i + 2 < inner.length) {
        if (c >= inner[i] && c <= inner[i + 2]) return true;
        i += 2;
      } else if (inner[i] === c) return true;
    }
    return false;
  };
  return (c) => has(c) !== negated;
}

/** `${x#pattern}` and its kin: the text without the shortest or longest match at one end. */
export function stripPattern(text: string, pattern: string, end: "start" | "finish", longest: boolean): string {
  if (text.length > MOST_STRIPPED || pattern.length > MOST_STRIPPER) return text;
  const tokens = tokensOf(pattern);
  for (let step = 0; step <= text.length; step++) {
    const length = longest ? text.length - step : step;
    const part = end === "start" ? text.slice(0, length) : text.slice(text.length - length);
    if (fits(tokens, part)) return end === "start" ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}

/** `${x/pattern/text}` and `${x//pattern/text}`: the longest match at the first place, or at every place. */
export function replacePattern(text: string, pattern: string, replacement: string, all: boolean): string {
  if (text.length > 2_000 || pattern.length > MOST_PATTERN || pattern === "") return text;
  const plain = !/[*?[\\]/.test(pattern);
  if (plain) return all ? text.replaceAll(pattern, () => replacement) : text.replace(pattern, () => replacement);
  if (text.length > MOST_REPLACED || pattern.length > MOST_STRIPPER) return text;
  const tokens = tokensOf(pattern);
  let out = "";
  let at = 0;
  while (at < text.length) {
    let end = text.length;
    while (end > at && !fits(tokens, text.slice(at, end))) end--;
    if (end === at) {
      out += text[at++];
      continue;
    }
    out += replacement;
    at = end;
    if (!all) break;
  }
  return out + text.slice(at);
}
