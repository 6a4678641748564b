import type { ConfigDocument } from "../../configs/document";
import { documentAfter, planEdits } from "../../configs/wayBack";
import { mergeEdits } from "../../configs/shared";
import type { PlannedEdit } from "../../budget/budget";
import type { Allocation, AllocationProblem, Split } from "../../core/allocation";
import type { AxisName } from "../../core/axes";
import { levelsOf } from "../costs";
import { measuredEdit } from "./measured";
import { recommendedSplit, targetOf } from "./target";
import type { AllocationView, Alone } from "../types";
import { comparison, mixesAfter, solver, Writer, type Once, type Plan } from "./writer";

/** Presses that are thought ahead, so that the next one finds nothing. */
const MOST_PRESSES = 4;

/** What is written of an optimum into one file. */
export type WrittenPlan = Pick<AllocationView, "edits" | "remainder" | "alone">;

/**
 * Edits that stand by themselves. Where the file holds the whole best split, they make it. Where it does not, half of an optimum
 * would be out of balance, so the axes that the file cannot move are held where they stand and the rest is solved again; what
 * the whole best split asks for elsewhere is the remainder. Either way the budget is kept once the file has rounded to what it can
 * say, the success does not fall, and a second press changes nothing.
 */
export function writtenPlan(
  document: ConfigDocument,
  index: number,
  problem: AllocationProblem,
  result: Allocation,
  once: Once = (_key, work) => work(),
): WrittenPlan {
  const writer = new Writer(document, index, problem, result, result.recommended === "robust", once);
  const whole = writer.plan(targetOf(result));
  const first = writer.withinFile(whole);
  const split = pressedAgain(document, index, problem, result, first.edits, once);
  const measuredAt = (then: Split): ReturnType<typeof measuredEdit> =>
    measuredEdit(document.text, document.experiments[index], problem.cost, result.current, then);
  const measured = split.then && split.edits.length > 0 ? measuredAt(split.then) : {};
  const edits = measured.rest ? [] : mergeEdits(split.edits, measured.edit ? [measured.edit] : []);
  const remainder = [...whole.remainder, ...(measured.rest ? [measured.rest] : [])];
  if (remainder.length === 0) return { edits, remainder, alone: null };
  const together = editsBeside(document, index, result, whole);
  const noted = together.length > 0 ? measuredAt(recommendedSplit(result)).edit : undefined;
  return {
    edits,
    remainder,
    alone: aloneFrom(document, index, problem, edits, first.held, mergeEdits(together, noted ? [noted] : []), once),
  };
}

/** The file's part of the whole best split: where the tasks are changed by hand, the duration is that of the new tasks. */
function editsBeside(document: ConfigDocument, index: number, result: Allocation, whole: Plan): readonly PlannedEdit[] {
  const byHand = whole.remainder.some(({ axis }) => axis === "tasks") && Object.keys(whole.stops).length === 0;
  return byHand ? planEdits(document, index, targetOf(result), true).edits : whole.edits;
}

/** What the file rounds may leave room for more: that is taken now. */
function pressedAgain(
  document: ConfigDocument,
  index: number,
  problem: AllocationProblem,
  result: Allocation,
  first: readonly PlannedEdit[],
  once: Once,
): { readonly edits: readonly PlannedEdit[]; readonly then: Split | null } {
  const robust = result.recommended === "robust";
  let edits = first;
  let then: Split | null = null;
  for (let press = 1; press <= MOST_PRESSES && edits.length > 0; press++) {
    const pressed = documentAfter(document, index, edits);
    if (!pressed) return { edits: [], then: null };
    const budget = pressed.experiments[index];
    const next: AllocationProblem = {
      ...problem,
      // Twice the present cost is twice what it was, not twice what the last press came to.
      ...(problem.mode?.kind === "scale" && { mode: { kind: "budget", amount: result.budget } }),
      current: levelsOf(budget),
      ...(problem.mixes && { mixes: mixesAfter(problem.mixes, budget) }),
    };
    const solved = solver(once)(next, robust);
    if (!solved.ok) break;
    then = solved.value.current;
    if (press === MOST_PRESSES) break;
    const again = new Writer(pressed, index, next, solved.value, robust, once);
    const more = again.withinFile(again.plan(targetOf(solved.value))).edits;
    const merged = mergeEdits(edits, more);
    const after = more.length === 0 ? null : documentAfter(document, index, merged);
    if (!after || !again.keepsPins(after.experiments[index], result)) break;
    edits = merged;
  }
  return { edits: edits.filter(({ from, to }) => from !== to), then };
}

function aloneFrom(
  document: ConfigDocument,
  index: number,
  problem: AllocationProblem,
  edits: readonly PlannedEdit[],
  held: readonly AxisName[],
  together: readonly PlannedEdit[],
  once: Once,
): Alone | null {
  const after = documentAfter(document, index, edits)?.experiments[index];
  const change = after && comparison(problem, after, once);
  if (!change) return null;
  const { first, second } = change;
  const stays = (axis: AxisName) => Math.abs((second.levels[axis] ?? NaN) / (first.levels[axis] ?? NaN) - 1) < 1e-6;
  return { change, held: held.filter(stays), together };
}
