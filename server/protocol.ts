/** What the extension and the server say to each other beyond the language server protocol. Names and types, no code. */
import type { WorkspaceEdit } from "vscode-languageserver-types";
import type { WhatIf } from "./core/figures/whatIf";

/** Requests from the extension to the server. */
export const Requests = {
  optimise: "scalingLens/optimise",
  explain: "scalingLens/explain",
  compare: "scalingLens/compare",
  scanLogs: "scalingLens/scanLogs",
  fitLogs: "scalingLens/fitLogs",
  plan: "scalingLens/plan",
  planFiles: "scalingLens/planFiles",
  measure: "scalingLens/measure",
  laws: "scalingLens/laws",
  calibrate: "scalingLens/calibrate",
  scaffold: "scalingLens/scaffold",
  folderEdit: "scalingLens/folderEdit",
  runQuery: "scalingLens/runQuery",
  operation: "scalingLens/operation",
  secretAddresses: "scalingLens/secretAddresses",
} as const;

/** Requests from the server to the extension: files where the server has no file system of its own. */
export const FileRequests = {
  read: "scalingLens/fs/read",
  stat: "scalingLens/fs/stat",
  list: "scalingLens/fs/list",
  write: "scalingLens/fs/write",
} as const;

/** Request from the server to the extension: what somebody keeps as the secret of an address. */
export const SecretRequest = "scalingLens/secret";

/** Notifications from the server. */
export const Notifications = {
  status: "scalingLens/status",
  /** How far a cell is, while it runs. */
  queryProgress: "scalingLens/queryProgress",
} as const;

/** Commands that lenses, hints and hovers link to; the extension implements them. */
export const Commands = {
  optimise: "scalingLens.optimise",
  explain: "scalingLens.explain",
  compare: "scalingLens.compare",
  fitLogs: "scalingLens.fitLogs",
  calibrate: "scalingLens.calibrate",
  selectLaw: "scalingLens.selectLaw",
  planNextRuns: "scalingLens.planNextRuns",
  measureDataset: "scalingLens.measureDataset",
  createScalingFile: "scalingLens.createScalingFile",
  showLog: "scalingLens.showLog",
  /** Sets one value: `[uri, path, experiment]`. */
  setValue: "scalingLens.setValue",
  /** Changes the severity of a diagnostic in the settings: `[uri, code, level]`. */
  setLevel: "scalingLens.setLevel",
} as const;

/** What the extension tells the server when it starts. */
export interface InitialisationOptions {
  /** Where the worker bundle is, for hosts that start workers by URL. */
  readonly workerUrl?: string;
  /** Folder of files read at run time (`wasm/`), as a URI. */
  readonly assetsUri?: string;
  /** Folder of the documentation that comes with the extension, as a URI. */
  readonly docsUri?: string;
  /** Folder for what was read of run logs, as a URI: the next session reads only what has changed. */
  readonly cacheUri?: string;
  readonly settings?: PartialSettings;
  /** False where files may not be written. */
  readonly canWrite?: boolean;
  /** UI language. */
  readonly locale?: string;
}

/** What the severity of a diagnostic can be set to. */
export const DIAGNOSTIC_LEVELS = ["off", "hint", "info", "warning"] as const;
export type DiagnosticLevel = (typeof DIAGNOSTIC_LEVELS)[number];

/** The settings of one resource, under `scalingLens`. */
export interface Settings {
  readonly codeLens: { readonly enabled: boolean };
  readonly inlayHints: { readonly enabled: boolean };
  readonly hover: { readonly enabled: boolean };
  readonly diagnostics: {
    readonly enabled: boolean;
    /** Points. */
    readonly suboptimalThreshold: number;
    /** Notes (of severity information) of a document at most. */
    readonly limit: number;
    /** The severity of each code that is set to another than its own. */
    readonly levels: Readonly<Record<string, DiagnosticLevel>>;
  };
  readonly recommendation: "optimum" | "robust";
  readonly fit: { readonly law: string; readonly refitOnChange: boolean; readonly bootstrap: number };
}

/** As they arrive: anything may be missing or of the wrong type. */
export type PartialSettings = { readonly [Key in keyof Settings]?: unknown };

type OptimiseMode =
  | { readonly kind: "same-compute" }
  | { readonly kind: "same-success" }
  /** An amount with its unit as typed: `3e19 FLOPs`, `60 GPUh`, `150 USD`. */
  | { readonly kind: "compute"; readonly amount: string };

export interface OptimiseParams {
  readonly uri: string;
  /** The experiment by name; all of the document when absent. */
  readonly experiment?: string;
  readonly mode?: OptimiseMode;
  /** Axes to hold, beside the pins of `scaling.yaml`. */
  readonly pins?: readonly string[];
  /** Only the values at these paths are changed ("set one value"). */
  readonly only?: readonly string[];
}

export interface OptimiseReply {
  /** Null when nothing is to change; `message` says why. */
  readonly edit: WorkspaceEdit | null;
  readonly message: string;
  /** What cannot be written into the file and what to do instead, one sentence each. */
  readonly remainder: readonly string[];
}

export interface ExplainParams {
  readonly uri: string;
  readonly experiment?: string;
}

/** The next runs of an experiment as files in folders below `into`. */
export interface PlanFilesParams extends ExplainParams {
  readonly into: string;
}

/** A readable document in Markdown; everything from files is escaped. */
export interface DocumentReply {
  readonly title: string;
  readonly markdown: string;
}

