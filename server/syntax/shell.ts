import { parseScript } from "./shell/parse";
import type { Script } from "./shell/script";
import { variantsOfLaunch } from "./shell/launch";
import { besideFlags } from "./shell/serving";
import type { Launch, RunResult } from "./shell/interpret/launched";
import { Interpreter } from "./shell/interpret/run";
import { readable } from "./shell/placeholders";
import { slurm } from "./shell/slurm";
import { sourceCandidates } from "./shell/sources";
import { shareEdits, type Use } from "./shared";
import { literal, shownOf, sourcesOf, type Word } from "./shell/interpret/value";
import type { ConfigDiagnostic, ConfigVariant, MapEntry, SyntaxDocument } from "./tree";
import type { Grammar } from "./treeSitter";
import { Work } from "./work";

export interface ShellOptions {
  /** URI of the script, from which sourced scripts are found. */
  readonly uri?: string;
  /** Other files of the workspace; absent: undefined. */
  readText?(uri: string): Promise<string | undefined>;
  /** Command-line programs that train by themselves (`swift`). */
  readonly trainers?: readonly string[];
  /** Values that a job system sets for it. */
  readonly given?: ReadonlyMap<string, Word>;
  /** Of the document; for all the ways to start the script together. */
  readonly work?: Work;
}

const MOST_SOURCES = 16;
const MOST_ALTERNATIVES = 12;
const MOST_VARIANTS = 64;

/**
 * Reads a launch script as text; nothing is executed. Every command it would start becomes a variant: the default way
 * first, then each round of its sweep loops, then what a script does when something from outside (`METHOD=SPO`) is
 * given. See `variantsOfLaunch` for where overrides, flags and environment stand. Never throws; work is bounded.
 */
export async function parseShell(
  source: string,
  grammar: Grammar,
  options: ShellOptions = {},
): Promise<SyntaxDocument> {
  const text = readable(source.replace(/^\uFEFF/, " "));
  const parse = (inner: string, place: Pick<Script, "file" | "locate"> = {}) =>
    parseScript(readable(inner), grammar, place);
  let script: Script;
  try {
    script = parse(text);
  } catch {
    return {
      syntax: "shell",
      variants: [],
      diagnostics: [
        {
          span: { start: 0, end: 0 },
          severity: "error",
          code: "config.parse",
          message: "The shell grammar could not read this file.",
        },
      ],
    };
  }
  const batch = slurm(text);
  const sources = new Map<string, Script>();
  const given = (alternative?: { name: string; value: string }) => {
    const words = new Map<string, Word>([...batch.given, ...(options.given ?? [])]);
    if (alternative)
      words.set(alternative.name, [literal(alternative.value, { via: `${alternative.name}=${alternative.value}` })]);
    return words;
  };
  const trainers = new Set(options.trainers);
  const work = options.work ?? new Work();
  // The bases that its commands name are read with the other half.
  const reserved = work.left / 2;
  const start = (alternative?: { name: string; value: string }): RunResult => {
    const interpreter = new Interpreter({ sources, parse, trainers, given: given(alternative), work });
    const result = interpreter.run(script);
    work.spend(result.work);
    return result;
  };
  let main = start();
  for (let round = 0; round < 3 && main.wanted.length > 0; round++) {
    if (!(await loadSources(main.wanted, sources, parse, options))) break;
    main = start();
  }
  const cut = new Set([...cutOff(main.launches), ...misread(main.launches, script.diagnostics)]);
  const launches: { launch: Launch; name: string | null; otherwise?: true }[] = main.launches
    .filter((launch) => !isArguments(launch))
    .map((launch) => ({ launch, name: loopName(launch) }));
  const seen = new Set(main.launches.map(signature));
  for (const alternative of distinct(main.alternatives).slice(0, MOST_ALTERNATIVES)) {
    if (work.left <= reserved) break;
    const label = `${/^\d+$/.test(alternative.name) ? `argument ${alternative.name}` : alternative.name}=${alternative.value}`;
    for (const launch of start(alternative).launches) {
      if (isArguments(launch) || seen.has(signature(launch))) continue;
      seen.add(signature(launch));
      const name = [label, loopName(launch)].filter((part) => part !== null).join(", ");
      launches.push({ launch, name, otherwise: true });
    }
  }
  const beside = besideFlags(main.launches);
  const variants = launches
    .flatMap(({ launch, name, otherwise }) =>
      variantsOfLaunch(
        launch,
        [...batch.flags, ...beside, ...(cut.has(launch.span.start) ? [cutOffFlag(launch)] : [])],
        trainers,
      ).map((variant): ConfigVariant => ({ name, ...variant, ...(otherwise && { otherwise }) })),
    )
    .slice(0, MOST_VARIANTS);
  const diagnostics: ConfigDiagnostic[] = [...script.diagnostics, ...lostArguments(main.launches)];
  if (main.exhausted)
    diagnostics.push({
      span: { start: 0, end: Math.min(text.length, 1) },
      severity: "warning",
      code: "config.too-large",
      message: "This script does too much to be followed to its end; what it starts later is not read.",
    });
  return {
    syntax: "shell",
    variants: variants.map((one) => shareEdits(one, usesBeside(one, main, text))),
    diagnostics,
  };
}

