import type { FitFile } from "../../core/fit";
import { count, decimal } from "../figures";
import { axisLabel } from "../hover";
import { lawForm } from "../laws";
import { code, escape, table } from "../markdown";

/** A fit as a readable document: law, exponents, selection, warnings. */
export function fitReport(fit: FitFile, name: string): string {
  const number = (value: number | null) => (value === null ? "—" : decimal(value, 3));
  const exponents = Object.entries(fit.exponents).map(([axis, one]) => [
    axisLabel(axis), one.estimate === null ? "—" : `${number(one.estimate)} [${number(one.low)}, ${number(one.high)}]`,
    one.shares ? `${one.status}, ${decimal(100 * one.shares.data, 0)} % data` : one.status, escape(one.reason ?? ""),
  ]);
  const selection = fit.selection.slice(0, 12).map((one) => [escape(one.law) + (one.variant ? ` (${escape(one.variant)})` : ""), String(one.parameters), number(one.aicc), one.heldOutRmse === null ? "—" : decimal(one.heldOutRmse, 4)]);
  const order = fit.ordering.probability === null ? "" : `P(${fit.ordering.axes.map(escape).join(" > ")}) = ${decimal(fit.ordering.probability, 2)} (order of the exponents, over the draws).`;
  const form = lawForm(fit.law);
  return `${[
    `# Fit of ${escape(name)}`,
    fit.simulated ? "> Some of these runs are **simulated**." : "",
    `The **${escape(fit.law)}** law${fit.variant ? ` (${escape(fit.variant)})` : ""}${form ? `, ${code(form)},` : ""} from ${count(fit.rows)} runs in ${count(fit.settings.length)} ${fit.settings.length === 1 ? "setting" : "settings"}; ${count(fit.draws.count)} ${fit.draws.kind === "posterior" ? "posterior draws" : "bootstrap refits"}; dispersion φ = ${decimal(fit.dispersion, 2)}; ${decimal(100 * fit.starts.withinOnePercent, 0)} % of ${fit.starts.count} starts within 1 % of the best.`,
    table(["axis", "exponent α", "from", "remark"], exponents),
    fit.floor.estimate === null ? `The floor is not known: ${escape(fit.floor.reason ?? "")}` : `Floor E = ${number(fit.floor.estimate)} [${number(fit.floor.low)}, ${number(fit.floor.high)}].`,
    order,
    selection.length > 1 ? `## Selection\n\n${table(["law", "parameters", "QAICc", "held-out error"], selection)}` : "",
    fit.warnings.length > 0 ? `## Warnings\n\n${fit.warnings.map((warning) => `- ${code(warning.code)}: ${escape(warning.message)}`).join("\n")}` : "",
  ].filter((part) => part !== "").join("\n\n")}\n`;
}
