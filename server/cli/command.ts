import type { Arguments, Options } from "./arguments";
import type { Engine } from "./engine";
import type { ExitCode } from "./io";

/** One command of the command line. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly options: Options;
  /** Command lines that work in the sample workspace, for the help. */
  readonly examples?: readonly string[];
  run(engine: Engine, args: Arguments): Promise<ExitCode>;
}
