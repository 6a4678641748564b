import { stop } from "./limits";
import { verdictLine } from "./headline";
import {
  isAllocated,
  isPredicted,
  type AllocationView,
  type ExperimentAssessment,
  type FitState,
} from "../assessment/types";
import { levelsOf } from "../assessment/costs";
import { isBlocked, side } from "../assessment/verdict";
import { growthOf } from "../assessment/growth";
import { recommendedSplit } from "../assessment/edits/target";
import type { Split } from "../core/allocation";
import type { PlannedEdit } from "../budget/budget";
import type { Estimate } from "../core/estimate";
import { amount, count, decimal, factor, plural, pointsInterval, signedPoints } from "./numbers";
import { axisLabel, costRows } from "./facts";
import { costSection } from "./cost";
import { growthSection, pathSection, recipeSection } from "./growth";
import { lawForm } from "./laws";
import { axisTitle, capital, code, escape, table } from "./print/markdown";
import { section, share, splitSection } from "./split";

/** The allocation of one experiment as a readable document: figures, formulas, assumptions and their sources. */
export function explanation(file: string, experiment: ExperimentAssessment, fit: FitState): string {
  const { budget } = experiment;
  const parts = [
    `# ${escape(budget.name === "" ? file : budget.name)}`,
    headline(experiment, fit),
    fit.kind === "ready" && fit.fit.simulated
      ? "> The fit rests on **simulated** runs: its figures show how the tool works and say nothing about real training."
      : "",
    fit.kind === "ready" && fit.fit.prior
      ? "> Every exponent is a **prior** [paper and inferred], calibrated by one run. No run logs of yours are behind the figures."
      : "",
    explanationDetails(experiment),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** What stands below the headline. */
export function explanationDetails(experiment: ExperimentAssessment): string {
  const { prediction, allocation, verdict } = experiment;
  // Where something forbids to speak of a best split, no section does.
  const told = isAllocated(allocation) && !isBlocked(verdict) ? allocation : null;
  const parts: (string | null)[] = [
    isAllocated(allocation) ? splitSection(experiment, allocation) : null,
    isAllocated(allocation) ? changesSection(allocation) : null,
    section("What the run costs", `${table(["", "whole run"], costRows(experiment))}\n\n${costSection(experiment)}`),
    isAllocated(allocation) && isPredicted(prediction)
      ? worthSection(allocation, told !== null)
      : relativeSection(experiment),
    synthesisSection(experiment),
    lawSection(experiment),
    isAllocated(allocation) ? assumptionsSection(allocation) : null,
    isPredicted(prediction) ? extrapolationSection(prediction.extrapolation, experiment) : null,
    told ? pathSection(told) : null,
    isAllocated(allocation) ? growthSection(growthOf(experiment, [1, 2, 4])) : null,
    recipeSection(experiment.law, told),
    experiment.notes.length > 0
      ? section("Notes", experiment.notes.map((note) => `- ${escape(note.message)}`).join("\n"))
      : null,
    told ? trustSection(told) : null,
  ];
  return parts.filter((part) => part !== null && part !== "").join("\n\n");
}

function headline(experiment: ExperimentAssessment, fit: FitState): string {
  const { prediction, allocation } = experiment;
  if (fit.kind !== "ready")
    return `No success rate and no best split can be given: ${escape(fit.reason)}. Fit your run logs, or calibrate the published recipe with one run.`;
  const expected = isPredicted(prediction)
    ? `Expected success: **${share(prediction.successRate)}** (95 % interval).`
    : `No success rate can be given: ${escape(prediction.reason)}.`;
  if (!isAllocated(allocation))
    return isPredicted(prediction) ? `${expected} No best split can be given: ${escape(allocation.reason)}.` : expected;
  const said = `${expected} **${capital(verdictLine(experiment))}**`;
  if (experiment.verdict.kind !== "better-split") return `${said}.`;
  const { regret, wastedShare } = allocation.result;
  return `${said} ${pointsInterval(regret)} at the same cost. The same success costs ${decimal(100 * wastedShare.estimate, 0)} % less at the best split.`;
}

function worthSection({ result }: AllocationView, told: boolean): string {
  const rows = result.values.current.map((value) => {
    const best = result.values.optimum.find((other) => other.axis === value.axis);
    const points = (x: number | null | undefined) =>
      x === null ? "free" : x === undefined ? "—" : `${decimal(x, 2)} points`;
    return {
      axis: axisTitle(value.axis),
      doubling: `${signedPoints(value.doubling.estimate)} points ${pointsInterval(value.doubling)}`,
      elasticity: decimal(value.elasticity, 3),
      now: points(value.pointsPerPercent),
      best: points(best?.pointsPerPercent),
    };
  });
  const sensitive = [...result.sensitivity].sort((a, b) => Math.abs(b.points) - Math.abs(a.points)).slice(0, 8);
  const sensitivity =
    sensitive.length === 0 || !told
      ? ""
      : `\n\nHow the best split moves when an assumption is 10 % higher:\n\n${table(
          ["assumption", "success at the best split", "amounts"],
          sensitive.map((one) => [
            escape(one.parameter),
            `${signedPoints(10 * one.points)} points`,
            Object.entries(one.levels)
              .filter(([, slope]) => Math.abs(slope ?? 0) >= 0.01)
              .map(([axis, slope]) => `${escape(axis)} ${signedPoints(10 * (slope ?? 0))}\u00a0%`)
              .join(", ") || "unchanged",
          ]),
        )}`;
  const worth = table(
    ["axis", "twice as much", "elasticity of the error"],
    rows.map(({ axis, doubling, elasticity }) => [axis, doubling, elasticity]),
  );
  const spent = table(
    ["axis", "now", ...(told ? ["at the best split"] : [])],
    rows.map(({ axis, now, best }) => [axis, now, ...(told ? [best] : [])]),
  );
  return section(
    "What one more is worth",
    `${worth}\n\nOne per cent of the spend, put here, gains${told ? " (at a best split inside its bounds the same for every free axis)" : ""}:\n\n${spent}${sensitivity}`,
  );
}

function relativeSection({ relative }: ExperimentAssessment): string | null {
  if (!relative) return null;
  const rows = relative.doublings.map(({ axis, points }) => [
    axisLabel(axis),
    `${signedPoints(points.estimate)} points ${pointsInterval(points)}`,
  ]);
  return section(
    "What twice as much is worth",
    `From the run's last measured success, ${decimal(100 * relative.measured, 1)} %, by ΔP = (e − E)(1 − 2^−α); absolute amounts are not needed.\n\n${table(["axis", "twice as much"], rows)}`,
  );
}

function synthesisSection({ synthesis }: ExperimentAssessment): string | null {
  const rows = Object.entries(synthesis).flatMap(([axis, plan]) =>
    plan
      ? [
          [
            axisTitle(axis),
            code(plan.method),
            Number.isFinite(plan.ratio) ? decimal(plan.ratio, 2) : "all synthetic",
            plan.critical === null ? "none" : decimal(plan.critical, 1),
            escape(plan.source),
          ],
        ]
      : [],
  );
  return rows.length === 0
    ? null
    : section("Synthetic data", table(["axis", "method", "synthetic : real", "critical ratio r*", "source"], rows));
}

function lawSection({ law }: ExperimentAssessment): string | null {
  if (!law) return null;
  const { file, name } = law.fit;
  const number = (value: number | null) => (value === null ? "—" : decimal(value, 3));
  const rows = Object.entries(law.exponents).map(([axis, exponent]) => [
    axisTitle(axis),
    exponent.estimate === null
      ? "—"
      : `${number(exponent.estimate)} [${number(exponent.low)}, ${number(exponent.high)}]`,
    exponent.shares
      ? `${exponent.status}: ${decimal(100 * exponent.shares.data, 0)} % data, ${decimal(100 * exponent.shares.prior, 0)} % prior`
      : exponent.status,
  ]);
  const reasons = Object.entries(law.exponents).flatMap(([axis, { reason }]) =>
    reason && !file.warnings.some(({ message }) => message === reason)
      ? [`- ${axisTitle(axis)}: ${escape(reason)}`]
      : [],
  );
  const form = lawForm(file.law);
  const floor =
    file.floor.estimate === null
      ? `The floor E is not known: ${escape(file.floor.reason ?? "")}`
      : `Floor E = ${number(file.floor.estimate)} [${number(file.floor.low)}, ${number(file.floor.high)}].`;
  const where =
    law.setting === "" ? "" : ` Setting: ${escape(law.setting)}${law.own ? "" : ", which stands in for this one"}.`;
  const warnings = file.warnings.map((warning) => `- ${escape(warning.message)}`).join("\n");
  return section(
    "The law",
    [
      `${escape(file.law)}${file.variant ? ` (${escape(file.variant)})` : ""}${form ? `: ${code(form)}` : ""}, fitted to ${plural(file.rows, "run")} from ${escape(name)}.${where} Intervals: ${file.draws.kind === "posterior" ? "posterior draws" : "bootstrap"}, ${count(file.draws.count)}.`,
      table(["axis", "exponent α", "from"], rows),
      floor,
      [...reasons, warnings].filter((line) => line !== "").join("\n"),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
}

function assumptionsSection({ cost }: AllocationView): string {
  const rows = cost.assumptions.map(({ name, value, unit, source }) => [
    escape(name),
    `${typeof value === "number" ? amount(value) : escape(value)} ${escape(unit)}`.trim(),
    escape(source),
  ]);
  return section(
    "What it rests on",
    `Design: ${escape(cost.design)}.\n\n${table(["assumption", "value", "source"], rows)}`,
  );
}

/** About the solver and its limits, not about the world: last. */
function trustSection({ result }: AllocationView): string {
  const { certificate, corners, rounding, notes } = result;
  const lines = [
    certificate.kind === "global"
      ? `- The optimum is global: the problem is convex in ln x; relative duality gap ${certificate.gap === null ? "not computed" : certificate.gap.toExponential(1)}.`
      : `- No split better than the recommended one was found; that there is none is not proved${certificate.reason ? `: ${escape(certificate.reason)}` : ""}.`,
    `- ${decimal(100 * certificate.agreement, 0)} % of ${certificate.starts} starts agree.`,
    ...corners.map((corner) => `- ${axisLabel(corner.axis)} ends where it may go no further: at ${stop(corner)}.`),
    ...(rounding ? [`- Whole numbers and rules cost ${decimal(rounding.cost, 2)} points.`] : []),
    ...notes.map((note) => `- ${escape(note.message)}`),
  ];
  return section("How sure it is", lines.join("\n"));
}

function changesSection({ result, edits, remainder, alone }: AllocationView): string | null {
  if (edits.length === 0 && remainder.length === 0) return null;
  const change = (edit: PlannedEdit) => `${code(edit.path)}: ${code(edit.from)} → ${code(edit.to)}`;
  const reaches = ({ predicted, cost }: Split, gain: Estimate) =>
    `${share(predicted)} success (${signedPoints(gain.estimate)} points ${pointsInterval(gain)} against now) at ${count(cost)} ${result.unit}`;
  const left = alone && alone.held.length > 0 ? `, with ${alone.held.map(escape).join(" and ")} as they are` : "";
  const parts = [
    edits.length === 0
      ? "Nothing is to be gained in this file alone."
      : edits.map((edit) => `- ${change(edit)}`).join("\n"),
    alone && edits.length > 0
      ? `This file alone comes to ${reaches(alone.change.second, alone.change.points)}${left}.`
      : "",
    remainder.length === 0
      ? ""
      : [
          `### What the whole best split needs beside\n\nIt comes to ${reaches(recommendedSplit(result), result.change)}, once all of this is done:\n`,
          ...remainder.map(
            (rest) =>
              `- By hand: ${escape(rest.axis)} ${rest.from === null ? "" : `${count(rest.from)} `}→ ${count(rest.to)}. ${escape(rest.reason)}`,
          ),
          ...(alone && alone.together.length > 0
            ? [`- Then in this file: ${alone.together.map(change).join(", ")}`]
            : []),
        ].join("\n"),
  ];
  return section("What would change in the file", parts.filter((part) => part !== "").join("\n\n"));
}

function extrapolationSection(
  extrapolation: Readonly<Record<string, number>>,
  { budget, law }: ExperimentAssessment,
): string | null {
  const levels: Readonly<Partial<Record<string, number>>> = levelsOf(budget);
  const far = Object.entries(extrapolation).filter(([, outside]) => outside >= 1.05);
  return far.length === 0
    ? null
    : section(
        "Outside the fitted range",
        far
          .map(
            ([axis, outside]) =>
              `- ${axisLabel(axis)}: ${factor(outside)}× ${side(levels[axis], law?.law.ranges[axis])} the fitted runs.`,
          )
          .join("\n"),
      );
}
