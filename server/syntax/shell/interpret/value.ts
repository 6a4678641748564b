import type { Span } from "../../text";

/** A piece of an expanded word, with where its text stands when it is a literal that could be edited. */
export interface Segment {
  /** What bash would put here; for an unknown piece nothing. */
  readonly text: string;
  /** The range in the source that holds exactly `text`. */
  readonly span?: Span;
  readonly file?: string;
  /** Set when the text cannot be known: why. `shown` is then how the source writes it. */
  readonly unknown?: string;
  readonly shown?: string;
  /** Quoted text is not split at blanks and is no pattern. */
  readonly quoted?: boolean;
  readonly via?: string;
  /** Literals that a computed text came from. */
  readonly from?: readonly Span[];
  /** Names from outside the script (environment, arguments) whose absence made this text. */
  readonly external?: ReadonlySet<string>;
}

/** How the reason of a piece begins that a command prints. */
export const OUTPUT = "it is the output of a command";

/** One word of a command after expansion. */
export type Word = readonly Segment[];

export type Variable =
  | { readonly kind: "scalar"; readonly word: Word }
  | { readonly kind: "list"; readonly words: readonly Word[] }
  | { readonly kind: "map"; readonly entries: ReadonlyMap<string, Word> };

/** The text as bash sees it: unknown pieces are empty. */
export function textOf(word: Word): string {
  return word.map((segment) => segment.text).join("");
}

/** The text for people: unknown pieces as the source writes them. */
export function shownOf(word: Word): string {
  return word.map((segment) => (segment.unknown === undefined ? segment.text : (segment.shown ?? ""))).join("");
}

export function unknownIn(word: Word): string | undefined {
  return word.find((segment) => segment.unknown !== undefined)?.unknown;
}

export function externalsOf(word: Word): ReadonlySet<string> {
  const all = new Set<string>();
  for (const segment of word) for (const name of segment.external ?? []) all.add(name);
  return all;
}

/** The literals that a word rests on. */
export function sourcesOf(word: Word): Span[] {
  return word.flatMap((segment) => [...(segment.from ?? []), ...(segment.span && !segment.file ? [segment.span] : [])]);
}

export function literal(text: string, extra: Partial<Segment> = {}): Segment {
  return { text, ...extra };
}

export function unknownSegment(reason: string, shown: string, external?: ReadonlySet<string>): Segment {
  return { text: "", unknown: reason, shown, ...(external ? { external } : {}) };
}

/** Joins neighbours that were cut apart but stand side by side in the source. */
export function tidy(word: Word): Word {
  const out: Segment[] = [];
  for (const segment of word) {
    const last = out.at(-1);
    if (segment.text === "" && segment.unknown === undefined && word.length > 1) continue;
    if (last && mergeable(last, segment)) {
      out[out.length - 1] = {
        ...last,
        text: last.text + segment.text,
        span: { start: last.span?.start ?? 0, end: segment.span?.end ?? 0 },
      };
    } else out.push(segment);
  }
  return out;
}

function mergeable(a: Segment, b: Segment): boolean {
  return (
    a.unknown === undefined &&
    b.unknown === undefined &&
    a.span !== undefined &&
    b.span !== undefined &&
    a.span.end === b.span.start &&
    a.file === b.file &&
    a.via === b.via &&
    a.external === b.external &&
    a.quoted === b.quoted
  );
}

/** The part of a word from a character of its text on; unknown pieces count no characters. */
export function sliceWord(word: Word, from: number, to = Number.POSITIVE_INFINITY): Word {
  const out: Segment[] = [];
  let at = 0;
  for (const segment of word) {
    const length = segment.text.length;
    const start = Math.max(0, from - at);
    const end = Math.min(length, to - at);
    if (segment.unknown !== undefined) {
      if (at >= from && at <= to) out.push(segment);
    } else if (start === 0 && end === length && length > 0) out.push(segment);
    else if (start < end) {
      out.push({
        ...segment,
        text: segment.text.slice(start, end),
        ...(segment.span ? { span: { start: segment.span.start + start, end: segment.span.start + end } } : {}),
      });
    }
    at += length;
  }
  return out;
}

/** Splits at unquoted blanks, as bash does with an unquoted expansion. */
export function splitFields(word: Word): Word[] {
  const fields: Segment[][] = [];
  let current: Segment[] | null = null;
  for (const segment of word) {
    if (segment.quoted || segment.unknown !== undefined) {
      (current ??= []).push(segment);
      continue;
    }
    const pattern = /\s+|\S+/g;
    for (let match = pattern.exec(segment.text); match; match = pattern.exec(segment.text)) {
      if (/^\s/.test(match[0])) {
        if (current) fields.push(current);
        current = null;
        continue;
      }
      const start = match.index;
      (current ??= []).push(
        match[0].length === segment.text.length
          ? segment
          : {
              ...segment,
              text: match[0],
              ...(segment.span
                ? { span: { start: segment.span.start + start, end: segment.span.start + start + match[0].length } }
                : {}),
            },
      );
    }
  }
  if (current) fields.push(current);
  return fields;
}

/** Text that was put together from segments, able to say where a range of it stands in the source. */
export class MappedText {
  readonly text: string;
  readonly #parts: { readonly start: number; readonly segment: Segment }[] = [];

  constructor(word: Word) {
    let text = "";
    for (const segment of word) {
      this.#parts.push({ start: text.length, segment });
      text += segment.unknown === undefined ? segment.text : (segment.shown ?? "");
    }
    this.text = text;
  }

  /** Where a range stands, when it lies in one literal. */
  locate(
    start: number,
    end: number,
  ):
    | { readonly span: Span; readonly file?: string; readonly via?: string; readonly external?: ReadonlySet<string> }
    | undefined {
    for (const { start: at, segment } of this.#parts) {
      if (segment.unknown !== undefined || !segment.span || start < at || end > at + segment.text.length) continue;
      return {
        span: { start: segment.span.start + start - at, end: segment.span.start + end - at },
        ...(segment.file ? { file: segment.file } : {}),
        ...(segment.via ? { via: segment.via } : {}),
        ...(segment.external ? { external: segment.external } : {}),
      };
    }
    return undefined;
  }
}
