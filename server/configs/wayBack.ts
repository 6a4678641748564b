import type { BudgetTarget, EditPlan, ExperimentBudget, PlannedEdit } from "../budget/budget";
import { applyFacts } from "./scaling/facts";
import {
  configAfter,
  durationUnit as frameworkDurationUnit,
  planEdits as planFrameworkEdits,
  readExperiment,
} from "../frameworks/reading/read";
import { mergeEdits } from "./shared";
import { readNativeAgain } from "./native/budget";
import { nativeDurationUnit, planNativeEdits } from "./native/edits";
import type { ConfigDocument } from "./document";

/**
 * What an optimum changes in a config. Splicing the edits changes nothing else. `tasksByHand`: what is left to change once a
 * person has brought the tasks to the target.
 */
export function planEdits(
  document: ConfigDocument,
  experimentIndex: number,
  target: BudgetTarget,
  tasksByHand = false,
): EditPlan {
  const { edits, remainder } = planned(document, experimentIndex, target, tasksByHand);
  // What stands there already is no edit, unless it takes back one that was made.
  const changes = ({ from, to, span }: PlannedEdit) =>
    from !== to || document.made?.some((one) => one.span.start === span.start) === true;
  return { edits: edits.filter(changes), remainder };
}

function planned(document: ConfigDocument, experimentIndex: number, target: BudgetTarget, byHand: boolean): EditPlan {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined) return { edits: [], remainder: [] };
  const origin = document.origins[experimentIndex];
  if (origin === undefined) return planNativeEdits(document.text, document.syntax, experiment, target);
  return planFrameworkEdits(
    origin.framework,
    configAfter(origin.config, document.made ?? []),
    experiment,
    target,
    byHand ? { rows: Infinity, tasksByHand: true } : origin.data === undefined ? {} : { rows: origin.data.rows },
  );
}

/**
 * A document as it would be read once edits of one experiment are made: a value may be rounded to what the file can hold, and
 * others follow from it. Its text is still the old one, so that further edits splice the same places. Null where there is no such
 * experiment any more.
 */
export function documentAfter(
  document: ConfigDocument,
  experimentIndex: number,
  edits: readonly PlannedEdit[],
): ConfigDocument | null {
  const made = mergeEdits(document.made ?? [], edits);
  const again = budgetAfter(document, experimentIndex, made);
  return (
    again && {
      ...document,
      made,
      experiments: document.experiments.map((one, index) => (index === experimentIndex ? again : one)),
    }
  );
}

function budgetAfter(
  document: ConfigDocument,
  experimentIndex: number,
  edits: readonly PlannedEdit[],
): ExperimentBudget | null {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined || edits.length === 0) return experiment ?? null;
  const origin = document.origins[experimentIndex];
  if (origin === undefined) {
    const again = readNativeAgain(document.syntax, experiment.anchor, (node) => {
      const edit = edits.find(({ span }) => span.start >= node.span.start && span.end <= node.span.end);
      return edit === undefined
        ? node
        : {
            ...node,
            text: edit.to,
            value: typeof node.value === "number" && Number.isFinite(Number(edit.to)) ? Number(edit.to) : edit.to,
          };
    });
    return again && document.facts ? applyFacts(again, document.facts, true) : again;
  }
  const { experiment: again } = readExperiment(origin.framework, configAfter(origin.config, edits), {
    name: experiment.name,
    ...(origin.data && { data: origin.data }),
  });
  return document.facts ? applyFacts(again, document.facts) : again;
}

/** What the value counts that moves with the rollouts per task: a duration in epochs takes whole passes only. */
export type DurationUnit = "steps" | "epochs" | "prompts" | "rollouts";

/** Null where no duration stands in the file, or the rollouts per task are stated themselves. */
export function durationUnit(document: ConfigDocument, experimentIndex: number): DurationUnit | null {
  const experiment = document.experiments[experimentIndex];
  if (experiment === undefined) return null;
  const origin = document.origins[experimentIndex];
  return origin === undefined
    ? nativeDurationUnit(experiment)
    : frameworkDurationUnit(origin.framework, origin.config, experiment);
}
