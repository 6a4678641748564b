import type { Range } from "vscode-languageserver-types";
import type { Assessment, ExperimentAssessment, FitState } from "../assessment/types";
import { isKnown, type FieldSite } from "../budget/budget";
import type { RunForecast } from "../core/forecast/runs";
import type { LineIndex, Span } from "../syntax/text";
import type { ConfigDiagnostic } from "../syntax/tree";
import type { DocumentKind } from "../detect";
import { factOf } from "./fields";

/** An experiment as surfaces show it. */
export interface ShownExperiment {
  readonly assessment: ExperimentAssessment;
  /** True where the document has a syntax error and these are the last good values, moved into the present text. */
  readonly stale: boolean;
}

/** All that features know about one version of a document. Made once a version and shared; features hold no state. */
export interface DocumentModel {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
  readonly lines: LineIndex;
  readonly kind: DocumentKind;
  /** True above 200 KB: lens and hover only. */
  readonly limited: boolean;
  readonly experiments: readonly ShownExperiment[];
  /** What this version says, stale values left out; null for files that hold no experiments. */
  readonly assessment: Assessment | null;
  /** What the readers found wrong with the text. */
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly fit: FitState;
  /** Pass rate of each task, from rollouts beside the logs, where there are any. */
  readonly passRates?: readonly number[];
  /** Axes pinned in `scaling.yaml`. */
  readonly pins: readonly string[];
  /** Where this document's `scaling.yaml` is, or would be; null outside any folder. */
  readonly scalingUri: string | null;
  readonly scalingExists: boolean;
}

/** Where the run of an experiment will end, where one is on (or ended while it was followed). */
export type LiveView = (experiment: ShownExperiment) => RunForecast | null;

/** What a feature needs of a cancellation token. */
export interface Token {
  readonly isCancellationRequested: boolean;
}

export function rangeOf(lines: LineIndex, span: Span): Range {
  const start = lines.at(span.start);
  const end = lines.at(span.end);
  return { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
}

/** Whether a position of the text is in or at the end of a span. */
export function touches(span: Span, offset: number): boolean {
  return span.start <= offset && offset <= span.end;
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** Sites of the document itself; those followed into other files have no place here. */
export function sitesOf(experiment: ShownExperiment): readonly FieldSite[] {
  return experiment.assessment.budget.sites;
}

/** The budget field at a place. One value may feed several (a number of steps says something of epochs too): the one that it states comes first. */
export function siteAt(model: DocumentModel, offset: number): { experiment: ShownExperiment; site: FieldSite } | null {
  for (const experiment of model.experiments) {
    const here = sitesOf(experiment).filter((site) => touches(site.keySpan, offset) || touches(site.valueSpan, offset));
    const states = (site: FieldSite): boolean => {
      const fact = factOf(experiment.assessment.budget, site.field);
      return fact !== undefined && isKnown(fact) && (fact.span === undefined || overlaps(fact.span, site.valueSpan));
    };
    const site = here.find(states) ?? here[0];
    if (site) return { experiment, site };
  }
  return null;
}

/** The experiment that a position belongs to: one with a site there, else the last one that begins before it, else the first. */
export function experimentAt(model: DocumentModel, offset: number): ShownExperiment | null {
  const bySite = siteAt(model, offset);
  if (bySite) return bySite.experiment;
  let best: ShownExperiment | null = null;
  for (const experiment of model.experiments) {
    if (!best || experiment.assessment.budget.anchor.start <= offset) best = experiment;
  }
  return best;
}
