import { timedRuns } from "../assessment/timedRuns";
import { readConfig } from "../configs/read";
import { factRulesFor, readScalingFile, type ScalingFile } from "../configs/scaling/scalingFile";
import { withoutLevels } from "../configs/scaling/factGlob";
import { mergeFacts } from "../configs/scaling/facts";
import type { Grammars } from "../syntax/treeSitter";
import { KNOWN_AXES } from "../core/axes";
import { fitTable } from "../core/fit";
import { keptFit } from "./keptFit";
import type { RunTable, TableNote } from "../core/table";
import { readText, type Host, shownSource } from "../host";
import {
  measureRollouts,
  readRuns,
  type ConfigReader,
  type RunCache,
  type RunFacts,
  type RunOptions,
  type StoreQuery,
  type TableAccelerator,
} from "../sources/read";
import type { FitJobResult, Job, JobProgress, MeasureJobResult, RunsRequest } from "./jobs";
import { fittable } from "../runs/results";
import { provenanceOf } from "../assessment/measured";
import { confined } from "./confined";
import { resolveSources } from "./globs";
import { bySource, onlyNamed, placesOf } from "./namedStores";
import { readPacked } from "./readDocument";
import { readingUri } from "../assessment/assess";
import { syntaxOf } from "../syntax/uris";

/** What the platform adds to plain reading. */
export interface JobTools {
  /** For runs whose config is a shell script or Python. */
  readonly grammars?: Grammars;
  readonly accelerator?: TableAccelerator;
  /** Asks databases; absent where none may be asked (a browser, a workspace that is not trusted). */
  readonly stores?: StoreQuery;
  /** Of them those alone that scaling.yaml names: in the editor, where cells and agents name sources too. */
  readonly onlyNamedStores?: boolean;
  /** Reads files on servers and in buckets, those that it is told that it may; absent where none may be read. */
  readonly remote?: (allows: (uri: string) => boolean) => Host;
  /** What was read of unchanged files. */
  readonly cache?: RunCache;
}

/** Characters that a cache in memory holds at most. */
const MOST_KEPT = 64e6;

/** A cache that lives as long as the worker: a log that has grown is read again, its neighbours are not. */
export function memoryCache(): RunCache {
  const kept = new Map<string, string>();
  let size = 0;
  return {
    get: (key) => Promise.resolve(kept.get(key)),
    set(key, value) {
      size += value.length - (kept.get(key)?.length ?? 0);
      kept.delete(key);
      kept.set(key, value);
      for (const [oldest, text] of kept) {
        if (size <= MOST_KEPT) break;
        kept.delete(oldest);
        size -= text.length;
      }
      return Promise.resolve();
    },
  };
}

/** How the progress of a fit is split: reading first, refitting after. */
const READING = 0.3;

/**
 * Does a job where it is called: in a worker, or on the command line's only thread. Rejects when the signal is aborted; what
 * is wrong with files or runs is in the result.
 */
export async function runJob(
  job: Job,
  everywhere: Host,
  onProgress: (progress: JobProgress) => void,
  signal?: AbortSignal,
  given: JobTools = {},
): Promise<unknown> {
  const { within } = job;
  // Where the workspace is not trusted no database is asked either.
  const tools: JobTools = { ...given, stores: within ? undefined : storesFor(job, given) };
  const host = within ? confined(everywhere, () => within) : withRemote(everywhere, job, given);
  switch (job.kind) {
    case "read-runs":
      return { table: await readTable(job, host, onProgress, signal, tools) };
    case "fit": {
      const asked =
        job.scalingText === undefined ? null : readScalingFile(`${job.folderUri}/scaling.yaml`, job.scalingText);
      const reading = ({ label, share }: JobProgress): void => onProgress({ label, share: READING * share });
      const read = await readTable(job, host, reading, signal, tools);
      const table = fittable(grouped(read, job.by), asked?.include ?? "finished");
      let last = 0;
      const provenance = {
        ...(await provenanceOf(host, job.folderUri, job.sources, table, signal)),
        ...job.options.provenance,
      };
      const options = { ...(asked?.convergence && { convergence: asked.convergence }), ...job.options, provenance };
      const fit = await keptFit(tools.cache, table, options, () =>
        fitTable(table, options, (done, total, label) => {
          const share = READING + (1 - READING) * (total > 0 ? done / total : 0);
          // A message a percent is enough.
          if (share - last >= 0.01) onProgress({ label, share: (last = share) });
          return !signal?.aborted;
        }),
      );
      signal?.throwIfAborted();
      return { table, timed: timedRuns(read), fit } satisfies FitJobResult;
    }
    case "read-document": {
      const { uri, text, languageId, cell, scaling } = job;
      const { grammars } = tools;
      const syntax = syntaxOf(readingUri(uri, languageId));
      // The grammar is loaded before the clock starts.
      if (syntax === "shell" || syntax === "python") await grammars?.load(syntax === "shell" ? "bash" : "python");
      onProgress({ label: "Reading", share: 0 });
      return readPacked({ uri, text, languageId, cell, scaling, host, ...(grammars && { grammars }) });
    }
    case "measure": {
      const measure = await measureRollouts(host, job.uris, {
        stores: tools.stores,
        onProgress: ({ done, total, file }) =>
          onProgress({
            label: file === "duplicates" ? "Finding repeated tasks" : `Reading ${shortName(file)}`,
            share: total > 0 ? done / total : 0,
          }),
        signal,
      });
      return { measure } satisfies MeasureJobResult;
    }
  }
}

