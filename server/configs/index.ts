import type { BudgetTarget, ConfigReading, EditPlan } from "./budget";
import { markConflicts, withoutConflicts } from "./conflicts";
import { parseJson } from "./json";
import { readNativeBudget } from "./native/budget";
import { planNativeEdits } from "./native/edits";
import type { SyntaxDocument } from "./tree";
import { parseToml } from "./toml";
import { nameOf, syntaxOf } from "./uris";
import { parseYaml } from "./yaml";

export interface ReadRequest {
  readonly uri: string;
  readonly text: string;
  /** Other files of the workspace: base configs, sourced scripts. Absent: undefined. */
  readText(uri: string): Promise<string | undefined>;
}

/** A reading together with what later steps need: the tree it came from and the text that edits splice. */
export interface ConfigDocument extends ConfigReading {
  readonly uri: string;
  readonly text: string;
  readonly syntax: SyntaxDocument;
}

/** Reads a text into its ranged tree; by the URI's ending, or by VS Code's language id. Never throws. */
export async function parseSyntax(uriOrLanguage: string, text: string): Promise<SyntaxDocument> {
  const syntax = syntaxOf(uriOrLanguage);
  const conflicts = withoutConflicts(text);
  return markConflicts(parseAs(syntax, uriOrLanguage, conflicts.text), conflicts);
}

function parseAs(syntax: SyntaxDocument["syntax"], uri: string, text: string): SyntaxDocument {
  switch (syntax) {
    case "toml":
      return parseToml(text);
    case "json":
      return parseJson(text);
    default:
      return parseYaml(text, { dialect: isNativeBudget(uri) ? "1.2" : "1.1" });
  }
}

export function isNativeBudget(uri: string): boolean {
  return /\.budget\.(?:ya?ml|jsonc?|toml)$/i.test(nameOf(uri));
}

/** Reads a config of any kind into experiments. */
export async function readConfig(request: ReadRequest): Promise<ConfigDocument> {
  const syntax = await parseSyntax(request.uri, request.text);
  const base = { uri: request.uri, text: request.text, syntax };
  if (isNativeBudget(request.uri)) {
    const reading = readNativeBudget(syntax, nameOf(request.uri).replace(/\.budget\.\w+$/i, ""));
    return { ...base, framework: "native", experiments: reading.experiments, diagnostics: [...syntax.diagnostics, ...reading.diagnostics] };
  }
  return { ...base, framework: null, experiments: [], diagnostics: syntax.diagnostics };
}

/** What an optimum changes in a config. Splicing the edits changes nothing else. */
export function planEdits(document: ConfigDocument, experimentIndex: number, target: BudgetTarget): EditPlan {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined) return { edits: [], remainder: [] };
  return planNativeEdits(document.text, document.syntax, experiment, target);
}
