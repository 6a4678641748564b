import type { Script } from "../script";
import type { Scope } from "./scope";
import { literal, splitFields, textOf, tidy, unknownIn, unknownSegment, type Segment, type Word } from "./value";

/** Longer literals of text put together are not taken apart. */
const MOST_PARTED = 2_000;
const MOST_SEGMENTS = 4_000;
const MOST_TEXT = 200_000;
/** So many pieces, or characters, of a word that is copied cost a unit of work. */
export const SEGMENTS_A_STEP = 4;
const CHARACTERS_A_STEP = 250;

/** The words that an expansion makes, piece by piece: split at the blanks of what is not quoted, unless they are to be one. */
export class WordFields {
  readonly #script: Script;
  readonly #scope: Scope;
  readonly #split: boolean;
  readonly #fields: Segment[][] = [];
  #current: Segment[] | null = null;
  #segments = 0;
  #length = 0;

  constructor(script: Script, scope: Scope, split: boolean) {
    this.#script = script;
    this.#scope = scope;
    this.#split = split;
  }

  words(): Word[] {
    this.#close();
    return this.#fields.map(tidy);
  }

  /** All as one word, with blanks between what would have been several. */
  joined(): Word {
    this.#close();
    return tidy(
      this.#fields.flatMap((field, index) => (index === 0 ? field : [literal(" ", { quoted: true }), ...field])),
    );
  }

  #close(): void {
    if (this.#current) this.#fields.push(this.#current);
    this.#current = null;
  }

  /** The word that pieces go to now; there is one from here on, if only an empty one. */
  open(): Segment[] {
    return (this.#current ??= []);
  }

  /** Puts in a piece of the script as it stands. */
  literal(start: number, end: number, quoted: boolean): void {
    const place = this.#script.locate
      ? this.#script.locate(start, end)
      : { span: { start, end }, ...(this.#script.file ? { file: this.#script.file } : {}) };
    if (place === undefined && end - start > 1 && end - start <= MOST_PARTED) return this.#parted(start, end, quoted);
    this.open().push(literal(this.#script.text.slice(start, end), { ...place, ...(quoted ? { quoted: true } : {}) }));
  }

  /** A literal of text that was put together from several places: each run of it keeps its own. */
  #parted(start: number, end: number, quoted: boolean): void {
    const locate = (from: number, to: number) => this.#script.locate?.(from, to);
    for (let from = start; from < end;) {
      let to = from + 1;
      let place = locate(from, to);
      for (; place && to < end; to++) {
        const longer = locate(from, to + 1);
        if (!longer) break;
        place = longer;
      }
      this.open().push(literal(this.#script.text.slice(from, to), { ...place, ...(quoted ? { quoted: true } : {}) }));
      from = to;
    }
  }

  /** Words that grow without end (`x=$x$x` in a loop) become unknown. */
  #bounded(word: Word): Word {
    this.#segments += word.length;
    let made = 0;
    for (const segment of word) made += segment.text.length;
    this.#length += made;
    if (!this.#scope.spend(1 + word.length / SEGMENTS_A_STEP + made / CHARACTERS_A_STEP))
      return [unknownSegment("the script does too much to be followed", "…")];
    if (this.#segments <= MOST_SEGMENTS && this.#length <= MOST_TEXT) return word;
    return [unknownSegment("it grows too long to be followed", "…")];
  }

  /** Puts the result of an expansion into the word, split at blanks when it is not quoted. */
  insert(given: Word, quoted: boolean): void {
    const word = this.#bounded(given);
    if (quoted || !this.#split) {
      this.open().push(...word.map((segment) => ({ ...segment, quoted: true })));
      return;
    }
    const loose = word.map((segment) => ({ ...segment, quoted: false }));
    const known = textOf(loose);
    if (loose.length > 0 && known === "" && unknownIn(loose) === undefined) return;
    const fields = splitFields(loose);
    if (/^\s/.test(known)) this.#close();
    for (const [index, field] of fields.entries()) {
      if (index > 0) this.#close();
      // Blanks now separate words; what is left must not be split again.
      this.open().push(...field.map((segment) => ({ ...segment, quoted: true })));
    }
    if (/\s$/.test(known)) this.#close();
  }

  insertMany(words: readonly Word[], quoted: boolean): void {
    // Each word is charged before it is made: `f "$@" "$@"` doubles them at every call.
    for (const [index, word] of words.entries()) {
      if (!this.#scope.spend()) return;
      if (index > 0 && this.#split) {
        this.#close();
      } else if (index > 0) this.open().push(literal(" ", { quoted: true }));
      this.insert(word, quoted);
    }
  }
}
