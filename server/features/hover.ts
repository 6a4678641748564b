import { verdictLine } from "../report/headline";
import { type Row, factText, axisLabel, spendShare, costRows } from "../report/facts";
import type { Hover } from "vscode-languageserver-types";
import { isAllocated, isPredicted, type ExperimentAssessment } from "../assessment/types";
import { proposalOf } from "../assessment/verdict";
import { recommendedSplit } from "../assessment/edits/target";
import { isKnown, type BudgetField, type FieldSite } from "../budget/budget";
import type { AxisName } from "../core/axes";
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
import { generationFactor, groupSignal } from "../report/signal";
import type { RunForecast } from "../core/forecast/runs";
import { powerOf, resolution } from "../core/forecast/power";

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

function hoverText(
  model: DocumentModel,
  experiment: ShownExperiment,
  site: FieldSite,
  live: LiveView = () => null,
): string {
  const { assessment } = experiment;
  const rows: Row[] = [
    ...valueRows(assessment, site),
    ...(site.field === "steps" ? liveRows(live(experiment)) : []),
    ...axisRows(assessment, site),
    ...synthesisRows(assessment, axisOf(site.field)),
    ...(site.field === "groupSize" ? signalRows(model, assessment, live(experiment)) : []),
    ...(site.field === "evaluationSamples" ? evaluationRows(assessment) : []),
    ...successRows(assessment),
    ...costRows(assessment),
    ...fitRows(model, assessment, axisOf(site.field)),
  ];
  const parts = [
    `**${escape(site.path)}** — ${escape(site.unit)}`,
    // Above what a small window cuts off.
    links(model, experiment),
    site.help,
    ...(experiment.stale ? ["*Last good values: the document has a syntax error.*"] : []),
    table(["", assessment.budget.name === "" ? "" : escape(assessment.budget.name)], rows),
    ...assessment.notes.map((note) => `*${escape(note.message)}*`),
    ...(site.editable || !site.whyNot ? [] : [`*Not edited in place: ${escape(site.whyNot)}*`]),
  ];
  return parts.join("\n\n");
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
  const rows: Row[] = fact ? [["Now", factText(fact)]] : [];
  const axis = axisOf(site.field);
  const level = axis && !isLevel(site.field) ? factOf(budget, axis as BudgetField) : undefined;
  if (axis && level) rows.push([axisLabel(axis), factText(level)]);
  return rows;
}

