import { DiagnosticSeverity, type Diagnostic } from "vscode-languageserver-types";
import { isAllocated, isPredicted, type ExperimentAssessment, type Note } from "../assessment/types";
import { ruleProblems } from "../budget/rules";
import type { Span } from "../syntax/text";
import type { ConfigDiagnostic } from "../syntax/tree";
import { axisWord, isKnownAxis } from "../core/axes";
import { capitalised, plural } from "../core/numbers";
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

/** The words that settings use. */
const LEVELS = {
  hint: DiagnosticSeverity.Hint,
  info: DiagnosticSeverity.Information,
  warning: DiagnosticSeverity.Warning,
} as const;

/** What a code action needs to know of its diagnostic. */
interface DiagnosticData {
  /** Every experiment that it is about. */
  readonly experiments?: readonly string[];
}

/** A finding about an experiment, and what it comes from: experiments that share a cause share a diagnostic. */
interface Finding extends ConfigDiagnostic {
  readonly cause?: string;
  readonly experiment?: string;
}

/** All diagnostics of a document, in the order of the text: one a cause, and no more notes than the settings allow. */
export function diagnostics(model: DocumentModel, settings: Settings, token: Token, docsUri?: string): Diagnostic[] {
  if (model.limited || !settings.diagnostics.enabled) return [];
  const causes = new Map<string, Finding[]>();
  const add = (finding: Finding): void => {
    // What is wrong at several places is to be corrected at each.
    const place = finding.severity === "error" ? `${finding.span.start} ` : "";
    const cause = `${place}${finding.code} ${finding.cause ?? finding.message}`;
    const same = causes.get(cause);
    if (same) same.push(finding);
    else causes.set(cause, [finding]);
  };
  for (const diagnostic of model.diagnostics) add(diagnostic);
  for (const experiment of model.experiments) {
    if (token.isCancellationRequested) return [];
    if (experiment.stale) continue;
    const { name } = experiment.assessment.budget;
    for (const finding of ofExperiment(model, experiment, settings))
      add({ ...finding, span: firstLine(model.text, finding.span), experiment: name });
  }
  const shown = [...causes.values()].flatMap((found) => {
    const severity = severityOf(found[0], settings);
    return severity === null ? [] : [oneOf(model, found, severity, docsUri)];
  });
  return limited(shown, settings.diagnostics.limit).sort(
    (a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character,
  );
}

/** As the settings have it; errors are never switched off. */
function severityOf({ code, severity }: Finding, { diagnostics: { levels } }: Settings): DiagnosticSeverity | null {
  const level = levels[code];
  if (level === undefined || severity === "error") return SEVERITY[severity];
  return level === "off" ? null : LEVELS[level];
}

/** Places that a diagnostic links to at most. */
const LINKED = 20;

/** One diagnostic of all findings with the same cause: at the first, which counts the rest and links to them. */
function oneOf(
  model: DocumentModel,
  found: readonly Finding[],
  severity: DiagnosticSeverity,
  docsUri: string | undefined,
): Diagnostic {
  const [first] = found;
  const places = new Map(found.map((one) => [`${one.experiment ?? ""} ${one.span.start}`, one]));
  const rest = [...places.values()].slice(1);
  const experiments = [...new Set(found.flatMap(({ experiment }) => (experiment === undefined ? [] : [experiment])))];
  const what = experiments.length > 1 ? "experiment" : "place";
  const href = documentationOf(first.code, docsUri);
  return {
    range: rangeOf(model.lines, first.span),
    severity,
    code: first.code,
    ...(href !== undefined && { codeDescription: { href } }),
    source: "Scaling Lens",
    message: rest.length === 0 ? first.message : `${first.message} (and ${plural(rest.length, `more ${what}`)})`,
    ...(rest.length > 0 && {
      relatedInformation: rest.slice(0, LINKED).map(({ span, experiment, message }) => ({
        location: { uri: model.uri, range: rangeOf(model.lines, span) },
        message: experiment ? `${experiment}: ${message}` : message,
      })),
    }),
    ...(experiments.length > 0 && { data: { experiments } satisfies DiagnosticData }),
  };
}

/** The order in which notes are worth their place. */
const WORTH = ["allocation.suboptimal", "budget.unknown", "compute.disagrees", "fit.extrapolating"];

/** No more notes than `most`: the last of those that stay says how many were left out. */
function limited(found: readonly Diagnostic[], most: number): Diagnostic[] {
  const rank = ({ code }: Diagnostic) => (WORTH.indexOf(String(code)) + WORTH.length + 1) % (WORTH.length + 1);
  const notes = found
    .filter(({ severity }) => severity === DiagnosticSeverity.Information)
    .sort((a, b) => rank(a) - rank(b));
  const left = notes.slice(most);
  if (left.length === 0) return [...found];
  const codes = [...new Set(left.map(({ code }) => String(code)))].join(", ");
  const last = notes[most - 1];
  return found.flatMap((one) =>
    left.includes(one)
      ? []
      : [
          one === last
            ? { ...one, message: `${one.message} (${plural(left.length, "more note")} hidden: ${codes})` }
            : one,
        ],
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

function ofExperiment(model: DocumentModel, experiment: ShownExperiment, settings: Settings): Finding[] {
  const { assessment } = experiment;
  const { budget } = assessment;
  return [
    ...rulesBroken(assessment, model.diagnostics),
    ...suboptimal(assessment, settings.diagnostics.suboptimalThreshold),
    ...overCritical(assessment),
    ...extrapolating(experiment),
    ...unidentified(experiment),
    ...missing(assessment),
    ...assessment.notes
      .filter((note) => note.code === "compute.disagrees")
      .map((note) =>
        fromNote(note, sitesOf(experiment).find(({ path }) => path === note.at)?.valueSpan ?? budget.anchor),
      ),
  ];
}

function fromNote(note: Note, span: Span): ConfigDiagnostic {
  return { span, severity: note.severity, code: note.code, message: note.message };
}

/** Rules that only facts of scaling.yaml break: the reader has reported the others. */
function rulesBroken({ budget }: ExperimentAssessment, reported: readonly ConfigDiagnostic[]): ConfigDiagnostic[] {
  return ruleProblems(budget, budget.anchor).filter(
    (rule) => !reported.some(({ code, message }) => code === rule.code && message.includes(rule.message)),
  );
}

function suboptimal(assessment: ExperimentAssessment, threshold: number): Finding[] {
  const { allocation, budget, verdict } = assessment;
  if (!isAllocated(allocation) || verdict.kind !== "better-split") return [];
  const { regret, wastedShare } = allocation.result;
  if (regret.estimate < threshold) return [];
  const same =
    wastedShare.estimate >= 0.01
      ? ` The same success takes ${decimal(100 * wastedShare.estimate, 0)} % less compute there.`
      : "";
  const alone = ownGain(allocation, verdict);
  const own = alone === "" ? "" : ` ${capitalised(alone)}; Explain says what is left to do by hand.`;
  return [
    {
      span: budget.anchor,
      severity: "information",
      code: "allocation.suboptimal",
      cause: "",
      message:
        `This split is ${decimal(regret.estimate, 1)} points of success below the best one at the same cost ${pointsInterval(regret)}`.trim() +
        `.${same}${own}`,
    },
  ];
}

function overCritical(assessment: ExperimentAssessment): Finding[] {
  return Object.entries(assessment.synthesis).flatMap(([axis, plan]) =>
    plan && plan.critical !== null && plan.ratio > plan.critical
      ? [
          {
            span: plan.span ?? assessment.budget.anchor,
            severity: "warning" as const,
            code: "synthesis.over-critical-ratio",
            cause: `${axis} ${plan.method}`,
            message: `${Number.isFinite(plan.ratio) ? `${decimal(plan.ratio, 1)} synthetic ${axis} per real one are` : `Only synthetic ${axis} are`} above the critical ratio ${decimal(plan.critical, 1)} ${plan.source}: more of them add nothing.`,
          },
        ]
      : [],
  );
}

function extrapolating(experiment: ShownExperiment): Finding[] {
  const { prediction, budget } = experiment.assessment;
  if (!isPredicted(prediction)) return [];
  return Object.entries(prediction.extrapolation).flatMap(([axis, outside]) =>
    outside > FAR
      ? [
          {
            span: levelSpan(experiment, axis) ?? budget.anchor,
            severity: "information" as const,
            code: "fit.extrapolating",
            cause: axis,
            message: `The ${axisWord(axis)} are ${factor(outside)}× outside the range of the fitted runs: the prediction is an extrapolation.`,
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
function unidentified(experiment: ShownExperiment): Finding[] {
  const { prediction, budget } = experiment.assessment;
  if (!isPredicted(prediction)) return [];
  return prediction.held
    .filter(({ moved }) => moved)
    .map(({ axis, level, reason }) => ({
      span: levelSpan(experiment, axis) ?? budget.anchor,
      severity: "information",
      code: "fit.unidentifiable",
      cause: axis,
      message: `The fit cannot tell what ${axisWord(axis)} do (${reason}); they are held at ${count(level)}.`,
    }));
}

/** Only where a fit would use the value: without one, an unknown is said in the hover and nags nobody. */
function missing(assessment: ExperimentAssessment): Finding[] {
  return assessment.missing.map(({ axis, reason }) => ({
    span: assessment.budget.anchor,
    severity: "information",
    code: "budget.unknown",
    cause: axis,
    message: isKnownAxis(axis)
      ? `The ${axisWord(axis)} of this run are unknown: ${reason}. State them in scaling.yaml under facts.`
      : `The fit depends on ${axis}, and ${reason}: no success rate can be given. Runs that state tasks, environments or trajectories give one.`,
  }));
}