async function loadSources(
  wanted: readonly Word[],
  sources: Map<string, Script>,
  parse: (text: string, place: Pick<Script, "file">) => Script,
  options: ShellOptions,
): Promise<boolean> {
  let found = false;
  for (const word of wanted) {
    const key = shownOf(word);
    if (sources.has(key) || sources.size >= MOST_SOURCES || !options.readText || !options.uri) continue;
    for (const uri of sourceCandidates(key, options.uri)) {
      const text = await options.readText(uri);
      if (text === undefined || text.length > 500_000) continue;
      try {
        sources.set(key, parse(text.replace(/^\uFEFF/, " "), { file: uri }));
        found = true;
      } catch {
        /* A script that cannot be parsed is as good as one that is not there. */
      }
      break;
    }
  }
  return found;
}

/** What else of the script takes values: other commands, and loops. */
function usesBeside({ anchor }: ConfigVariant, { launches, taken }: RunResult, text: string): readonly Use[] {
  const others = [...launches.filter(({ span }) => span.start !== anchor.start), ...taken];
  return others.flatMap(({ words, span }) => {
    const what = `line ${text.slice(0, span.start).split("\n").length}`;
    return words.flatMap((word) => sourcesOf(word).map((source) => ({ span: source, what })));
  });
}

function loopName(launch: Launch): string | null {
  if (launch.loops.length === 0) return null;
  return launch.loops
    .map(({ name, value }) => `${name}=${value.length > 40 ? `…${value.slice(-39)}` : value}`)
    .join(", ");
}

function signature(launch: Launch): string {
  return launch.words.map(shownOf).join("\u0000");
}

function distinct(
  alternatives: readonly { readonly name: string; readonly value: string }[],
): { name: string; value: string }[] {
  const seen = new Map<string, { name: string; value: string }>();
  for (const one of alternatives) seen.set(`${one.name}=${one.value}`, one);
  return [...seen.values()];
}

/** Whether a "command" is really arguments of the one above, whose last line lacks its `\`. */
function isArguments(launch: Launch): boolean {
  return /^(--[A-Za-z][\w.-]*|(\+\+?)?[A-Za-z_]\w*([./]\w+)+=)/.test(shownOf(launch.words[0] ?? []));
}

/** Where the commands begin that lose arguments; what they do not state may stand in the lost ones. */
function cutOff(launches: readonly Launch[]): ReadonlySet<number> {
  return new Set(
    launches
      .filter(
        (launch, index) =>
          !isArguments(launch) && launches[index + 1] !== undefined && isArguments(launches[index + 1]),
      )
      .map((launch) => launch.span.start),
  );
}

/** Where the grammar lost its way inside a command: what it does not seem to state may stand there. */
function misread(launches: readonly Launch[], diagnostics: readonly ConfigDiagnostic[]): readonly number[] {
  return launches
    .filter(({ span }) => diagnostics.some((one) => one.span.start <= span.end && one.span.end >= span.start))
    .map((launch) => launch.span.start);
}

function cutOffFlag(launch: Launch): MapEntry {
  return {
    key: "shell.cut-off",
    keySpan: launch.span,
    value: {
      kind: "scalar",
      value: true,
      text: "",
      span: launch.span,
      editable: false,
      whyNot: "it is not in the text",
    },
  };
}

function lostArguments(launches: readonly Launch[]): ConfigDiagnostic[] {
  return launches.filter(isArguments).map((launch) => ({
    span: launch.span,
    severity: "warning",
    code: "config.parse",
    message: "These arguments do not reach the command above: the line before ends without `\\`, or a comment ends it.",
  }));
}
