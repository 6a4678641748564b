import { shownSource, type Host } from "../host";
import { safe } from "../report/print/terminal";
import { nearest } from "../syntax/nearest";
import { folderOf, nameOf } from "../syntax/uris";

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

/** What is not there, with the name beside it that was perhaps meant. */
export async function missing(host: Host, uri: string, what: string, file: string): Promise<InputError> {
  const typed = nameOf(uri);
  const names = (await host.list(folderOf(uri))).map(({ name }) => name);
  let close: string | undefined;
  try {
    close = nearest(decodeURIComponent(typed), names);
  } catch {
    close = undefined;
  }
  return new InputError(`there is no such ${what}${close === undefined ? "" : `: did you mean ${close}?`}`, { file });
}

/** `file:line:column: message`, on one line and safe for a terminal, whatever a file is called or holds. */
export function located(place: Place, message: string): string {
  const file = place.file === undefined ? undefined : shownSource(place.file);
  const parts = [file, place.line, place.line === undefined ? undefined : place.column].filter(
    (part) => part !== undefined,
  );
  return safe(parts.length > 0 ? `${parts.join(":")}: ${message}` : message);
}
