import type { TableNote } from "../core/table";

export interface NotePlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Notes alike (one code, one file) beyond this many are counted instead of listed. */
const LISTED = 20;

/** A sentence that names two thousand metrics is not read by anybody (characters). */
const LONGEST = 1_000;

/** Whether a value from outside, such as a cache, is a note. */
export function isNote(value: unknown): value is TableNote {
  if (typeof value !== "object" || value === null) return false;
  const { severity, code, message, file, line, column } = value as Record<string, unknown>;
  const absentOr = (what: "string" | "number", part: unknown) => part === undefined || typeof part === what;
  return (
    ["error", "warning", "information"].includes(severity as string) &&
    typeof code === "string" &&
    typeof message === "string" &&
    absentOr("string", file) &&
    absentOr("number", line) &&
    absentOr("number", column)
  );
}

/** What holds this time only, and must not be kept with a reading: the next may succeed though no file has changed. */
const PASSING: readonly string[] = ["log.unreadable", "log.accelerator"];

export function isLasting(notes: readonly TableNote[]): boolean {
  return !notes.some(({ code }) => PASSING.includes(code));
}

/** Collects what was skipped or doubted. A file with a million bad lines gives twenty notes and a count. */
export class Notes {
  readonly #listed: TableNote[] = [];
  readonly #counts = new Map<string, { count: number; last: TableNote }>();

  add(severity: TableNote["severity"], code: string, message: string, place: NotePlace = {}): void {
    this.push({
      severity,
      code,
      message: message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message,
      ...place,
    });
  }

  push(note: TableNote): void {
    const key = `${note.code}\n${note.file ?? ""}`;
    const seen = this.#counts.get(key) ?? { count: 0, last: note };
    seen.count++;
    seen.last = note;
    this.#counts.set(key, seen);
    if (seen.count <= LISTED) this.#listed.push(note);
  }

  /** Takes over notes that another collection has listed (and counted) already. */
  include(notes: readonly TableNote[]): void {
    this.#listed.push(...notes);
  }

  /** True where a further note of this kind would only be counted, so that its details need no finding out. */
  isFull(code: string, file: string): boolean {
    return (this.#counts.get(`${code}\n${file}`)?.count ?? 0) >= LISTED;
  }

  error(code: string, message: string, place?: NotePlace): void {
    this.add("error", code, message, place);
  }

  warn(code: string, message: string, place?: NotePlace): void {
    this.add("warning", code, message, place);
  }

  inform(code: string, message: string, place?: NotePlace): void {
    this.add("information", code, message, place);
  }

  list(): readonly TableNote[] {
    const more: TableNote[] = [];
    for (const { count, last } of this.#counts.values()) {
      if (count > LISTED)
        more.push({ ...last, message: `${count - LISTED} more like these, the last: ${last.message}` });
    }
    return [...this.#listed, ...more];
  }
}
