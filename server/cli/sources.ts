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

/** Notes of one kind that are printed: a thousand runs with the same remark bury the one that matters. */
const PRINTED = 20;

/** Prints what was skipped or doubted, one located line each; of many of one kind the first, and how many more there are. */
export function notesOf(engine: Engine, { notes }: Pick<RunTable, "notes">, everything = false): void {
  const counts = new Map<string, number>();
  for (const { severity, code, message, file, line, column } of notes) {
    if (severity === "information" && !everything) continue;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count > PRINTED) continue;
    engine.io.err(
      located(
        { file: file === undefined ? undefined : safe(engine.shown(file)), line, column },
        `${severity} ${code}: ${safe(message)}`,
      ),
    );
  }
  for (const [code, count] of counts)
    if (count > PRINTED) engine.io.err(`${code}: ${count - PRINTED} more like these; \`--json\` lists all.`);
}
