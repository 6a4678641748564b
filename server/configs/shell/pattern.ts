/** A shell pattern (`*`, `?`, `[…]`) as a regular expression over the whole text. Long or star-heavy patterns never match. */
export function patternToRegExp(pattern: string, flags: { readonly start?: boolean; readonly end?: boolean; readonly lazy?: boolean } = { start: true, end: true }): RegExp {
  if (pattern.length > 200 || (pattern.match(/\*/g)?.length ?? 0) > 4) return /(?!)/;
  let out = "";
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "*") out += flags.lazy ? "[^]*?" : "[^]*";
    else if (c === "?") out += "[^]";
    else if (c === "\\" && i + 1 < pattern.length) out += escape(pattern[++i]);
    else if (c === "[") {
      const close = pattern.indexOf("]", i + 2);
      if (close < 0) { out += "\\["; continue; }
      const inner = pattern.slice(i + 1, close).replace(/\\/g, "\\\\").replace(/^!/, "^").replace(/\[/g, "\\[");
      out += `[${inner}]`;
      i = close;
    } else out += escape(c);
  }
  try {
    return new RegExp(`${flags.start ? "^" : ""}${out}${flags.end ? "$" : ""}`);
  } catch {
    return /(?!)/;
  }
}

function escape(c: string): string {
  return c.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

/** `${x#pattern}` and its kin: the text without the shortest or longest match at one end. */
export function stripPattern(text: string, pattern: string, end: "start" | "finish", longest: boolean): string {
  const whole = patternToRegExp(pattern);
  const lengths = Array.from({ length: text.length + 1 }, (_, index) => (longest ? text.length - index : index));
  if (text.length > 2000) return text;
  for (const length of lengths) {
    const part = end === "start" ? text.slice(0, length) : text.slice(text.length - length);
    if (whole.test(part)) return end === "start" ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}
