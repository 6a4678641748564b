import type { TextDocument } from "vscode-languageserver-textdocument";
import { isAllocated, isPredicted, type Assessment, type ExperimentAssessment } from "../assessment/types";
import { LineIndex } from "../syntax/text";
import { documentKind } from "../detect";
import { carryOver, spanMapper } from "../features/carryOver";
import type { DocumentModel, ShownExperiment } from "../features/model";
import type { Settings } from "../protocol";
import type { CellSurroundings } from "../syntax/notebook";
import { LARGE_DOCUMENT } from "./limits";
import type { FolderView } from "./folders";

/** Makes the assessment of one version; called once a version, folder state and settings. */
export type Assess = (document: TextDocument, folder: FolderView, settings: Settings) => Promise<Assessment>;

interface Entry {
  readonly version: number;
  readonly key: string;
  readonly model: Promise<DocumentModel | null>;
}

interface LastGood {
  readonly text: string;
  readonly experiments: readonly ExperimentAssessment[];
}

/** Schemes whose documents are views of others: nothing is shown for them. */
const OTHER_SCHEMES = /^(git|output|scaling-lens|vscode-scm|walkThrough|debug|vscode-notebook-cell-output):/;

/** The model of each open document: one parse a version, shared by every feature. */
export class DocumentModels {
  readonly #assess: Assess;
  readonly #entries = new Map<string, Entry>();
  readonly #lastGood = new Map<string, LastGood>();
  readonly #followed = new Map<string, readonly string[]>();

  constructor(assess: Assess) {
    this.#assess = assess;
  }

  /** Null where the document is none of ours. */
  get(
    document: TextDocument,
    folder: FolderView,
    settings: Settings,
    cell?: CellSurroundings,
  ): Promise<DocumentModel | null> {
    const { uri, version } = document;
    // Only what changes figures belongs to the key; switching a lens off must not parse again.
    const around = cell ? `\n${cell.before.length}\n${cell.before}${cell.after}` : "";
    const key = `${folder.id}\n${settings.recommendation}${around}`;
    const entry = this.#entries.get(uri);
    if (entry && entry.version === version && entry.key === key) return entry.model;
    const model = this.#make(document, folder, settings);
    this.#entries.set(uri, { version, key, model });
    model.catch(() => {
      if (this.#entries.get(uri)?.model === model) this.#entries.delete(uri);
    });
    return model;
  }

  /** Other files that documents were followed into: base configs, sourced scripts. */
  followed(): ReadonlySet<string> {
    return new Set([...this.#followed.values()].flat());
  }

  /** Forgets what rests on a file that has changed; true where anything did. */
  changed(uri: string): boolean {
    const readers = [...this.#followed].filter(([, files]) => files.includes(uri)).map(([reader]) => reader);
    for (const reader of readers) this.#entries.delete(reader);
    return readers.length > 0;
  }

  forget(uri: string): void {
    this.#followed.delete(uri);
    this.#entries.delete(uri);
    this.#lastGood.delete(uri);
  }

  async #make(document: TextDocument, folder: FolderView, settings: Settings): Promise<DocumentModel | null> {
    const text = document.getText();
    const kind = OTHER_SCHEMES.test(document.uri) ? null : documentKind(document.uri, document.languageId, text);
    if (kind === null || kind === "query") return null;
    const base = {
      uri: document.uri,
      languageId: document.languageId,
      version: document.version,
      text,
      kind,
      lines: new LineIndex(text),
      limited: text.length > LARGE_DOCUMENT,
      fit: folder.fit,
      ...(folder.passRates && { passRates: folder.passRates }),
      pins: folder.pins,
      scalingUri: folder.scalingUri,
      scalingExists: folder.scalingExists,
    };
    if (kind === "scaling")
      return { ...base, experiments: [], diagnostics: folder.diagnosticsOf(text), assessment: null };
    const assessment = await this.#assess(document, folder, settings);
    this.#followed.set(document.uri, assessment.document.followed);
    const experiments = this.#shown(document.uri, text, assessment);
    return { ...base, experiments, diagnostics: assessment.document.diagnostics, assessment };
  }

  /** What was understood; where a syntax error took something away, the last good values in its place. */
  #shown(uri: string, text: string, assessment: Assessment): readonly ShownExperiment[] {
    const broken = assessment.document.diagnostics.some(
      ({ code, severity }) => (code === "config.parse" || code === "config.too-large") && severity === "error",
    );
    const fresh = assessment.experiments.map((experiment): ShownExperiment => ({
      assessment: experiment,
      stale: false,
    }));
    const before = this.#lastGood.get(uri);
    if (!broken) {
      this.#lastGood.set(uri, { text, experiments: assessment.experiments });
      return fresh;
    }
    if (!before) return fresh;
    const map = spanMapper(before.text, text);
    const shown = fresh.map((now, index) => {
      const then =
        before.experiments.find(({ budget }) => budget.name === now.assessment.budget.name) ??
        (fresh.length === before.experiments.length ? before.experiments[index] : undefined);
      return then && worth(then) > worth(now.assessment)
        ? { assessment: carryOver(then, map, text.length), stale: true }
        : now;
    });
    const lost = before.experiments
      .slice(shown.length)
      .filter((then) => !shown.some((now) => now.assessment.budget.name === then.budget.name));
    return [...shown, ...lost.map((then) => ({ assessment: carryOver(then, map, text.length), stale: true }))];
  }
}

/** How much an assessment says. */
function worth(experiment: ExperimentAssessment): number {
  return (isPredicted(experiment.prediction) ? 1 : 0) + (isAllocated(experiment.allocation) ? 1 : 0);
}
