import type { ExperimentAssessment } from "../assessment/types";
import { COST_PARTS, type CostPartName } from "../core/cost";
import type { Estimate } from "../core/estimate";
import { count, decimal } from "./numbers";
import { escape, table } from "./print/markdown";

const PARTS: Readonly<Record<CostPartName, string>> = {
  generation: "generation",
  passes: "log-probability passes",
  update: "update",
  evaluation: "evaluation",
  environment: "environment",
  other: "start and the rest",
};
const BAR = 16;
const ASSUMPTIONS = 3;

/** `24 [10–60]`, an 80 % interval. */
function between({ estimate, low, high }: Estimate): string {
  return `${count(estimate)} [${count(low)}–${count(high)}]`;
}

/** Markdown: where the hours go, as bars, and which assumptions make the interval. "" where nothing is known. */
export function costSection({ cost: view }: ExperimentAssessment): string {
  const unread = view.notRead.length > 0 ? `Not counted or not read: ${view.notRead.map(escape).join("; ")}.` : "";
  if (view.kind !== "run") return [`Time: ${escape(view.reason)}.`, unread].filter((line) => line !== "").join("\n\n");
  const { cost } = view;
  const stated = view.shape.utilisation.generation !== null || view.shape.utilisation.training !== null;
  const modelled = stated ? "modelled by the stated utilisation" : "modelled on published runs";
  const basis = cost.basis === "measured" ? "measured" : modelled;
  const from = cost.measuredFrom ? ` (${escape(cost.measuredFrom)})` : "";
  const figures = [
    `${between(cost.secondsPerStep)} seconds per step`,
    ...(cost.gpuHours ? [`${between(cost.gpuHours)} GPU-hours`] : []),
    ...(cost.usd ? [`${between(cost.usd)} USD`] : []),
    ...(cost.wallClockHours ? [`${between(cost.wallClockHours)} hours on the wall`] : []),
  ];
  const said = `${figures.join(", ")} (80 % intervals), ${basis}${from}.${cost.missing ? ` No hours: ${escape(cost.missing)}.` : ""}`;
  const { parts, gpuHours } = cost;
  const bars =
    parts === null || gpuHours === null
      ? ""
      : `Where the hours go:\n\n${table(
          ["part", "GPU-hours", "share", ""],
          COST_PARTS.filter((part) => parts[part] > 0)
            .sort((a, b) => parts[b] - parts[a])
            .map((part) => {
              const share = parts[part] / gpuHours.estimate;
              return [
                PARTS[part],
                count(parts[part]),
                `${decimal(100 * share, 0)} %`,
                "█".repeat(Math.round(BAR * share)),
              ];
            }),
        )}`;
  const worth = cost.assumptions
    .slice(0, ASSUMPTIONS)
    .map(
      ({ name, text, share }) => `- ${escape(name)} (${escape(text)}): ${decimal(100 * share, 0)} % of the interval`,
    );
  return [
    said,
    bars,
    worth.length > 0 ? `What the interval rests on:\n\n${worth.join("\n")}` : "",
    view.assumedBatch ? "The number of steps follows from the rollouts and an assumed batch." : "",
    unread,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
