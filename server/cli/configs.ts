import { assess, type AssessOptions } from "../assessment/assess";
import type { Assessment } from "../assessment/types";
import type { Scaling } from "../operations/scaling";
import type { Arguments } from "./arguments";
import type { Engine } from "./engine";
import { located } from "./io";
import { LineIndex } from "../syntax/text";
import type { ConfigDiagnostic } from "../syntax/tree";

/** A config of the command line, read and judged. */
export interface JudgedConfig {
  readonly file: string;
  readonly text: string;
  readonly assessment: Assessment;
  readonly scaling: Scaling | null;
}

export async function judge(
  engine: Engine,
  file: string,
  args: Arguments,
  options?: (scaling: Scaling | null) => AssessOptions,
): Promise<JudgedConfig> {
  const text = await engine.text(file);
  const uri = engine.uri(file);
  const { folderUri, scaling } = await engine.scalingFor(uri);
  const fit = await engine.fitFor(folderUri, scaling, args);
  const { host, grammars } = engine;
  const assessment = await assess({
    uri,
    text,
    host,
    grammars,
    scaling: scaling?.file ?? null,
    fit,
    options: options?.(scaling),
  });
  return { file, text, assessment, scaling };
}

/** Prints what is wrong with a config and with its `scaling.yaml`, one located line each; returns whether any of it is an error. */
export function reportDiagnostics(engine: Engine, { file, text, assessment, scaling }: JudgedConfig): boolean {
  // A price or a limit that cannot be read changes every figure: it is told once for all the configs that it holds for.
  if (scaling !== null && engine.firstTime(scaling.file.uri))
    printLocated(engine, engine.shown(scaling.file.uri), scaling.text, scaling.file.diagnostics);
  const unread = scaling !== null && scaling.file.diagnostics.some(({ severity }) => severity === "error");
  return printLocated(engine, file, text, assessment.document.diagnostics) || unread;
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
