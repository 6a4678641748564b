import { stop } from "../report/limits";
import { plural } from "../core/numbers";
import { verdictLine } from "../report/headline";
import { type Row, factText, spendShare, costRows } from "../report/facts";
import { costLine } from "../report/costLine";
import type { Hover } from "vscode-languageserver-types";
import { isAllocated, isPredicted, type ExperimentAssessment } from "../assessment/types";
import { proposalOf } from "../assessment/verdict";
import { recommendedSplit } from "../assessment/edits/target";
import { isKnown, type BudgetField, type FieldSite } from "../budget/budget";
import { axisWord, shortAxis, type AxisName } from "../core/axes";
import { isWritable } from "./codeLens";
import { axisOf, editOf, factOf, isLevel, recommendation } from "./fields";
import {
  count,
  decimal,
  factor,
  percentInterval,
  percentWithInterval,
  pointsInterval,
  signedPoints,
} from "../report/numbers";
import { code, commandLink, escape, table } from "../report/print/markdown";
import { say, type StringKey } from "../report/words";
import { Commands } from "../protocol";
import { rangeOf, siteAt, touches, type DocumentModel, type LiveView, type ShownExperiment } from "./model";
import { liveRows } from "../report/forecast";
import { evaluationRows, signalRows } from "./hoverSamples";

/** What a budget field means here, what it is worth, and where each number comes from. */
export function hover(model: DocumentModel, offset: number, live: LiveView = () => null): Hover | null {
  const found = siteAt(model, offset);
  if (!found) return null;
  const { experiment, site } = found;
  const span = touches(site.keySpan, offset) ? site.keySpan : site.valueSpan;
  return {
    contents: { kind: "markdown", value: hoverText(model, experiment, site, live) },
    range: rangeOf(model.lines, span),
  };
}

/** With spaces that do not break: VS Code makes the first column as narrow as it can, and the names of rows would fold. */
const INTERVALS = "95\u00a0%\u00a0intervals";

/** A table of at most this many rows, its head among them. */
const ROWS = 8;
/** 8.19 billion parameters lie as good as inside runs of 8 billion. */
const BEYOND = 1.05;
/** A field that moves no axis says what it is, what to expect, and what the run comes to. */
const OTHER_ROWS = 3;

