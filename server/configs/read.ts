import type { BudgetTarget, ConfigReading, EditPlan, ExperimentBudget, PlannedEdit } from "../budget/budget";
import { followConfig, FollowedFiles } from "./follow/bases";
import { capped } from "../syntax/capped";
import { markConflicts, withoutConflicts } from "../syntax/conflicts";
import { applyFacts, mergeFacts, type MergedFacts } from "./scaling/facts";
import {
  configAfter,
  durationUnit as frameworkDurationUnit,
  experimentsOf,
  openConfig,
  planEdits as planFrameworkEdits,
  readExperiment,
  recognise,
  sameBudget,
  trainFiles,
  type Config,
  type DatasetRows,
  type Framework,
} from "../frameworks/reading/read";
import { FRAMEWORKS } from "../frameworks";
import { aroundCell, inCell, inNotebook, notebookCode, type CellSurroundings } from "../syntax/notebook";
import { shareEdits } from "../syntax/shared";
import { parseJson } from "../syntax/json";
import { launchedPython } from "./follow/launchedPython";
import { apart, calledBy, isStatedHere, mergeEdits, named, takenByOthers, unused } from "./shared";
import { groupRule, readNativeAgain } from "./native/budget";
import { readNative } from "./native/read";
import { rowsOf } from "./trainingRows";
import { nativeDurationUnit, planNativeEdits } from "./native/edits";
import { parsePython } from "../syntax/python";
import { pythonCommands } from "../syntax/python/commands";
import { embeddedVariants } from "../syntax/shell/embedded";
import { factRulesFor, type ScalingFile } from "./scaling/scalingFile";
import { parseShell, type ShellOptions } from "../syntax/shell";
import { jobCommands, mayTrain } from "../syntax/shell/jobs";
import { makefileScript } from "../syntax/shell/makefile";
import { skypilotJob } from "../syntax/shell/skypilot";
import { parseToml } from "../syntax/toml";
import type { Grammars } from "../syntax/treeSitter";
import { packTrees, unpackTrees, type PackedTrees } from "../syntax/packedTree";
import type { ConfigDiagnostic, ConfigVariant, MapNode, SyntaxDocument } from "../syntax/tree";
import { isMakefile, isNotebookFile, nameOf, syntaxOf } from "../syntax/uris";
import { Work } from "../syntax/work";
import { TEXT_NUMBER } from "../syntax/yaml/convert";
import { parseYaml } from "../syntax/yaml/yaml";

export interface ReadRequest {
  readonly uri: string;
  readonly text: string;
  /** Other files of the workspace: base configs, sourced scripts. Absent: undefined. */
  readText(uri: string): Promise<string | undefined>;
  /** The folder's `scaling.yaml`, for facts that no config states. */
  readonly facts?: ScalingFile;
  /** For shell and Python; without them such files hold no experiments. */
  readonly grammars?: Grammars;
  /** Where the text is one cell of a notebook. */
  readonly cell?: CellSurroundings;
  /** Rows of a training file, when it is in the workspace. */
  datasetRows?(...uris: readonly string[]): Promise<DatasetRows | undefined>;
}

/** A reading together with what later steps need: the tree it came from and the text that edits splice. */
export interface ConfigDocument extends ConfigReading {
  readonly uri: string;
  readonly text: string;
  readonly syntax: SyntaxDocument;
  /** Other files whose values were followed into: when one changes, this reading is out of date. */
  readonly followed: readonly string[];
  /** Where each experiment of a framework's file was read from, for the way back. Empty for native budgets. */
  readonly origins: readonly Origin[];
  /** What `scaling.yaml` says of this file. */
  readonly facts?: MergedFacts;
  /** Edits that the experiments already count with, though the text does not. */
  readonly made?: readonly PlannedEdit[];
}

/** An experiment without what cannot cross: its rules are code, and are found again by their names. */
type PackedExperiment = Omit<ExperimentBudget, "rules"> & {
  readonly rules: readonly Omit<ExperimentBudget["rules"][number], "holds">[];
};

/** A document as it crosses from a worker: frameworks by name, and without what can be made again. */
export type PackedDocument = Omit<ConfigDocument, "uri" | "text" | "origins" | "experiments"> & {
  readonly experiments: readonly PackedExperiment[];
  /** Two of each origin: keys and flags. */
  readonly trees: PackedTrees;
  readonly origins: readonly (Pick<Origin, "data"> & {
    readonly budget: PackedExperiment;
    readonly framework: string;
    readonly variant: Omit<ConfigVariant, "root" | "flags">;
    readonly syntax: SyntaxDocument["syntax"];
    /** Undefined: the document's own. */
    readonly text?: string;
  })[];
};