function axisRows(assessment: ExperimentAssessment, site: FieldSite): Row[] {
  const axis = axisOf(site.field);
  const { allocation, prediction } = assessment;
  const rows: Row[] = [];
  if (axis === null) return rows;
  if (isAllocated(allocation)) {
    const edit = editOf(assessment, site);
    const to = recommendation(allocation)[axis];
    const { result, alone } = allocation;
    const proposed = proposalOf(assessment) !== null;
    const from = result.current.levels[axis];
    if (edit && !isLevel(site.field)) rows.push([alone ? "In this file alone" : "Optimum", code(edit.to)]);
    if (!proposed && assessment.verdict.kind === "no-better-split" && from !== undefined)
      rows.push(["Optimum", `${count(from)} ✓`]);
    if (proposed && to !== undefined && from !== undefined) {
      const same = Math.abs(to - from) <= 1e-3 * Math.abs(from);
      const of = edit && !isLevel(site.field) ? `, ${axis}` : "";
      rows.push([`Optimum${of}`, same ? `${count(to)} ✓` : count(to)]);
      const here = alone?.change.second.levels[axis];
      if (here !== undefined && count(here) !== count(to)) rows.push([`In this file alone${of}`, count(here)]);
    }
    const pinned = result.pinned.find((pin) => pin.axis === axis);
    if (pinned) rows.push(["Pinned", escape(withoutRefusal(pinned.reason, assessment, axis))]);
    const corner = result.corners.find((at) => at.axis === axis);
    if (corner && proposed) rows.push(["At its bound", `${corner.bound}, ${count(corner.value)}`]);
    const worth = result.values.current.find((value) => value.axis === axis);
    if (worth) {
      rows.push([
        "Doubling it",
        `${signedPoints(worth.doubling.estimate)} points ${pointsInterval(worth.doubling)}`.trim(),
      ]);
      rows.push([
        "Marginal value",
        worth.pointsPerPercent === null
          ? "free: more of it costs nothing"
          : `${decimal(worth.pointsPerPercent, 2)} points for 1 % of the spend put here`,
      ]);
      rows.push([
        "Elasticity",
        `${decimal(worth.elasticity, 3)} (1 % more removes ${decimal(worth.elasticity, 3)} % of the error)`,
      ]);
    }
    const now = spendShare(result.current.parts, axis);
    const best = proposed ? spendShare(recommendedSplit(result).parts, axis) : undefined;
    if (now !== undefined)
      rows.push([
        "Share of spend",
        `${decimal(100 * now, 1)} %${best === undefined ? "" : `, ${decimal(100 * best, 1)} % at the optimum`}`,
      ]);
  }
  if (isPredicted(prediction)) {
    const outside = prediction.extrapolation[axis];
    if (outside !== undefined)
      rows.push(["Fitted range", outside <= 1 ? "inside" : `${factor(outside)}× outside: extrapolated`]);
    const held = prediction.held.find((at) => at.axis === axis);
    if (held) rows.push(["Held at", `${count(held.level)} in predictions`]);
  }
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

/** What an evaluation of this size can tell, at the success that is expected. */
function evaluationRows({ budget, prediction }: ExperimentAssessment): Row[] {
  const samples = factOf(budget, "evaluationSamples");
  if (!samples || !isKnown(samples) || !(Number(samples.value) >= 1)) return [];
  const baseline = isPredicted(prediction) ? Math.min(0.98, Math.max(0.02, prediction.successRate.estimate)) : 0.5;
  const { unpaired, paired } = resolution(Number(samples.value), baseline);
  const points = (rate: number) => `${decimal(100 * rate, 1)} points`;
  const two = powerOf({ difference: 0.02, baseline });
  return [
    [
      "Tells apart",
      `${points(paired)} between runs on the same tasks, ${points(unpaired)} on other tasks (80 % power, 5 %)`,
    ],
    ...(two.ok
      ? [
          [
            "For 2 points",
            `${count(two.value.paired)} tasks on the same ones, ${count(two.value.unpaired)} on others`,
          ] as Row,
        ]
      : []),
  ];
}

function signalRows(model: DocumentModel, assessment: ExperimentAssessment, run: RunForecast | null): Row[] {
  const dead = run?.deadGroups ?? null;
  const logged = dead === null ? [] : loggedRows(dead);
  return [...logged, ...expectedSignal(model, assessment)];
}

/** Groups without gradient as the run that is on logs them, and what dynamic sampling costs then. */
function loggedRows(dead: number): Row[] {
  const factor = generationFactor(dead);
  return [
    ["Groups without signal, logged", `${decimal(100 * dead, 0)} % over the last tenth of the run that is on`],
    [
      "Dynamic sampling",
      factor === null ? "no group has a gradient" : `${decimal(factor, 2)}× the rollouts, to fill each batch`,
    ],
  ];
}

function expectedSignal(model: DocumentModel, assessment: ExperimentAssessment): Row[] {
  const group = assessment.budget.groupSize;
  if (!isKnown(group)) return [];
  const histogram = model.passRates;
  const mean = isPredicted(assessment.prediction) ? assessment.prediction.successRate.estimate : null;
  const rates = histogram && histogram.length > 0 ? histogram : mean === null ? null : [mean];
  if (rates === null) return [["Groups without signal", "unknown: no rollouts with pass rates per task, and no fit"]];
  const signal = groupSignal(rates, group.value, rates === histogram);
  if (!signal) return [];
  const atLeast = signal.exact ? "" : "at least ";
  const share = `${atLeast}${decimal(100 * signal.wasted, 1)} %`;
  const factor = generationFactor(signal.wasted);
  return [
    [
      "Groups without signal",
      `${share} (${signal.exact ? "from the rollouts' pass rates" : "from the predicted mean pass rate alone; tasks differ, so more"})`,
    ],
    ["Rollouts wasted", share],
    [
      "With dynamic sampling",
      factor === null ? "no batch fills" : `${atLeast}${decimal(factor, 2)}× the rollouts, to fill each batch`,
    ],
    [
      "Halves at",
      signal.halvedAt === null
        ? "no group size: these tasks always or never succeed"
        : `group size ${count(signal.halvedAt)}`,
    ],
  ];
}

function successRows(assessment: ExperimentAssessment): Row[] {
  const { prediction, allocation, relative } = assessment;
  const rows: Row[] = [];
  if (isPredicted(prediction)) {
    rows.push(["Success", `${percentWithInterval(prediction.successRate)} ${percentInterval(prediction.successRate)}`]);
    if (isAllocated(allocation)) {
      rows.push(["At the same cost", escape(verdictLine(assessment))]);
    } else rows.push(["Optimum", `unknown: ${escape(allocation.reason)}`]);
  } else {
    rows.push(["Success", `unknown: ${escape(prediction.reason)}`]);
    if (isAllocated(allocation)) rows.push(["At the same cost", escape(verdictLine(assessment))]);
  }
  for (const { axis, points } of relative?.doublings ?? [])
    rows.push([
      `2× ${axis === "trajectories" ? "rollouts" : escape(axis)}`,
      `${signedPoints(points.estimate)} points ${pointsInterval(points)}`,
    ]);
  return rows;
}

function fitRows(model: DocumentModel, { law: inForce }: ExperimentAssessment, axis: AxisName | null): Row[] {
  const { fit } = model;
  if (fit.kind !== "ready" || !inForce)
    return [["Scaling fit", `none: ${escape(fit.kind === "ready" ? "no law holds" : fit.reason)}`]];
  const { name, runs, simulated, prior } = fit.fit;
  const setting = inForce.setting === "" ? "" : `, ${escape(inForce.setting)}${inForce.own ? "" : " (stands in)"}`;
  const rows: Row[] = [
    [
      "Fit",
      `${escape(inForce.law.law)} law, ${count(runs)} runs, ${escape(name)}${setting}${simulated ? " — simulated runs" : ""}${prior ? " — prior" : ""}`,
    ],
  ];
  const exponent = axis === null ? undefined : inForce.exponents[axis];
  if (exponent) {
    const value =
      exponent.status === "refused" || exponent.estimate === null
        ? `refused: ${escape(exponent.reason ?? "")}`
        : `${decimal(exponent.estimate, 3)} [${decimal(exponent.low ?? NaN, 3)}, ${decimal(exponent.high ?? NaN, 3)}], ${exponent.status}`;
    const share = exponent.shares
      ? `; ${decimal(100 * exponent.shares.data, 0)} % data, ${decimal(100 * exponent.shares.prior, 0)} % prior`
      : "";
    rows.push(["Exponent", `${value}${share}`]);
  }
  return rows;
}
