import type { Span } from "../../text";
import type { Script } from "../script";
import type { Variable, Word } from "./value";

/** What an expansion asks of the interpreter. */
export interface Scope {
  get(name: string): Variable | undefined;
  set(name: string, value: Variable): void;
  /** `$1`, `$2`, … of the function or script; undefined when it was not given. */
  argument(index: number): Word | undefined;
  readonly argumentCount: number;
  /** The output of a command, when it can be worked out without running it. */
  output(script: Script, text: Span): Word;
  /** Takes work for words and characters that are made; false when the bound is reached. */
  spend(amount?: number): boolean;
}
