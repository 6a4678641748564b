import { isKnownAxis, unmatchedReason } from "../core/axes";
import type { FitFile } from "../core/fit";
import { chance } from "../core/numbers";
import { count, decimal, plural } from "./numbers";
import { lawForm } from "./laws";
import { axisTitle, code, escape, table } from "./print/markdown";

/** What stands in one cell stays on one line. */
const whole = (text: string): string => text.replace(/ /g, "\u00a0");

/** Why a cell holds no number. */
const none = (reason: string | undefined): string => `— (${escape(reason ?? "too few runs")})`;

/** In a few words; the whole reason stands below the table. */
function refusal(fit: FitFile, axis: string): string {
  const one = fit.refused.find((stuck) => stuck.axis === axis);
  switch (one?.code) {
    case "one-level":
      return none("1 level, needs 2");
    case "co-scaled":
      return none(`moves with ${(one.with ?? []).join(" and ")}`);
    case "unbounded":
      return none("the runs do not tell it");
    default:
      return "—";
  }
}

/** Axes that no config can be set beside. */
function unmatched(fit: FitFile): string {
  const axes = fit.response === "loss" ? [] : fit.axes.filter((axis) => !isKnownAxis(axis));
  return axes.length === 0
    ? ""
    : `Configs show no success rate and no best split by this fit: ${axes.map((axis) => `it depends on ${escape(axis)}, and ${unmatchedReason(axis)}`).join("; ")}.`;
}

/** A fit as a readable document: law, exponents, selection, warnings. */
export function fitReport(fit: FitFile, name: string): string {
  const number = (value: number | null) => (value === null ? "—" : decimal(value, 3));
  const exponents = Object.entries(fit.exponents).map(([axis, one]) => [
    axisTitle(axis),
    one.estimate === null
      ? refusal(fit, axis)
      : whole(`${number(one.estimate)} [${number(one.low)}, ${number(one.high)}]`),
    whole(one.shares ? `${one.status}, ${decimal(100 * one.shares.data, 0)} % data` : one.status),
    one.noEffect === undefined ? "—" : whole(chance(one.noEffect)),
  ]);
  const refused = Object.entries(fit.exponents)
    .filter(([, one]) => one.reason)
    .map(([axis, one]) => `- ${axisTitle(axis)}: ${escape(one.reason ?? "")}`);
  const selection = fit.selection
    .slice(0, 12)
    .map((one) => [
      escape(one.law) + (one.variant ? ` (${escape(one.variant)})` : ""),
      one.weight === undefined ? "—" : whole(chance(one.weight)),
      String(one.parameters),
      one.aicc === null ? none(one.aiccReason) : decimal(one.aicc, 1),
      one.heldOutRmse === null
        ? none(one.heldOutReason)
        : fit.response === "success"
          ? whole(`${decimal(100 * one.heldOutRmse, 1)} points`)
          : decimal(one.heldOutRmse, 4),
    ]);
  const order =
    fit.ordering.probability === null
      ? ""
      : `P(${fit.ordering.axes.map(escape).join(" > ")}) = ${chance(fit.ordering.probability)} (${fit.ordering.at ? "success gained per doubling, at the middle of the runs" : "order of the exponents"}, over the draws).`;
  const form = lawForm(fit.law);
  return `${[
    `# Fit of ${escape(name)}`,
    fit.simulated ? "> Some of these runs are **simulated**." : "",
    `The **${escape(fit.law)}** law${fit.variant ? ` (${escape(fit.variant)})` : ""}${form ? `, ${code(form)},` : ""} from ${plural(fit.rows, "run")} in ${count(fit.settings.length)} ${fit.settings.length === 1 ? "setting" : "settings"}; ${count(fit.draws.count)} ${fit.draws.kind === "posterior" ? "posterior draws" : "bootstrap refits"}; dispersion φ = ${decimal(fit.dispersion, 2)}; ${decimal(100 * fit.starts.withinOnePercent, 0)} % of ${fit.starts.count} starts within 1 % of the best.`,
    table(["axis", "exponent α", "status", "P(no effect)"], exponents),
    refused.join("\n"),
    fit.floor.estimate === null
      ? `The floor is not known: ${escape(fit.floor.reason ?? "")}`
      : `Floor E = ${number(fit.floor.estimate)} [${number(fit.floor.low)}, ${number(fit.floor.high)}].`,
    order,
    unmatched(fit),
    selection.length > 1
      ? `## Selection\n\n${table(["law", "weight", "parameters", fit.dispersion > 1 ? "QAICc" : "AICc", "held-out error"], selection)}`
      : "",
    fit.warnings.length > 0
      ? `## Warnings\n\n${fit.warnings.map((warning) => `- ${code(warning.code)}: ${escape(warning.message)}`).join("\n")}`
      : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