export function packed(document: ConfigDocument): PackedDocument {
  const { uri: _uri, text, origins, syntax, experiments, ...rest } = document;
  const bare = (one: ExperimentBudget): PackedExperiment => ({
    ...one,
    rules: one.rules.map(({ id, code, message }) => ({ id, code, message })),
  });
  return {
    ...rest,
    experiments: experiments.map(bare),
    // Only native budgets are edited by the tree as written; the others by their origins.
    syntax: origins.length > 0 ? { ...syntax, variants: [], diagnostics: [] } : syntax,
    trees: packTrees(origins.flatMap(({ config: { variant } }) => [variant.root, variant.flags])),
    origins: origins.map(({ framework, config, budget, data }) => ({
      framework: framework.id,
      variant: { ...config.variant, root: undefined, flags: undefined },
      syntax: config.syntax,
      ...(config.text === text ? {} : { text: config.text }),
      budget: bare(budget),
      ...(data && { data }),
    })),
  };
}

export function unpacked(
  { origins: packedOrigins, trees, experiments, ...rest }: PackedDocument,
  uri: string,
  text: string,
): ConfigDocument {
  const maps = unpackTrees(trees) as MapNode[];
  const origins = packedOrigins.flatMap(
    ({ framework: id, variant, syntax, text: own = text, budget, data }, index): Origin[] => {
      const framework = FRAMEWORKS.find((one) => one.id === id);
      if (!framework) return [];
      const [root, flags] = maps.slice(2 * index, 2 * index + 2);
      const config = openConfig(framework, { ...variant, root, flags }, syntax, own);
      const rules = framework.rules?.(config) ?? [];
      return [{ framework, config, budget: { ...budget, rules }, ...(data && { data }) }];
    },
  );
  return {
    ...rest,
    uri,
    text,
    experiments: experiments.map((one, index) => ({
      ...one,
      rules: origins[index]?.budget.rules ?? one.rules.map(({ message }) => ({ ...groupRule(""), message })),
    })),
    origins,
  };
}

/** A document of which nothing was read, with the reason. */
export function unreadDocument(uri: string, text: string, message: string): ConfigDocument {
  const end = text.search(/[\r\n]/);
  const diagnostics: ConfigDiagnostic[] = [
    { span: { start: 0, end: end < 0 ? text.length : end }, severity: "error", code: TOO_LARGE, message },
  ];
  return {
    uri,
    text,
    syntax: { syntax: syntaxOf(uri), variants: [], diagnostics },
    framework: null,
    experiments: [],
    diagnostics,
    followed: [],
    origins: [],
  };
}

interface Origin {
  readonly framework: Framework;
  readonly config: Config;
  /** As the file states it, before facts of `scaling.yaml`. */
  readonly budget: ExperimentBudget;
  /** Its rows: more tasks cannot be had from them. */
  readonly data?: DatasetRows;
}

