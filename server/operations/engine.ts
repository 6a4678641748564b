import { assess } from "../assessment/assess";
import { timedOf } from "../assessment/keptTimes";
import { type AssessOptions } from "../assessment/options";
import type { Assessment, FitState } from "../assessment/types";
import type { Host } from "../host";
import type { Grammars } from "../syntax/treeSitter";
import { loadFit } from "./fits";
import type { StoreQuery } from "../runs/options";
import { InputError, missing } from "./inputError";
import type { JobProgress, JobRunner } from "./jobs";
import { timedBeside } from "./timedBeside";
import { findScaling, type Scaling } from "./scaling";

/** What an engine is made of. */
export interface EngineTools {
  readonly host: Host;
  readonly jobs: JobRunner;
  /** For shell and Python; without them such files hold no experiments. */
  readonly grammars?: Grammars;
  /** Asks databases; absent where none may be asked. */
  readonly stores?: StoreQuery;
  /** Reads files on servers and in buckets, those that it is told that it may; absent where none may be read. */
  readonly remote?: (allows: (uri: string) => boolean) => Host;
  readonly log?: (message: string) => void;
  /** The address of a file as a person or an agent names it. Throws an InputError for one that may not be read. */
  uri(name: string): string;
  /** The name of an address, as answers show it. */
  shown(uri: string): string;
  /** Work that takes long, as it goes on. Undefined once it is done. */
  onProgress?(progress: JobProgress | undefined): void;
  /** The files as they were at a revision or in another folder; an InputError where there is no such thing. */
  hostAt?(base: string): Promise<Host>;
  /** A page of the documentation that comes with the product. */
  documentation?(page: string): Promise<string | undefined>;
  /** A fit that is kept elsewhere, such as the editor's; undefined where there is none for this folder. */
  keptFit?(folderUri: string): Promise<FitState | undefined>;
}

/** Which fit an answer is to rest on. */
export interface FitChoice {
  /** A fit file that wins over scaling.yaml's. */
  readonly fit?: string;
  /** For logs that scaling.yaml names: `auto` or one law. */
  readonly law?: string;
  readonly seed?: number;
}

/** A config, read and judged. */
export interface Judged {
  /** As it was named. */
  readonly file: string;
  readonly uri: string;
  readonly text: string;
  readonly folderUri: string;
  readonly scaling: Scaling | null;
  readonly assessment: Assessment;
}

/** What operations work with: files, long work, and configs judged by the fit in force. */
export interface Engine extends EngineTools {
  /** A file's text. An InputError where it is not there or no file. */
  text(name: string): Promise<string>;
  /** The nearest `scaling.yaml` at or above a file, and the folder that it holds for. */
  scalingFor(uri: string): Promise<{ readonly folderUri: string; readonly scaling: Scaling | null }>;
  /** The fit in force for a folder; made once for all configs in it. */
  fitFor(folderUri: string, scaling: Scaling | null, choice: FitChoice, signal?: AbortSignal): Promise<FitState>;
  judge(file: string, choice: FitChoice, options?: AssessOptions, signal?: AbortSignal): Promise<Judged>;
}

export function createEngine(tools: EngineTools): Engine {
  const { host, grammars } = tools;
  const fits = new Map<string, Promise<FitState>>();

  const text = async (name: string): Promise<string> => {
    const uri = tools.uri(name);
    const about = await host.stat(uri);
    if (!about) throw await missing(host, uri, "file", name);
    if (about.kind === "directory") throw new InputError("this is a folder, not a file", { file: name });
    const bytes = await host.readFile(uri);
    if (!bytes) throw new InputError("the file cannot be read", { file: name });
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  };

  const scalingFor = (uri: string) => findScaling(host, uri, null);

  const fitFor = async (
    folderUri: string,
    scaling: Scaling | null,
    { fit: asked, law, seed }: FitChoice,
    signal?: AbortSignal,
  ): Promise<FitState> => {
    const fitUri = asked === undefined ? undefined : tools.uri(asked);
    if (fitUri === undefined && law === undefined && seed === undefined) {
      const kept = await tools.keptFit?.(folderUri);
      if (kept) return kept;
    }
    const key = JSON.stringify([fitUri ?? folderUri, law, seed]);
    let made = fits.get(key);
    if (!made) {
      made = loadFit({
        host,
        jobs: tools.jobs,
        folderUri,
        scaling,
        law,
        seed,
        signal,
        ...(fitUri !== undefined && { fitUri, fitName: asked }),
        onProgress: tools.onProgress,
      }).finally(() => tools.onProgress?.(undefined));
      fits.set(key, made);
      // What was cancelled or broke is made anew the next time.
      made.catch(() => fits.delete(key));
    }
    const state = await made;
    if (asked !== undefined && state.kind === "failed") throw new InputError(state.reason, { file: asked });
    return state;
  };

  return {
    ...tools,
    text,
    scalingFor,
    fitFor,
    async judge(file, choice, options, signal) {
      const content = await text(file);
      const uri = tools.uri(file);
      const { folderUri, scaling } = await scalingFor(uri);
      const fit = await fitFor(folderUri, scaling, choice, signal);
      const beside = await timedBeside(host, tools.jobs, uri, timedOf(fit));
      const assessment = await assess({
        uri,
        text: content,
        host,
        ...(grammars && { grammars }),
        scaling: scaling?.file ?? null,
        fit,
        options: { ...options, timed: beside },
      });
      return { file, uri, text: content, folderUri, scaling, assessment };
    },
  };
}
