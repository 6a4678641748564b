export { InputError, located } from "../operations/inputError";

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
