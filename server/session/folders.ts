import type { FitState } from "../assessment/types";
import type { JobProgress } from "../operations/jobs";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { ConfigDiagnostic } from "../syntax/tree";

/** What a document needs of its folder at one moment. */
export interface FolderView {
  /** Changes whenever any figure may have changed: the key of caches. */
  readonly id: string;
  readonly uri: string;
  readonly fit: FitState;
  readonly busy: JobProgress | null;
  readonly passRates?: readonly number[];
  readonly scaling: ScalingFile | null;
  readonly pins: readonly string[];
  readonly scalingUri: string;
  readonly scalingExists: boolean;
  diagnosticsOf(scalingText: string): readonly ConfigDiagnostic[];
}
