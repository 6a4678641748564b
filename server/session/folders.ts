import type { FitState } from "../assessment";
import type { ConfigDiagnostic } from "../configs/tree";

/** What a document needs of its folder at one moment. */
export interface FolderView {
  /** Changes whenever any figure may have changed: the key of caches. */
  readonly id: string;
  readonly uri: string | null;
  readonly fit: FitState;
  readonly pins: readonly string[];
  readonly scalingUri: string | null;
  readonly scalingExists: boolean;
  diagnosticsOf(scalingText: string): readonly ConfigDiagnostic[];
}
