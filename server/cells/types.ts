import type { Query } from "../configs/cells/read";
import type { Span } from "../syntax/text";
import type { Grammars } from "../syntax/treeSitter";
import type { FigureOptions, FigurePayload } from "../report/figures";
import type { Host } from "../host";
import type { JobProgress, JobRunner } from "../operations/jobs";
import type { Scaling } from "../operations/scaling";
import type { FitState, LoadedFit } from "../assessment/types";
import type { ContentCache } from "./cache";
import type { Pictures } from "../report/print/pictures";

/** A fit as a cell uses it, with the files of its runs. */
export interface CellFit {
  readonly fit: LoadedFit;
  /** Files of each run, relative to the notebook; empty for a saved fit. */
  readonly files: Readonly<Record<string, readonly string[]>>;
}

/** One alternative of an output. */
export type OutputItem =
  { readonly mime: string; readonly text: string } | { readonly mime: string; readonly base64: string };
export interface Output {
  readonly items: readonly OutputItem[];
}

/** What a cell shows, before it is turned into outputs. */
export type Part =
  | { readonly kind: "figure"; readonly payload: FigurePayload }
  /** Markdown, with the same in one plain sentence. */
  | { readonly kind: "table"; readonly markdown: string; readonly text: string };

export interface QueryMemory {
  readonly fits: ContentCache<CellFit>;
  readonly outputs: ContentCache<readonly Output[]>;
}

/** What a cell's run may use. */
export interface QueryContext {
  readonly host: Host;
  readonly jobs: JobRunner;
  readonly grammars?: Grammars;
  readonly pictures?: Pictures;
  /** Folder of the notebook: relative paths of a cell start here. */
  readonly baseUri: string;
  /** The folder whose `scaling.yaml` holds, and the file. */
  readonly folderUri: string;
  readonly scaling: Scaling | null;
  /** The fit of `scaling.yaml`, for cells without one of their own. */
  defaultFit(): Promise<FitState>;
  readonly memory: QueryMemory;
  /** Also store Vega-Lite sources. */
  readonly vegaLite: boolean;
  readonly recommend?: "optimum" | "robust";
  readonly signal?: AbortSignal;
  onProgress(progress: JobProgress): void;
}

/** What a command of a cell gets. */
export interface CommandInput {
  readonly query: Query;
  readonly context: QueryContext;
  /** The fit that the cell asks for, or the nearest one. Rejects with a QueryFailure. */
  fit(): Promise<CellFit>;
  figureOptions(fit: CellFit): FigureOptions;
}

/** What stops a cell, at the place that caused it. */
export class QueryFailure extends Error {
  constructor(
    message: string,
    readonly span?: Span,
  ) {
    super(message);
  }
}
