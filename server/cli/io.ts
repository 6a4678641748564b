import { safe } from "../report/print/terminal";

/** What a command writes to and reads its folder from; tests give their own. */
export interface Io {
  readonly cwd: string;
  /** One line or block on standard output. */
  out(text: string): void;
  /** One line on standard error: errors, notes, progress. */
  err(text: string): void;
  /** True when standard error is a terminal, where a progress line may be redrawn. */
  readonly interactive: boolean;
  /** Standard error without a new line, for progress. */
  progress(text: string): void;
}

/** Exit codes: 0 fine, 1 a finding, 2 bad input. */
export type ExitCode = 0 | 1 | 2;

/** Bad input: ends the command with code 2 and one line that names the place. */
export class InputError extends Error {
  constructor(
    message: string,
    readonly place: { readonly file?: string; readonly line?: number; readonly column?: number } = {},
  ) {
    super(message);
  }

  /** `file:line:column: message`, with what is known of the place. */
  override toString(): string {
    return located(this.place, this.message);
  }
}

/** `file:line:column: message`, on one line and safe for a terminal, whatever a file is called or holds; line and column are 1-based. */
export function located(
  place: { readonly file?: string; readonly line?: number; readonly column?: number },
  message: string,
): string {
  const parts = [place.file, place.line, place.line === undefined ? undefined : place.column].filter(
    (part) => part !== undefined,
  );
  return safe(parts.length > 0 ? `${parts.join(":")}: ${message}` : message);
}
