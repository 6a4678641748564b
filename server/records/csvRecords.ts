const MARKS = [",", "\t", ";", "|"];

/** Finds where records end in a CSV text that comes in pieces: at line ends outside quoted cells. A quote within a cell opens none. */
export class RecordEnds {
  #quoted = false;
  /** The text so far ends with a quote within a quoted cell: it closes the cell, or is the first of two that stand for one. */
  #undecided = false;
  #before = "\n";

  /** Index of the last line end that ends a record; -1 where none does. */
  last(text: string, delimiter: string | undefined): number {
    let last = -1;
    this.each(text, delimiter, (from, to) => {
      const end = text.lastIndexOf("\n", to - 1);
      if (end >= from) last = end;
    });
    return last;
  }

  /** Hands over the parts of a text that are outside quoted cells. */
  each(text: string, delimiter: string | undefined, outside: (from: number, to: number) => void): void {
    if (text === "") return;
    let at = 0;
    if (this.#undecided) {
      this.#undecided = false;
      if (text[0] === '"') at = 1;
      else this.#quoted = false;
    }
    let from = at;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote < 0) break;
      at = quote + 1;
      if (!this.#quoted) {
        if (!opens(quote > 0 ? text[quote - 1] : this.#before, delimiter)) continue;
        if (quote > from) outside(from, quote);
        this.#quoted = true;
      } else if (at === text.length) this.#undecided = true;
      else if (text[at] === '"') at++;
      else {
        this.#quoted = false;
        from = at;
      }
    }
    if (!this.#quoted && text.length > from) outside(from, text.length);
    this.#before = text[text.length - 1];
  }
}

function opens(before: string, delimiter: string | undefined): boolean {
  return (
    before === "\n" ||
    before === "\r" ||
    before === "\uFEFF" ||
    (delimiter === undefined ? MARKS.includes(before) : before === delimiter)
  );
}

/** A text in pieces that end where its records do. */
export function recordsOf(text: string, delimiter: string | undefined): string[] {
  const records: string[] = [];
  let start = 0;
  new RecordEnds().each(text, delimiter, (from, to) => {
    for (let end = text.indexOf("\n", from); end >= 0 && end < to; end = text.indexOf("\n", end + 1)) {
      records.push(text.slice(start, end + 1));
      start = end + 1;
    }
  });
  if (start < text.length) records.push(text.slice(start));
  return records;
}
