import type { ZodType } from "zod";
import type { Engine } from "./engine";

/**
 * One verb behind the editor, the command line, notebook cells and agents. `run` rejects with an InputError for bad input, and
 * with the signal's reason when cancelled.
 */
export interface Operation<Input, Answer> {
  readonly name: string;
  /** One sentence: the help of the command line and the description that agents read. */
  readonly summary: string;
  readonly input: ZodType<Input>;
  /** True where it may write a file. All others only read. */
  readonly writes: boolean;
  run(engine: Engine, input: Input, signal?: AbortSignal): Promise<Answer>;
  /** The answer as its JSON contract has it: what `--json` prints and what an agent gets. */
  json(answer: Answer, engine: Engine): unknown;
}

/** An operation of which only the name is known when it is called. */
export interface AnyOperation {
  readonly name: string;
  readonly summary: string;
  readonly input: ZodType;
  readonly writes: boolean;
  /** Checks the input, runs, and gives the JSON contract. An InputError names the field that is wrong. */
  call(engine: Engine, input: unknown, signal?: AbortSignal): Promise<unknown>;
}