function hoverText(
  model: DocumentModel,
  experiment: ShownExperiment,
  site: FieldSite,
  live: LiveView = () => null,
): string {
  const { assessment } = experiment;
  const axis = axisOf(site.field);
  // In the order of what one asks first: what does not fit is in Explain.
  const rows: Row[] = [
    ...valueRows(assessment, site),
    ...(site.field === "steps" ? liveRows(live(experiment)) : []),
    ...bestRows(assessment, site),
    ...(site.field === "groupSize" ? signalRows(model, assessment, live(experiment)) : []),
    ...(site.field === "evaluationSamples" ? evaluationRows(assessment) : []),
    ...(model.fit.kind === "ready" ? successRows(assessment) : fitRows(model, assessment, axis)),
    ...(axis === null || model.fit.kind === "ready" ? [runRow(assessment)] : runRows(assessment)),
    ...synthesisRows(assessment, axis),
    ...worthRows(assessment, axis),
    ...(model.fit.kind === "ready" && axis !== null ? fitRows(model, assessment, axis) : []),
  ];
  const most = axis === null && site.field !== "steps" ? OTHER_ROWS : ROWS - 1;
  const parts = [
    // In one line, above what a small window cuts off: VS Code scrolls a hover beyond 250 pixels.
    [`**${escape(site.path)}** — ${escape(site.unit)}`, links(model, experiment)].join(" · "),
    ...(experiment.stale ? ["*Last good values: the document has a syntax error.*"] : []),
    table([INTERVALS, assessment.budget.name === "" ? "" : escape(assessment.budget.name)], ordered(rows, most)),
    site.help,
    ...(site.editable || !site.whyNot ? [] : [`*Not edited in place: ${escape(site.whyNot)}*`]),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The first `most`; the fit and what the run comes to are always among them. */
function ordered(rows: readonly Row[], most: number): Row[] {
  const kept = new Set(rows.slice(0, most));
  for (const title of ["Fit", "Run comes to"]) {
    const row = rows.find(([name]) => name === title);
    if (!row || kept.has(row)) continue;
    const last = [...kept].reverse().find(([name]) => name !== "Fit" && name !== "Run comes to");
    if (last) kept.delete(last);
    kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}

/** What the whole run comes to, where there is no fit to speak of. Money and hours on the wall are in Explain. */
function runRows(assessment: ExperimentAssessment): Row[] {
  return costRows(assessment).filter(([title]) => title !== "GPU cost" && title !== "Wall-clock");
}

/** What the whole run comes to, in one row. */
function runRow(assessment: ExperimentAssessment): Row {
  const { costs, cost, budget } = assessment;
  const line = costLine(assessment);
  const steps = isKnown(budget.steps)
    ? `${count(budget.steps.value)} steps${isKnown(costs.tokensPerStep) ? ` of ${count(costs.tokensPerStep.value)} tokens` : ""}`
    : "";
  const wall = cost.kind === "run" ? cost.cost.wallClockHours : null;
  const hours = wall ? `${count(wall.estimate)} h on the wall` : "";
  const said = [escape(line), steps, hours].filter((part) => part !== "").join(" · ");
  return ["Run comes to", said === "" ? factText(costs.rollouts) : said];
}

/** What can be done from here; the client trusts our own commands only. */
function links(model: DocumentModel, { assessment }: ShownExperiment): string {
  const { name } = assessment.budget;
  const link = (label: StringKey, command: string) => commandLink(say(label), command, [model.uri, name]);
  if (model.fit.kind === "none")
    return [
      commandLink(say("lens.fit"), Commands.fitLogs, [model.uri]),
      link("lens.calibrate", Commands.calibrate),
    ].join(" · ");
  return [
    ...(isAllocated(assessment.allocation) && isWritable(assessment.allocation)
      ? [link("action.optimise", Commands.optimise)]
      : []),
    link("lens.explain", Commands.explain),
  ].join(" · ");
}

function valueRows(assessment: ExperimentAssessment, site: FieldSite): Row[] {
  const { budget } = assessment;
  const fact = factOf(budget, site.field);
  const axis = axisOf(site.field);
  const level = axis && !isLevel(site.field) ? factOf(budget, axis as BudgetField) : undefined;
  const what = escape(axisWord(axis ?? ""));
  const of = level && isKnown(level) && typeof level.value === "number" ? `; ${count(level.value)} ${what}` : "";
  return fact ? [["Now", `${factText(fact)}${of}`]] : level ? [["Now", `${factText(level)}, ${what}`]] : [];
}

/** Where the value should go, or why it is held. */
function bestRows(assessment: ExperimentAssessment, site: FieldSite): Row[] {
  const axis = axisOf(site.field);
  const { allocation, verdict } = assessment;
  if (axis === null || !isAllocated(allocation)) return [];
  const { result, alone } = allocation;
  const pinned = result.pinned.find((pin) => pin.axis === axis);
  if (pinned) return [["Held", escape(withoutRefusal(pinned.reason, assessment, axis))]];
  const edit = editOf(assessment, site);
  const to = recommendation(allocation)[axis];
  const from = result.current.levels[axis];
  if (from === undefined || to === undefined) return [];
  if (proposalOf(assessment) === null)
    return verdict.kind === "no-better-split" ? [["Best split", `${count(from)} ✓`]] : [];
  const written = edit && !isLevel(site.field) ? code(edit.to) : "";
  const of = written === "" ? "" : ` ${escape(axisWord(axis))}`;
  const here = alone?.change.second.levels[axis];
  const inFile = here === undefined || count(here) === count(to) ? "" : `; ${count(here)}${of} in this file alone`;
  const corner = result.corners.find((at) => at.axis === axis);
  const bound = corner ? `, where it stops: ${stop(corner)}` : "";
  const same = Math.abs(to - from) <= 1e-3 * Math.abs(from) ? " ✓" : "";
  return [
    [
      "Best split",
      `${written === "" ? "" : `${written}${alone ? " in this file alone" : ""}; `}${count(to)}${of}${same}${inFile}${bound}`,
    ],
  ];
}

/** What more of it is worth, and what it takes now. */
function worthRows(assessment: ExperimentAssessment, axis: AxisName | null): Row[] {
  const { allocation } = assessment;
  if (axis === null || !isAllocated(allocation)) return [];
  const { result } = allocation;
  const rows: Row[] = [];
  const worth = result.values.current.find((value) => value.axis === axis);
  if (worth) {
    const next =
      worth.pointsPerPercent === null
        ? "more of it costs nothing"
        : `the next 1 % of spend, put here: ${decimal(worth.pointsPerPercent, 2)} points`;
    rows.push([
      "Doubling it",
      `${signedPoints(worth.doubling.estimate)} points ${pointsInterval(worth.doubling)}; ${next}`.trim(),
    ]);
  }
  const now = spendShare(result.current.parts, axis);
  const best = proposalOf(assessment) === null ? undefined : spendShare(recommendedSplit(result).parts, axis);
  if (now !== undefined)
    rows.push([
      "Share of spend",
      `${decimal(100 * now, 1)} %${best === undefined ? "" : `, ${decimal(100 * best, 1)} % at the best split`}`,
    ]);
  return rows;
}

/** A refused exponent has its row with the reason. */
function withoutRefusal(reason: string, { law }: ExperimentAssessment, axis: AxisName): string {
  const refusal = law?.exponents[axis]?.reason;
  return refusal && reason.endsWith(`: ${refusal}`) ? reason.slice(0, -refusal.length - 2) : reason;
}

function synthesisRows(assessment: ExperimentAssessment, axis: AxisName | null): Row[] {
  const plan = axis && assessment.synthesis[axis];
  if (!plan) return [];
  return [
    [
      "Synthetic to real",
      `${decimal(plan.ratio, 2)} by ${code(plan.method)}; critical ratio ${plan.critical === null ? "unknown" : decimal(plan.critical, 1)} ${escape(plan.source)}`,
    ],
  ];
}

function successRows(assessment: ExperimentAssessment): Row[] {
  const { prediction, allocation, relative } = assessment;
  const verdict = isAllocated(allocation)
    ? escape(verdictLine(assessment))
    : `no best split: ${escape(allocation.reason)}`;
  const rows: Row[] = [
    [
      "Success",
      isPredicted(prediction)
        ? `${percentWithInterval(prediction.successRate)} ${percentInterval(prediction.successRate)} · ${verdict}`
        : `unknown: ${escape(prediction.reason)}${isAllocated(allocation) ? ` · ${verdict}` : ""}`,
    ],
  ];
  for (const { axis, points } of relative?.doublings ?? [])
    rows.push([`2× ${escape(shortAxis(axis))}`, `${signedPoints(points.estimate)} points ${pointsInterval(points)}`]);
  return rows;
}

function fitRows(model: DocumentModel, assessment: ExperimentAssessment, axis: AxisName | null): Row[] {
  const { fit } = model;
  const { law: inForce, prediction } = assessment;
  if (fit.kind !== "ready" || !inForce)
    return [["Scaling fit", `none: ${escape(fit.kind === "ready" ? "no law holds" : fit.reason)}`]];
  const { name, runs, simulated, prior } = fit.fit;
  const setting = inForce.setting === "" || inForce.own ? "" : `, ${escape(inForce.setting)} (stands in)`;
  const said = [
    `${escape(inForce.law.law)} law, ${plural(runs, "run")}, ${escape(name)}${setting}${simulated ? " (simulated)" : ""}${prior ? " — prior" : ""}`,
  ];
  const outside = axis !== null && isPredicted(prediction) ? prediction.extrapolation[axis] : undefined;
  if (outside !== undefined)
    said.push(
      outside < BEYOND ? "inside the fitted range" : `${factor(outside)}× outside the fitted range: extrapolated`,
    );
  const held = isPredicted(prediction) ? prediction.held.find((at) => at.axis === axis) : undefined;
  if (held) said.push(`held at ${count(held.level)} in predictions`);
  const exponent = axis === null ? undefined : inForce.exponents[axis];
  if (exponent) {
    const value =
      exponent.status === "refused" || exponent.estimate === null
        ? `refused: ${escape(exponent.reason ?? "")}`
        : `${decimal(exponent.estimate, 3)} [${decimal(exponent.low ?? NaN, 3)}, ${decimal(exponent.high ?? NaN, 3)}], ${exponent.status}`;
    const share = exponent.shares
      ? `, ${decimal(100 * exponent.shares.data, 0)} % data, ${decimal(100 * exponent.shares.prior, 0)} % prior`
      : "";
    said.push(`exponent ${value}${share}`);
  }
  return [["Fit", said.join("; ")]];
}
