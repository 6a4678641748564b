import type { Diagnostic, DiagnosticSeverity } from "vscode-languageserver-types";
import { LineIndex } from "../../syntax/text";
import { readQuery } from "../../configs/cells/read";
import { rangeOf } from "../model";

const SEVERITY: Readonly<Record<string, DiagnosticSeverity>> = { error: 1, warning: 2, information: 3, hint: 4 };

/** What is wrong with a fit cell, at the line that caused it. */
export function queryDiagnostics(text: string): Diagnostic[] {
  const lines = new LineIndex(text);
  return readQuery(text).diagnostics.map(({ span, severity, code, message }) => ({
    range: rangeOf(lines, span),
    severity: SEVERITY[severity],
    code,
    source: "Scaling Lens",
    message,
  }));
}
