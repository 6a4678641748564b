import type { Arguments, Options } from "./arguments";
import type { Engine } from "./engine";
import type { ExitCode } from "./io";

/** One command of the command line. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly options: Options;
  run(engine: Engine, args: Arguments): Promise<ExitCode>;
}
