import type { ConfigReading, ExperimentBudget, PlannedEdit } from "../budget/budget";
import type { MergedFacts } from "./scaling/facts";
import type { Config, DatasetRows, Framework } from "../frameworks/reading/read";
import type { SyntaxDocument } from "../syntax/tree";

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

/** Where an experiment of a framework's file was read from. */
export interface Origin {
  readonly framework: Framework;
  readonly config: Config;
  /** As the file states it, before facts of `scaling.yaml`. */
  readonly budget: ExperimentBudget;
  /** Its rows: more tasks cannot be had from them. */
  readonly data?: DatasetRows;
}
