import { readExpression } from "./expression";
import { numberLike } from "./style";
import type { Span } from "../text";
import { sameDimension } from "./units";

export interface Rewritten {
  readonly text: string;
  /** Set when the style could not be kept: `the expression 64 * 250 is replaced as a whole`. */
  readonly note?: string;
}

const SUFFIXED = /^([-+]?[\d_]+(?:\.\d+)?)(\s*)([kKMBGT])$/;
const SCALE: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9, G: 1e9, T: 1e12 };
const WITH_UNIT = /^([-+]?[\d_.]+(?:[eE][-+]?\d+)?)(\s+[A-Za-z][A-Za-z/]*)$/;

/**
 * Writes a number in the manner of the one that stands there: `1_024`, `1e3`, `0x400`, `1024.0`, `2k` and a unit after it are kept where the
 * new value can be said that way. An expression (`64 * 250`) says how a number came to be, which no longer holds: it is replaced as a whole.
 */
export function rewriteNumber(text: string, value: number): Rewritten {
  const body = text.trim();
  if (/^[-+]?0[xX][0-9a-fA-F_]+$/.test(body) && Number.isInteger(value) && value >= 0)
    return { text: hexLike(body, value) };
  if (/^[-+]?0[oObB][0-7_]+$/.test(body)) return { text: numberLike(body, value) };
  const suffixed = SUFFIXED.exec(body);
  if (suffixed !== null) {
    const scaled = value / SCALE[suffixed[3]];
    const short = Number(scaled.toFixed(3));
    if (short * SCALE[suffixed[3]] === value)
      return { text: `${numberLike(suffixed[1], short)}${suffixed[2]}${suffixed[3]}` };
    return { text: String(value) };
  }
  const united = WITH_UNIT.exec(body);
  if (united !== null) return { text: `${numberLike(united[1], value)}${united[2]}` };
  if (isLiteral(body)) return { text: numberLike(body, value) };
  const read = readExpression(body);
  if (read.ok && read.computed && sameDimension(read.quantity.dimension, {})) {
    return { text: String(value), note: `the expression \`${body}\` is replaced as a whole` };
  }
  return { text: String(value) };
}

function isLiteral(text: string): boolean {
  return /^[-+]?(?:\d[\d_]*)(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text);
}

function hexLike(text: string, value: number): string {
  const upper = /[A-F]/.test(text) && !/[a-f]/.test(text.slice(2));
  const digits = value.toString(16);
  return text.slice(0, 2).replace(/^[-+]/, "") + (upper ? digits.toUpperCase() : digits);
}

/** The part of a value's range that an edit replaces: inside its quotes, so that they stay. */
export function innerSpan(text: string, span: Span): Span {
  const first = text[span.start];
  const quoted = span.end - span.start >= 2 && (first === '"' || first === "'") && text[span.end - 1] === first;
  return quoted ? { start: span.start + 1, end: span.end - 1 } : span;
}