/** One experiment as Explain's first screen shows it; the rest of `markdown` is folded below. */
export interface ExplainView {
  readonly experiment: string;
  /** What it is called on screen. */
  readonly name: string;
  /** The verdict, as every surface words it. */
  readonly verdict: string;
  /** `42 % success [38–45] at $893`, or why no success rate is known. */
  readonly success: string;
  /** What stands in for the figures' worth: simulated runs, a published prior, last good values. */
  readonly doubts: readonly string[];
  /** What the run comes to. */
  readonly cost: string;
  /** What can be done, the first the main one. */
  readonly actions: readonly { readonly label: string; readonly command: string; readonly args: readonly unknown[] }[];
  /** What applying would come to: `42 → 54 % at the same $893`. */
  readonly change: string;
  /** What only hands can change, a sentence each. */
  readonly byHand: readonly string[];
  /** For the chart, the slider and the split; null where nothing can be moved. */
  readonly whatIf: WhatIf | null;
  /** All of the rest, as Markdown. */
  readonly details: string;
}

export interface ExplainReply extends DocumentReply {
  readonly views: readonly ExplainView[];
}

export interface CompareParams {
  readonly uris: readonly string[];
}

export interface FolderParams {
  /** A workspace folder, or a document in it. */
  readonly uri: string;
}

/** Addresses that `scaling.yaml` names and that may want a secret. */
export interface SecretAddressesReply {
  readonly addresses: readonly string[];
}

export interface SecretParams {
  /** As in `SecretAddressesReply`. */
  readonly address: string;
}

export interface SecretReply {
  readonly secret: string | null;
}

export interface ScanParams extends FolderParams {
  /** Globs or folders, instead of `scaling.yaml`'s `logs:`. */
  readonly sources?: readonly string[];
}

export interface MeasureParams {
  readonly uris: readonly string[];
}

export interface ScanReply {
  readonly sources: readonly string[];
  readonly found: readonly {
    readonly id: string;
    readonly setting: string;
    readonly successRate: number | null;
    readonly simulated: boolean;
  }[];
  readonly skipped: readonly {
    readonly code: string;
    readonly message: string;
    readonly file?: string;
    readonly line?: number;
  }[];
  /** The run table as a Markdown document. */
  readonly document: DocumentReply;
}

export interface FitParams extends ScanParams {
  readonly law?: string;
  /** Where to save the fit, relative to the folder; not saved when absent. */
  readonly out?: string;
  /** Name the saved fit in `scaling.yaml`, so that it stays in force. */
  readonly use?: boolean;
}

export interface FitReply {
  readonly ok: boolean;
  readonly message: string;
  readonly document: DocumentReply;
  /** An edit of `scaling.yaml` that names the saved fit. */
  readonly edit?: WorkspaceEdit;
}

export interface CalibrateParams extends FolderParams {
  /** Measured success of the document's own allocation, in [0, 1]. */
  readonly successRate: number;
  readonly trials?: number;
  readonly experiment?: string;
}

export interface LawsReply {
  readonly current: string;
  readonly laws: readonly { readonly name: string; readonly form: string; readonly note: string }[];
}

/** An edit of `scaling.yaml` or of a new file, as asked for by a command. */
export interface EditReply {
  readonly edit: WorkspaceEdit | null;
  readonly message: string;
  /** The file to show afterwards. */
  readonly open?: string;
}

export interface FolderEditParams extends FolderParams {
  readonly change:
    { readonly kind: "pin" | "unpin"; readonly axis: string } | { readonly kind: "law"; readonly law: string };
}

/** What the language status item shows for one document. */
export interface StatusParams {
  readonly uri: string;
  readonly state: "idle" | "busy" | "stale" | "error" | "no-fit" | "limited";
  /** A few words: `additive · 48 runs`. */
  readonly text: string;
  /** One sentence with the detail. */
  readonly detail: string;
}

export interface FileReadParams {
  readonly uri: string;
  readonly start?: number;
  readonly end?: number;
}

/** Bytes as base64, so that they pass through every transport. */
export interface FileReadReply {
  readonly base64: string | null;
}

export interface FileWriteParams {
  readonly uri: string;
  readonly base64: string;
}

export interface FileStatReply {
  readonly stat: { readonly kind: "file" | "directory"; readonly size: number; readonly modified: number } | null;
}

export interface FileListReply {
  readonly entries: readonly { readonly name: string; readonly kind: "file" | "directory" }[];
}

/** A fit cell to run. Cancelled through the request's own cancellation. */
export interface RunQueryParams {
  /** The notebook; relative paths of the cell start in its folder. */
  readonly notebookUri: string;
  readonly text: string;
  /** Cells above it in the same language, nearest last: where a cell without `fit` finds its fit. */
  readonly above: readonly string[];
  /** Also store each figure as Vega-Lite, for JupyterLab. */
  readonly vegaLite: boolean;
  /** Returned in `queryProgress`. */
  readonly token: string;
}

/** One output of a cell: alternatives of the same thing. Binary ones are base64. */
export interface QueryOutput {
  readonly items: readonly { readonly mime: string; readonly text?: string; readonly base64?: string }[];
}

export interface RunQueryReply {
  readonly outputs: readonly QueryOutput[];
  /** True where nothing had changed since the cell ran last. */
  readonly cached: boolean;
  /** What stopped the cell; the outputs before it stand. 0-based line of the cell. */
  readonly error?: { readonly message: string; readonly line?: number; readonly character?: number };
}

export interface QueryProgressParams {
  readonly token: string;
  /** What is being done, with its count where there is one: `Refitting resampled runs: 340 of 1000`. */
  readonly label: string;
  /** Of the stage, in [0, 1]. */
  readonly share: number;
}

/** An operation by its name, its input as its JSON schema has it: what language-model tools call. */
export interface OperationParams {
  readonly name: string;
  readonly input: unknown;
}

export type OperationReply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };
