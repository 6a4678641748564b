import type { ExperimentBudget } from "../budget/budget";
import { followConfig, FollowedFiles } from "./follow/bases";
import { capped } from "../syntax/capped";
import { applyFacts, mergeFacts, type MergedFacts } from "./scaling/facts";
import {
  experimentsOf,
  openConfig,
  readExperiment,
  recognise,
  sameBudget,
  trainFiles,
  type DatasetRows,
  type Framework,
} from "../frameworks/reading/read";
import { FRAMEWORKS } from "../frameworks";
import { aroundCell } from "../syntax/notebook";
import { shareEdits } from "../syntax/shared";
import { launchedPython } from "./follow/launchedPython";
import { apart, calledBy, isStatedHere, named, takenByOthers, unused } from "./shared";
import { readNative } from "./native/read";
import type { WantedFile } from "./datasetRows";
import { rowsOf } from "./trainingRows";
import { factRulesFor, type ScalingFile } from "./scaling/scalingFile";
import type { ConfigDiagnostic, ConfigVariant, SyntaxDocument } from "../syntax/tree";
import { nameOf, syntaxOf } from "../syntax/uris";
import { Work } from "../syntax/work";
import { TEXT_NUMBER } from "../syntax/yaml/convert";
import type { ConfigDocument, Origin } from "./document";
import { type SyntaxOptions, parseSyntax, TOO_LARGE, isNativeBudget, isScalingFile } from "./parse";

export interface ReadRequest extends Pick<SyntaxOptions, "grammars" | "cell"> {
  readonly uri: string;
  readonly text: string;
  /** Other files of the workspace: base configs, sourced scripts. Absent: undefined. */
  readText(uri: string): Promise<string | undefined>;
  /** The folder's `scaling.yaml`, for facts that no config states. */
  readonly facts?: ScalingFile;
  /** Rows of training files together, when they are in the workspace. */
  datasetRows?(files: readonly WantedFile[]): Promise<DatasetRows | undefined>;
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
