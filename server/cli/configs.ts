import { notRead } from "../assessment/unreadSources";
import { safe } from "../report/print/terminal";
import type { Judged } from "../operations/engine";
import type { Unread } from "../operations/judgeEach";
import type { Engine } from "./engine";
import { located } from "./io";
import { LineIndex } from "../syntax/text";
import type { ConfigDiagnostic } from "../syntax/tree";

/** Names a file that could not be read. */
export function reportUnread({ io }: Engine, { file, reason }: Unread): void {
  io.err(located({ file }, reason));
}

/** Names what the fit in force lacks: sources of runs that could not be read, or are shown as they were. */
export function reportNotRead({ io }: Engine, configs: Parameters<typeof notRead>[0]): void {
  for (const one of notRead(configs)) io.err(`not read: ${safe(one)}`);
}

/** Prints what is wrong with a config and with its `scaling.yaml`, one located line each; returns whether any of it is an error. */
export function reportDiagnostics(engine: Engine, config: Judged): boolean {
  const { file, text, assessment } = config;
  const unread = reportScaling(engine, config);
  return printLocated(engine, file, text, assessment.document.diagnostics) || unread;
}

/** The same for its `scaling.yaml` alone. */
export function reportScaling(engine: Engine, { scaling }: Judged): boolean {
  // A price or a limit that cannot be read changes every figure: it is told once for all the configs that it holds for.
  if (scaling !== null && engine.firstTime(scaling.file.uri))
    printLocated(engine, engine.shown(scaling.file.uri), scaling.text, scaling.file.diagnostics);
  return scaling !== null && scaling.file.diagnostics.some(({ severity }) => severity === "error");
}

function printLocated(engine: Engine, file: string, text: string, diagnostics: readonly ConfigDiagnostic[]): boolean {
  const lines = new LineIndex(text);
  let errors = false;
  for (const { span, severity, code, message } of diagnostics) {
    if (severity === "hint" || severity === "information") continue;
    const at = lines.at(span.start);
    engine.io.err(located({ file, line: at.line + 1, column: at.character + 1 }, `${severity} ${code}: ${message}`));
    errors ||= severity === "error";
  }
  return errors;
}
