import type { Notes } from "../../records/notes";
import { numberOf, textOf } from "./sql";
import { StoreProblem } from "./store";

/** Types of columns that hold texts, as the engines write them. */
export const isTextType = (type: string): boolean =>
  /^(?:(?:nullable|lowcardinality)\()*(?:text|string|fixedstring|char|character|varchar|nvarchar|clob|json|name)\b/i.test(
    type,
  );

/**
 * The numbers of one column. A column whose type is text (a schema that has drifted) is read where its texts are numbers, and that is told;
 * a text that is no number is a StoreProblem where figures rest on it: leaving it out would change them in silence.
 */
export class NumberColumn {
  #texts = 0;
  #left = 0;
  #firstLeft = "";

  /** @param type as the store declares it; undefined where it does not say */
  constructor(
    readonly name: string,
    readonly type: string | undefined,
  ) {}

  /** Undefined for an absent value, or one that was left out. @param matters whether figures rest on it */
  of(value: unknown, matters = true): number | undefined {
    if (value === null || value === undefined) return undefined;
    const number = numberOf(value);
    if (number === undefined) {
      const text = (textOf(value) ?? typeof value).slice(0, 40);
      if (matters) throw new StoreProblem("store.not-a-number", `${this.name} holds “${text}”, which is no number.`);
      if (this.#left++ === 0) this.#firstLeft = text;
    } else if (typeof value === "string" && (this.type === undefined || isTextType(this.type))) this.#texts++;
    return number;
  }

  /** Says what was unlike a column of numbers. */
  tell(notes: Notes, file: string): void {
    if (this.#texts > 0)
      notes.warn(
        "store.text-numbers",
        `${this.name} is a column of texts; ${this.#texts === 1 ? "its one value was" : `its ${this.#texts} values were`} read as ${this.#texts === 1 ? "a number" : "numbers"}.`,
        { file },
      );
    if (this.#left > 0)
      notes.warn(
        "store.not-a-number",
        `${this.name}: ${this.#left} value${this.#left > 1 ? "s" : ""} (the first: “${this.#firstLeft}”) ${this.#left > 1 ? "are no numbers and were" : "is no number and was"} left out.`,
        { file },
      );
  }
}
