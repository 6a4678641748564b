import { markConflicts, withoutConflicts } from "../syntax/conflicts";
import { FRAMEWORKS } from "../frameworks";
import { aroundCell, inCell, inNotebook, notebookCode, type CellSurroundings } from "../syntax/notebook";
import { parseJson } from "../syntax/json";
import { parsePython } from "../syntax/python";
import { pythonCommands } from "../syntax/python/commands";
import { embeddedVariants } from "../syntax/shell/embedded";
import { parseShell, type ShellOptions } from "../syntax/shell";
import { jobCommands, mayTrain } from "../syntax/shell/jobs";
import { makefileScript } from "../syntax/shell/makefile";
import { skypilotJob } from "../syntax/shell/skypilot";
import { parseToml } from "../syntax/toml";
import type { Grammars } from "../syntax/treeSitter";
import type { ConfigVariant, SyntaxDocument } from "../syntax/tree";
import { isMakefile, isNotebookFile, nameOf, syntaxOf } from "../syntax/uris";
import type { Work } from "../syntax/work";
import { parseYaml } from "../syntax/yaml/yaml";

export interface SyntaxOptions {
  /** For shell and Python; without them such files hold no experiments. */
  readonly grammars?: Grammars;
  /** Where the text is one cell of a notebook. */
  readonly cell?: CellSurroundings;
  /** For scripts that a script sources. */
  readText?(uri: string): Promise<string | undefined>;
  /** What may be done for the document in all. */
  readonly work?: Work;
}

/** Command-line programs that train by themselves, as the sheets have them. */
const TRAINERS = FRAMEWORKS.flatMap(({ signs }) => signs.programs ?? []);

/** No config that a person wrote is longer (in characters); reading more would hold up the editor for seconds. */
const MAX_CHARACTERS = 1_000_000;
/** The TOML parser goes through its tables again for each. */
const MAX_TABLES = 5_000;
const TOML_TABLE = /^[ \t]*\[/gm;
export const TOO_LARGE = "config.too-large";

/** Reads a text into its ranged tree; by the URI's ending, or by VS Code's language id. Never throws. */
export async function parseSyntax(
  uriOrLanguage: string,
  text: string,
  options: SyntaxOptions = {},
): Promise<SyntaxDocument> {
  const why =
    text.length > MAX_CHARACTERS
      ? `This file has ${(text.length / 1e6).toFixed(1)} million characters; files above ${MAX_CHARACTERS / 1e6} million are not read.`
      : syntaxOf(uriOrLanguage) === "toml" && hasMore(text, TOML_TABLE, MAX_TABLES)
        ? `This file has more than ${MAX_TABLES} tables and is not read.`
        : null;
  if (why !== null) {
    return {
      syntax: syntaxOf(uriOrLanguage),
      variants: [],
      diagnostics: [{ span: { start: 0, end: 0 }, severity: "warning", code: TOO_LARGE, message: why }],
    };
  }
  const conflicts = withoutConflicts(text);
  return markConflicts(await parseAs(uriOrLanguage, conflicts.text, options), conflicts);
}

function hasMore(text: string, pattern: RegExp, most: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count > most) return true;
  return false;
}

async function parseAs(uri: string, text: string, options: SyntaxOptions): Promise<SyntaxDocument> {
  const syntax = syntaxOf(uri);
  switch (syntax) {
    case "toml":
      return parseToml(text);
    case "json":
      return parseJson(text);
    case "shell":
    case "python":
      return parseWithGrammar(syntax, uri, text, options);
    case "yaml": {
      const own = isNativeBudget(uri) || isScalingFile(uri);
      const document = parseYaml(text, { dialect: own ? "1.2" : "1.1" });
      const job = own ? undefined : skypilotJob(document, text);
      if (job !== undefined) {
        const script = await parseWithGrammar("shell", uri, job.script, options, job.given);
        if (script.variants.length > 0) return script;
      }
      const commands = own || options.grammars === undefined ? [] : jobCommands(document, text).filter(mayTrain);
      return commands.length === 0 || options.grammars === undefined
        ? document
        : withCommands(document, embeddedVariants(commands, await options.grammars.load("bash"), TRAINERS));
    }
  }
}

async function parseWithGrammar(
  syntax: "shell" | "python",
  uri: string,
  text: string,
  options: SyntaxOptions,
  given?: ShellOptions["given"],
): Promise<SyntaxDocument> {
  const unread = (message: string): SyntaxDocument => ({
    syntax,
    variants: [],
    diagnostics: [{ span: { start: 0, end: 0 }, severity: "information", code: "config.parse", message }],
  });
  if (options.grammars === undefined) return unread("Files of this kind are not read here.");
  try {
    if (syntax === "shell" && isMakefile(uri)) {
      const command = { text: makefileScript(text), span: { start: 0, end: 0 } };
      const variants = embeddedVariants([command], await options.grammars.load("bash"), TRAINERS);
      return { syntax, variants, diagnostics: [] };
    }
    const { cell, ...plain } = options;
    if (cell)
      return inCell(await parseWithGrammar("python", "notebook.py", aroundCell(text, cell), plain), text, cell, uri);
    const notebook = isNotebookFile(uri) ? notebookCode(text) : undefined;
    if (notebook) return inNotebook(await parseWithGrammar(syntax, "notebook.py", notebook.text, options), notebook);
    if (syntax === "python") {
      const grammar = await options.grammars.load("python");
      const document = parsePython(text, grammar, undefined, options.work);
      const commands = pythonCommands(text, grammar);
      return commands.length === 0
        ? document
        : withCommands(document, embeddedVariants(commands, await options.grammars.load("bash"), TRAINERS));
    }
    const readText = options.readText?.bind(options);
    return await parseShell(text, await options.grammars.load("bash"), {
      uri,
      trainers: TRAINERS,
      ...(readText === undefined ? {} : { readText }),
      ...(given === undefined ? {} : { given }),
      ...(options.work === undefined ? {} : { work: options.work }),
    });
  } catch (error) {
    return unread(`This file could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What a document starts besides what it is. */
function withCommands(document: SyntaxDocument, variants: readonly ConfigVariant[]): SyntaxDocument {
  return variants.length === 0 ? document : { ...document, variants: [...document.variants, ...variants] };
}

export function isNativeBudget(uri: string): boolean {
  return /\.budget\.(?:ya?ml|jsonc?|toml)$/i.test(nameOf(uri));
}

export function isScalingFile(uri: string): boolean {
  return /^scaling\.ya?ml$/i.test(nameOf(uri));
}