export interface SyntaxOptions extends Pick<ReadRequest, "grammars" | "cell"> {
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
const TOO_LARGE = "config.too-large";

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

/** Reads a config of any kind into experiments. Never throws; what was not understood is in the diagnostics, of each kind the first ones and a count. */
export async function readConfig(request: ReadRequest): Promise<ConfigDocument> {
  const document = await readWhole(request);
  return { ...document, diagnostics: capped(document.diagnostics) };
}

async function readWhole(request: ReadRequest): Promise<ConfigDocument> {
  const work = new Work();
  const syntax = await parseSyntax(request.uri, request.text, { ...syntaxOptions(request), work });
  const facts =
    request.facts === undefined ? undefined : mergeFacts(factRulesFor(request.facts, request.uri), request.facts.uri);
  const document = { uri: request.uri, text: request.text, syntax, ...(facts && { facts }) };
  if (isNativeBudget(request.uri)) {
    const { reading, syntax: own } = readNative(syntax, nameOf(request.uri).replace(/\.budget\.\w+$/i, ""));
    const experiments =
      facts === undefined
        ? reading.experiments
        : reading.experiments.map((experiment) => applyFacts(experiment, facts, true));
    return {
      ...document,
      syntax: own,
      framework: "native",
      experiments,
      diagnostics: [...syntax.diagnostics, ...reading.diagnostics],
      followed: [],
      origins: [],
    };
  }
  if (isScalingFile(request.uri))
    return {
      ...document,
      framework: null,
      experiments: [],
      diagnostics: syntax.diagnostics,
      followed: [],
      origins: [],
    };
  return readFrameworkConfig(request, document, facts, work);
}

async function readFrameworkConfig(
  request: ReadRequest,
  document: { readonly uri: string; readonly text: string; readonly syntax: SyntaxDocument },
  facts: MergedFacts | undefined,
  work: Work,
): Promise<ConfigDocument> {
  const { syntax, uri } = document;
  const text = request.cell ? aroundCell(document.text, request.cell) : document.text;
  const experiments: ExperimentBudget[] = [];
  const origins: Origin[] = [];
  const diagnostics: ConfigDiagnostic[] = [];
  const followed = new Set<string>();
  const kept = new FollowedFiles(work);
  let frameworkId: string | null = null;
  for (const written of syntax.variants) {
    // A command within a Python script or a job's YAML is read as one of a shell script; it is of no interest where the text itself is a config.
    const inner = written.command !== null && syntax.syntax !== "shell";
    const kind = inner ? "shell" : syntax.syntax;
    if (inner && origins.some(({ config }) => config.variant.command === null)) break;
    const {
      variant: whole,
      files,
      notes,
    } = await followConfig(written, {
      uri,
      syntax: kind,
      parse: (other, content) => parseSyntax(other, content),
      readText: (other) => request.readText(other),
      kept,
    });
    const variant = kind === "yaml" ? shareEdits(whole) : whole;
    for (const file of files) followed.add(file);
    const own = recognise(FRAMEWORKS, variant, kind, text);
    const recognised =
      own === null
        ? await recogniseLaunched(request, kind, variant)
        : { framework: own.framework, variants: [variant], syntax: kind, text, file: null };
    if (recognised === null) continue;
    const { framework } = recognised;
    diagnostics.push(...notes);
    if (recognised.file !== null) followed.add(recognised.file);
    frameworkId ??= framework.id;
    for (const one of recognised.variants.flatMap((each) => experimentsOf(framework, each))) {
      const config = openConfig(framework, one, recognised.syntax, recognised.text);
      const data = statedTasks(facts) ?? (await rowsOf(request, trainFiles(framework, config)));
      const read = readExperiment(framework, config, {
        name: unused(calledBy(config, uri, syntax.variants.length > 1), experiments),
        ...(data === undefined ? {} : { data }),
      });
      if (request.cell && !isStatedHere(read.experiment)) continue;
      // A sweep over something that is no part of a budget is one experiment, said once.
      if (one.name !== null && origins.some((other) => sameBudget(other.budget, read.experiment))) continue;
      // What another file makes odd is shown at the command that starts it.
      diagnostics.push(
        ...(recognised.file === null
          ? read.diagnostics
          : read.diagnostics.map((found) => ({ ...found, span: written.anchor }))),
      );
      const { budget, note } = named(read.experiment, experiments);
      if (note) diagnostics.push(note);
      experiments.push(facts === undefined ? budget : applyFacts(budget, facts));
      origins.push({ framework, config, budget, ...(data === undefined ? {} : { data }) });
    }
  }
  for (const [index, shared] of takenByOthers(
    experiments,
    origins.map(({ config }) => config.variant),
  ).entries()) {
    if (shared.size === 0) continue;
    const { framework, config: before, data } = origins[index];
    const config = openConfig(framework, apart(before.variant, shared), before.syntax, before.text);
    const { name } = experiments[index];
    const budget = { ...readExperiment(framework, config, { ...(data && { data }) }).experiment, name };
    experiments[index] = facts === undefined ? budget : applyFacts(budget, facts);
    origins[index] = { ...origins[index], config, budget };
  }
  if (work.exhausted)
    diagnostics.push({
      span: syntax.variants[0]?.anchor ?? { start: 0, end: 0 },
      severity: "warning",
      code: TOO_LARGE,
      message:
        "This config asks for more than can be followed: what the rest of its bases and references state is left out.",
    });
  // Files of no known framework are not ours to complain about.
  const plainYaml = origins.some((origin) => origin.framework.plainYaml === true);
  const written = syntax.diagnostics
    .filter((one) => plainYaml || one.code !== TEXT_NUMBER)
    .map((one) => (one.code === TEXT_NUMBER ? { ...one, code: "config.yaml-trap" } : one));
  const shown =
    frameworkId === null
      ? [...written, ...diagnostics].filter((one) => one.code === TOO_LARGE)
      : [...written, ...diagnostics];
  return { ...document, framework: frameworkId, experiments, diagnostics: shown, followed: [...followed], origins };
}

/** A launch command that is of no framework by itself may start a Python script that is. */
async function recogniseLaunched(
  request: ReadRequest,
  syntax: SyntaxDocument["syntax"],
  variant: ConfigVariant,
): Promise<{
  readonly framework: Framework;
  readonly variants: readonly ConfigVariant[];
  readonly syntax: "python";
  readonly text: string;
  readonly file: string;
} | null> {
  if (syntax !== "shell" || request.grammars === undefined) return null;
  const script = await launchedPython(variant, await request.grammars.load("python"), {
    uri: request.uri,
    readText: (uri) => request.readText(uri),
  });
  for (const one of script?.variants ?? []) {
    const found = recognise(FRAMEWORKS, one, "python", script?.text);
    if (script !== undefined && found !== null)
      return {
        framework: found.framework,
        variants: script.variants,
        syntax: "python",
        text: script.text,
        file: script.file,
      };
  }
  return null;
}

function syntaxOptions(request: ReadRequest): SyntaxOptions {
  const { grammars, cell } = request;
  return { readText: (uri) => request.readText(uri), ...(grammars && { grammars }), ...(cell && { cell }) };
}

/** A number of tasks that a person stated takes part in the arithmetic as the rows of a dataset do. */
function statedTasks(facts: MergedFacts | undefined): DatasetRows | undefined {
  const tasks = facts?.numbers.tasks;
  return tasks === undefined
    ? undefined
    : { rows: tasks.value, note: tasks.note ?? "stated in scaling.yaml", source: "scaling.yaml" };
}

/**
 * What an optimum changes in a config. Splicing the edits changes nothing else. `tasksByHand`: what is left to change once a
 * person has brought the tasks to the target.
 */
export function planEdits(
  document: ConfigDocument,
  experimentIndex: number,
  target: BudgetTarget,
  tasksByHand = false,
): EditPlan {
  const { edits, remainder } = planned(document, experimentIndex, target, tasksByHand);
  // What stands there already is no edit, unless it takes back one that was made.
  const changes = ({ from, to, span }: PlannedEdit) =>
    from !== to || document.made?.some((one) => one.span.start === span.start) === true;
  return { edits: edits.filter(changes), remainder };
}

function planned(document: ConfigDocument, experimentIndex: number, target: BudgetTarget, byHand: boolean): EditPlan {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined) return { edits: [], remainder: [] };
  const origin = document.origins[experimentIndex];
  if (origin === undefined) return planNativeEdits(document.text, document.syntax, experiment, target);
  return planFrameworkEdits(
    origin.framework,
    configAfter(origin.config, document.made ?? []),
    experiment,
    target,
    byHand ? { rows: Infinity, tasksByHand: true } : origin.data === undefined ? {} : { rows: origin.data.rows },
  );
}

