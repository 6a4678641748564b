import { DiagnosticSeverity, type Diagnostic } from "vscode-languageserver-types";
import { isAllocated, isPredicted, type ExperimentAssessment, type Note } from "../assessment/types";
import { isKnown, type FrameworkRule } from "../budget/budget";
import type { Span } from "../syntax/text";
import type { ConfigDiagnostic } from "../syntax/tree";
import { isKnownAxis } from "../core/axes";
import type { Settings } from "../protocol";
import { ownGain } from "../report/headline";
import { documentationOf } from "./codes";
import { axisOf, isLevel } from "./fields";
import { count, decimal, factor, pointsInterval } from "../report/numbers";
import { rangeOf, sitesOf, type DocumentModel, type ShownExperiment, type Token } from "./model";

/** Extrapolation beyond this factor is worth a diagnostic; the hover states any. */
const FAR = 2;

const SEVERITY = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
} as const;

/** What a code action needs to know of its diagnostic. */
interface DiagnosticData {
  readonly experiment?: string;
  readonly field?: string;
}

/** All diagnostics of a document, in the order of the text. */
export function diagnostics(model: DocumentModel, settings: Settings, token: Token, docsUri?: string): Diagnostic[] {
  if (model.limited || !settings.diagnostics.enabled) return [];
  const found: Diagnostic[] = [];
  const add = (diagnostic: ConfigDiagnostic, data?: DiagnosticData): void => {
    const range = rangeOf(model.lines, data ? firstLine(model.text, diagnostic.span) : diagnostic.span);
    const twin = found.some(
      ({ code, range: at, message }) =>
        code === diagnostic.code &&
        message === diagnostic.message &&
        at.start.line === range.start.line &&
        at.start.character === range.start.character,
    );
    if (twin) return;
    const href = documentationOf(diagnostic.code, docsUri);
    found.push({
      range,
      severity: SEVERITY[diagnostic.severity],
      code: diagnostic.code,
      ...(href !== undefined && { codeDescription: { href } }),
      source: "Scaling Lens",
      message: diagnostic.message,
      ...(data && { data }),
    });
  };
  for (const diagnostic of model.diagnostics) add(diagnostic);
  for (const experiment of model.experiments) {
    if (token.isCancellationRequested) return [];
    if (experiment.stale) continue;
    const data = { experiment: experiment.assessment.budget.name };
    for (const diagnostic of ofExperiment(model, experiment, settings)) add(diagnostic, data);
  }
  return found.sort(
    (a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character,
  );
}

/** A launch command runs over many lines: what concerns all of it is marked at its first. */
function firstLine(text: string, { start, end }: Span): Span {
  const line = text
    .slice(start, end)
    .split(/\r?\n/, 1)[0]
    .replace(/[\s\\]+$/, "");
  return line === "" ? { start, end } : { start, end: start + line.length };
}

function ofExperiment(model: DocumentModel, experiment: ShownExperiment, settings: Settings): ConfigDiagnostic[] {
  const { assessment } = experiment;
  const { budget } = assessment;
  return [
    ...brokenRules(experiment, model.diagnostics),
    ...suboptimal(assessment, settings.diagnostics.suboptimalThreshold),
    ...overCritical(assessment),
    ...extrapolating(experiment),
    ...unidentified(experiment),
    ...missing(assessment),
    ...assessment.notes
      .filter((note) => note.code === "compute.disagrees")
      .map((note) => fromNote(note, siteSpan(experiment, "compute") ?? budget.anchor)),
  ];
}

function fromNote(note: Note, span: Span): ConfigDiagnostic {
  return { span, severity: note.severity, code: note.code, message: note.message };
}

function siteSpan(experiment: ShownExperiment, ...fields: readonly string[]): Span | null {
  for (const field of fields) {
    const site = sitesOf(experiment).find((candidate) => candidate.field === field);
    if (site) return site.valueSpan;
  }
  return null;
}

/** Rules that the framework's reader has not already reported at the place where it stands. */
function brokenRules(experiment: ShownExperiment, reported: readonly ConfigDiagnostic[]): ConfigDiagnostic[] {
  const { budget } = experiment.assessment;
  const number = (fact: typeof budget.steps) => (isKnown(fact) ? fact.value : null);
  const values = {
    promptsPerStep: number(budget.promptsPerStep),
    groupSize: number(budget.groupSize),
    steps: number(budget.steps),
    epochs: number(budget.epochs),
    gpus: number(budget.gpus),
  };
  return budget.rules
    .filter(
      (rule) =>
        rule.holds(values) === false &&
        !reported.some(({ code, message }) => code === rule.code && message.includes(rule.message)),
    )
    .map((rule) => ({
      span: ruleSpan(experiment, rule),
      severity: "warning" as const,
      code: rule.code,
      message: rule.message,
    }));
}

function ruleSpan(experiment: ShownExperiment, rule: FrameworkRule): Span {
  const fields = rule.code === "group.too-small" ? ["groupSize", "trajectories"] : ["promptsPerStep", "groupSize"];
  return siteSpan(experiment, ...fields) ?? experiment.assessment.budget.anchor;
}

function suboptimal(assessment: ExperimentAssessment, threshold: number): ConfigDiagnostic[] {
  const { allocation, budget, verdict } = assessment;
  if (!isAllocated(allocation) || verdict.kind !== "better-split") return [];
  const { regret, wastedShare } = allocation.result;
  if (regret.estimate < threshold) return [];
  const same =
    wastedShare.estimate >= 0.01
      ? ` The same success takes ${decimal(100 * wastedShare.estimate, 0)} % less compute there.`
      : "";
  const alone = ownGain(allocation, verdict);
  const own =
    alone === "" ? "" : ` ${alone.charAt(0).toUpperCase()}${alone.slice(1)}; Explain says what is left to do by hand.`;
  return [
    {
      span: budget.anchor,
      severity: "information",
      code: "allocation.suboptimal",
      message:
        `This split is ${decimal(regret.estimate, 1)} points of success below the best one at the same cost ${pointsInterval(regret)}`.trim() +
        `.${same}${own}`,
    },
  ];
}

function overCritical(assessment: ExperimentAssessment): ConfigDiagnostic[] {
  return Object.entries(assessment.synthesis).flatMap(([axis, plan]) =>
    plan && plan.critical !== null && plan.ratio > plan.critical
      ? [
          {
            span: plan.span ?? assessment.budget.anchor,
            severity: "warning" as const,
            code: "synthesis.over-critical-ratio",
            message: `${Number.isFinite(plan.ratio) ? `${decimal(plan.ratio, 1)} synthetic ${axis} per real one are` : `Only synthetic ${axis} are`} above the critical ratio ${decimal(plan.critical, 1)} ${plan.source}: more of them add nothing.`,
          },
        ]
      : [],
  );
}

function extrapolating(experiment: ShownExperiment): ConfigDiagnostic[] {
  const { prediction, budget } = experiment.assessment;
  if (!isPredicted(prediction)) return [];
  return Object.entries(prediction.extrapolation).flatMap(([axis, outside]) =>
    outside > FAR
      ? [
          {
            span: levelSpan(experiment, axis) ?? budget.anchor,
            severity: "information" as const,
            code: "fit.extrapolating",
            message: `The ${axis} are ${factor(outside)}× outside the range of the fitted runs: the prediction is an extrapolation.`,
          },
        ]
      : [],
  );
}

function levelSpan(experiment: ShownExperiment, axis: string): Span | null {
  const sites = sitesOf(experiment).filter((site) => axisOf(site.field) === axis);
  return (sites.find((site) => isLevel(site.field)) ?? sites[0])?.valueSpan ?? null;
}

/** Only where the config asks for another level than the runs had: held where it stands, the axis misleads nobody. */
function unidentified(experiment: ShownExperiment): ConfigDiagnostic[] {
  const { prediction, budget } = experiment.assessment;
  if (!isPredicted(prediction)) return [];
  return prediction.held
    .filter(({ moved }) => moved)
    .map(({ axis, level, reason }) => ({
      span: levelSpan(experiment, axis) ?? budget.anchor,
      severity: "information",
      code: "fit.unidentifiable",
      message: `The fit cannot tell what ${axis} do (${reason}); they are held at ${count(level)}.`,
    }));
}

/** Only where a fit would use the value: without one, an unknown is said in the hover and nags nobody. */
function missing(assessment: ExperimentAssessment): ConfigDiagnostic[] {
  return assessment.missing.map(({ axis, reason }) => ({
    span: assessment.budget.anchor,
    severity: "information",
    code: "budget.unknown",
    message: isKnownAxis(axis)
      ? `The ${axis} of this run are unknown: ${reason}. State them in scaling.yaml under facts.`
      : `The fit depends on ${axis}, and ${reason}: no success rate can be given. Runs that state tasks, environments or trajectories give one.`,
  }));
}
