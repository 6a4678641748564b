import type { RunTable } from "../core/table";
import { CACHE_OPTIONS, type Engine } from "./engine";
import type { Options } from "./arguments";
import { located } from "./io";
import { safe } from "../report/print/terminal";

/** How run logs are to be read. */
export const RUN_OPTIONS: Options = {
  scaling: {
    kind: "text",
    value: "FILE",
    help: "the scaling.yaml whose metric, columns and facts hold (default: the nearest at or above the first source)",
  },
  ...CACHE_OPTIONS,
};

/** Prints what was skipped or doubted, one located line each. */
export function notesOf(engine: Engine, { notes }: Pick<RunTable, "notes">, everything = false): void {
  for (const { severity, code, message, file, line, column } of notes) {
    if (severity === "information" && !everything) continue;
    engine.io.err(
      located(
        { file: file === undefined ? undefined : safe(engine.shown(file)), line, column },
        `${severity} ${code}: ${safe(message)}`,
      ),
    );
  }
}