/**
 * A document as it would be read once edits of one experiment are made: a value may be rounded to what the file can hold, and
 * others follow from it. Its text is still the old one, so that further edits splice the same places. Null where there is no such
 * experiment any more.
 */
export function documentAfter(
  document: ConfigDocument,
  experimentIndex: number,
  edits: readonly PlannedEdit[],
): ConfigDocument | null {
  const made = mergeEdits(document.made ?? [], edits);
  const again = budgetAfter(document, experimentIndex, made);
  return (
    again && {
      ...document,
      made,
      experiments: document.experiments.map((one, index) => (index === experimentIndex ? again : one)),
    }
  );
}

function budgetAfter(
  document: ConfigDocument,
  experimentIndex: number,
  edits: readonly PlannedEdit[],
): ExperimentBudget | null {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined || edits.length === 0) return experiment ?? null;
  const origin = document.origins[experimentIndex];
  if (origin === undefined) {
    const again = readNativeAgain(document.syntax, experiment.anchor, (node) => {
      const edit = edits.find(({ span }) => span.start >= node.span.start && span.end <= node.span.end);
      return edit === undefined
        ? node
        : {
            ...node,
            text: edit.to,
            value: typeof node.value === "number" && Number.isFinite(Number(edit.to)) ? Number(edit.to) : edit.to,
          };
    });
    return again && document.facts ? applyFacts(again, document.facts, true) : again;
  }
  const { experiment: again } = readExperiment(origin.framework, configAfter(origin.config, edits), {
    name: experiment.name,
    ...(origin.data && { data: origin.data }),
  });
  return document.facts ? applyFacts(again, document.facts) : again;
}

/** What the value counts that moves with the rollouts per task: a duration in epochs takes whole passes only. */
export type DurationUnit = "steps" | "epochs" | "prompts" | "rollouts";

/** Null where no duration stands in the file, or the rollouts per task are stated themselves. */
export function durationUnit(document: ConfigDocument, experimentIndex: number): DurationUnit | null {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined) return null;
  const origin = document.origins[experimentIndex];
  return origin === undefined
    ? nativeDurationUnit(experiment)
    : frameworkDurationUnit(origin.framework, origin.config, experiment);
}
