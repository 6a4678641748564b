import { safe } from "../report/print/terminal";

/** Where bad input stands; line and column are 1-based. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Bad input: what was asked for cannot be done, and one line says why and where. */
export class InputError extends Error {
  constructor(
    message: string,
    readonly place: Place = {},
  ) {
    super(message);
  }

  /** `file:line:column: message`, with what is known of the place. */
  override toString(): string {
    return located(this.place, this.message);
  }
}

/** `file:line:column: message`, on one line and safe for a terminal, whatever a file is called or holds. */
export function located(place: Place, message: string): string {
  const parts = [place.file, place.line, place.line === undefined ? undefined : place.column].filter(
    (part) => part !== undefined,
  );
  return safe(parts.length > 0 ? `${parts.join(":")}: ${message}` : message);
}