/** A host that reads from servers what a job may read there. */
function withRemote(here: Host, job: Job, { remote, onlyNamedStores }: JobTools): Host {
  if (!remote || job.kind === "read-document") return here;
  const scaling =
    job.scalingText === undefined ? null : readScalingFile(`${job.folderUri ?? ""}/scaling.yaml`, job.scalingText);
  const named = (scaling?.logs ?? []).map(({ value }) => value);
  // On the command line a person names the sources too.
  const asked = onlyNamedStores ? [] : job.kind === "measure" ? job.uris : job.sources;
  return bySource(here, remote(placesOf([...named, ...asked])));
}

/** The stores that may be asked for a job. */
function storesFor(job: Job, { stores, onlyNamedStores }: JobTools): StoreQuery | undefined {
  if (!stores || !onlyNamedStores) return stores;
  if (job.kind === "read-document" || job.folderUri === undefined) return undefined;
  const { folderUri, scalingText } = job;
  const scaling = scalingText === undefined ? null : readScalingFile(`${folderUri}/scaling.yaml`, scalingText);
  return onlyNamed(stores, scaling, folderUri);
}

/** The table with settings told apart by some of their parts only. */
function grouped(table: RunTable, by: RunsRequest["by"]): RunTable {
  if (!by) return table;
  return {
    ...table,
    rows: table.rows.map((row) => ({ ...row, setting: by.flatMap((part) => row[part] ?? []).join(" ") })),
  };
}

async function readTable(
  request: RunsRequest,
  host: Host,
  onProgress: (progress: JobProgress) => void,
  signal: AbortSignal | undefined,
  tools: JobTools,
): Promise<RunTable> {
  const scaling =
    request.scalingText === undefined
      ? null
      : readScalingFile(`${request.folderUri}/scaling.yaml`, request.scalingText);
  const sources: string[] = [];
  const unmatched: TableNote[] = [];
  for (const source of request.sources) {
    const found = await resolveSources(host, request.folderUri, [source], signal);
    sources.push(...found.filter((uri) => !sources.includes(uri)));
    if (found.length > 0) continue;
    unmatched.push({ severity: "warning", code: "run.no-match", message: `${shownSource(source)} matches no file.` });
  }
  if (sources.length === 0) {
    return {
      rows: [],
      notes: [
        {
          severity: "warning",
          code: "run.no-source",
          message: `Nothing matches ${request.sources.map(shownSource).join(", ")}.`,
        },
      ],
    };
  }
  const used = new Set<number>();
  const table = await readRuns(host, sources, {
    ...runOptions(scaling, host, tools, used),
    onProgress: ({ done, total, file }) =>
      onProgress({ label: `Reading ${shortName(file)}`, share: total > 0 ? done / total : 0 }),
    signal,
  });
  const own =
    scaling === null
      ? unmatched
      : [
          ...unmatched,
          ...scalingNotes(scaling, request.scalingText ?? ""),
          ...(await deadRules(scaling, request.scalingText ?? "", host, used, signal)),
        ];
  return own.length > 0 ? { ...table, notes: [...own, ...table.notes] } : table;
}

/**
 * What `scaling.yaml` says about reading runs, and the framework readers for their configs.
 * @param used takes the places of the rules of facts that hold for a run
 */
