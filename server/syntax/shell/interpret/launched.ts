import type { Span } from "../../text";
import type { Work } from "../../work";
import type { Alternative } from "./conditions";
import type { Script } from "../script";
import type { Word } from "./value";

/** A command that the script would start, expanded. */
export interface Launch {
  readonly words: readonly Word[];
  readonly span: Span;
  /** Environment given to it: its own assignments and what was exported. */
  readonly environment: ReadonlyMap<string, Word>;
  /** The sweep loops around it, outermost first. */
  readonly loops: readonly { readonly name: string; readonly value: string }[];
}

/** A command or loop that trains nothing, and the words it takes: what it takes cannot be changed for a training alone. */
export interface Taken {
  readonly words: readonly Word[];
  readonly span: Span;
}

export interface RunResult {
  readonly launches: readonly Launch[];
  readonly taken: readonly Taken[];
  readonly alternatives: readonly Alternative[];
  /** Paths that were sourced but are not loaded. */
  readonly wanted: readonly Word[];
  readonly work: number;
  readonly exhausted: boolean;
}

export interface RunOptions {
  /** Sourced scripts by the path as written. */
  readonly sources: ReadonlyMap<string, Script>;
  readonly parse: (text: string, place: Pick<Script, "file" | "locate">) => Script;
  /** Command-line programs that train by themselves. */
  readonly trainers: ReadonlySet<string>;
  /** Values given from outside (a variant), or by the job system. */
  readonly given: ReadonlyMap<string, Word>;
  /** What is left for reading the whole document. */
  readonly work: Work;
}
