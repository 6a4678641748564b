import { isPredicted, type ExperimentAssessment } from "../assessment/types";
import { isKnown } from "../budget/budget";
import { powerOf, resolution } from "../core/forecast/power";
import type { RunForecast } from "../core/forecast/runs";
import type { Row } from "../report/facts";
import { count, decimal } from "../report/numbers";
import { generationFactor, groupSignal } from "../report/signal";
import { factOf } from "./fields";
import type { DocumentModel } from "./model";

/** What an evaluation of this size can tell, at the success that is expected. */
export function evaluationRows({ budget, prediction }: ExperimentAssessment): Row[] {
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

/** Groups that teach nothing at this group size, from the run that is on or the pass rates at hand. */
export function signalRows(model: DocumentModel, assessment: ExperimentAssessment, run: RunForecast | null): Row[] {
  const dead = run?.deadGroups ?? null;
  const logged = dead === null ? [] : loggedRows(dead);
  return [...logged, ...expectedSignal(model, assessment)];
}

/** Groups without gradient as the run that is on logs them, and what dynamic sampling costs then. */
function loggedRows(dead: number): Row[] {
  return [
    [
      "Groups without signal, logged",
      `${decimal(100 * dead, 0)} % over the last tenth of the run that is on; ${sampling(dead, "")}`,
    ],
  ];
}

function sampling(wasted: number, atLeast: string): string {
  const factor = generationFactor(wasted);
  return factor === null
    ? "no batch fills with dynamic sampling"
    : `dynamic sampling takes ${atLeast}${decimal(factor, 2)}× the rollouts`;
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
  const from = signal.exact ? "from the rollouts' pass rates" : "from the mean alone; tasks differ, so more";
  return [
    [
      "Groups without signal",
      `${atLeast}${decimal(100 * signal.wasted, 1)} %, and as many rollouts wasted (${from}); ${sampling(signal.wasted, atLeast)}`,
    ],
    [
      "Halves at",
      signal.halvedAt === null
        ? "no group size: these tasks always or never succeed"
        : `group size ${count(signal.halvedAt)}`,
    ],
  ];
}