function runOptions(
  scaling: ScalingFile | null,
  host: Host,
  { grammars, accelerator, cache, stores }: JobTools = {},
  used = new Set<number>(),
): RunOptions {
  const config: ConfigReader = async (uri, text) => {
    const content = text ?? (await readText(host, uri));
    if (content === undefined) return undefined;
    const reading = await readConfig({
      // What a log carries is JSON, whatever the file that it came from is called.
      uri: text === undefined ? uri : `${uri}.json`,
      text: content,
      ...(grammars && { grammars }),
      ...(scaling && { facts: scaling }),
      readText: (other) => readText(host, other),
    });
    return reading.framework === null ? undefined : reading;
  };
  const reading = { config, ...(accelerator && { accelerator }), ...(cache && { cache }), ...(stores && { stores }) };
  if (!scaling) return reading;
  return {
    ...reading,
    ...(scaling.final && { final: scaling.final }),
    ...(scaling.scale && { scale: scaling.scale }),
    columns: scaling.columns,
    ...(scaling.metric && { metric: scaling.metric.value }),
    factsKey: JSON.stringify(scaling.facts),
    facts: (uris) => runFacts(scaling, uris, used),
  };
}

/** Facts of one run, by all its places. */
function runFacts(scaling: ScalingFile, uris: readonly string[], used: Set<number>): RunFacts | undefined {
  const rules = factRulesFor(scaling, uris);
  if (rules.length === 0) return undefined;
  for (const { span } of rules) used.add(span.start);
  const { numbers, words, synthesis } = mergeFacts(rules, scaling.uri);
  const axes: Record<string, number> = {};
  for (const axis of KNOWN_AXES) {
    const fact = numbers[axis];
    if (fact) axes[axis] = fact.value;
  }
  const mixes = Object.entries(synthesis).flatMap(([axis, plan]) =>
    plan && plan.real.value !== null && plan.synthetic.value !== null
      ? [[axis, { method: plan.method, real: plan.real.value, synthetic: plan.synthetic.value }] as const]
      : [],
  );
  const from = `facts in scaling.yaml (${rules.map(({ files }) => files.join(", ")).join("; ")})`;
  return {
    axes,
    levels: Object.fromEntries(Object.keys(axes).map((axis) => [axis, from])),
    model: words.model?.value,
    algorithm: words.algorithm?.value,
    domain: words.domain?.value,
    seed: words.seed?.value,
    setting: words.setting?.value,
    rewardScheme: words.rewardScheme?.value,
    rewardDensity: numbers.rewardDensity?.value,
    tokensPerTrajectory: numbers.tokensPerTrajectory?.value,
    gpus: numbers.gpus?.value,
    plannedSteps: numbers.steps?.value,
    promptsPerStep: numbers.promptsPerStep?.value,
    groupSize: numbers.groupSize?.value,
    epochs: numbers.epochs?.value,
    ...(mixes.length > 0 && { synthesis: Object.fromEntries(mixes) }),
  };
}

/** Rules of `facts` that hold for no run and name no file: a typo, or a folder that has moved. */
async function deadRules(
  scaling: ScalingFile,
  text: string,
  host: Host,
  used: ReadonlySet<number>,
  signal?: AbortSignal,
): Promise<TableNote[]> {
  const notes: TableNote[] = [];
  const folder = scaling.uri.slice(0, scaling.uri.lastIndexOf("/"));
  for (const { files, span } of scaling.facts) {
    if (used.has(span.start)) continue;
    const globs = files.map((glob) => withoutLevels(glob.replace(/^\.\//, "").replace(/\/+$/, "")));
    // A glob of a name holds in any folder.
    const found = await resolveSources(
      host,
      folder,
      globs.map((glob) => (glob.includes("/") ? glob : `**/${glob}`)),
      signal,
    );
    const there = await Promise.all(found.map((uri) => host.stat(uri)));
    if (there.some((about) => about !== undefined)) continue;
    notes.push({
      severity: "warning",
      code: "facts.matches-nothing",
      message: `facts for ${files.join(", ")} hold for no run, and no file is named so.`,
      file: scaling.uri,
      line: lineAt(text, span.start),
    });
  }
  return notes;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** What is wrong in `scaling.yaml` itself: a mistyped key would else be an unknown amount in silence. */
function scalingNotes(scaling: ScalingFile, text: string): TableNote[] {
  return scaling.diagnostics.map(({ severity, message, span, code }) => ({
    severity: severity === "error" ? "error" : "warning",
    code,
    message,
    file: scaling.uri,
    line: lineAt(text, span.start),
  }));
}

function shortName(uri: string): string {
  const parts = uri.split("/").slice(-2).join("/");
  try {
    return decodeURIComponent(parts);
  } catch {
    return parts;
  }
}
