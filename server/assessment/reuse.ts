import type { ExperimentBudget, PlannedEdit } from "../budget/budget";
import type { ConfigDocument } from "../configs/document";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import type { Span } from "../syntax/text";
import type { AssessOptions } from "./options";
import { isAllocated, type ExperimentAssessment, type FitState } from "./types";

interface Kept {
  readonly start: number;
  readonly assessment: ExperimentAssessment;
}

const names = new WeakMap<object, number>();
let named = 0;

/** Things that are the same object have the same name. */
function nameOf(thing: object | null | undefined): number {
  if (!thing) return 0;
  const name = names.get(thing) ?? ++named;
  names.set(thing, name);
  return name;
}

/** The text of one experiment among several of a budget file, and where it begins; null where it says not all of it. */
function ownText(document: ConfigDocument, index: number): { readonly text: string; readonly start: number } | null {
  const { variants, syntax } = document.syntax;
  if (document.framework !== "native" || syntax !== "yaml" || document.made) return null;
  if (variants.length < 2 || variants.length !== document.experiments.length) return null;
  if (document.diagnostics.some(({ severity }) => severity === "error")) return null;
  const start = index === 0 ? 0 : variants[index - 1].root.span.end;
  return { text: document.text.slice(start, variants[index].root.span.end), start };
}

/** The judgement of an experiment; one whose own text and fit are what they were is moved to where it stands now. */
export function reused(
  document: ConfigDocument,
  index: number,
  budget: ExperimentBudget,
  scaling: ScalingFile | null,
  fit: FitState,
  options: AssessOptions,
  work: () => ExperimentAssessment,
): ExperimentAssessment {
  const { memo, timed, ...rest } = options;
  const own = memo ? ownText(document, index) : null;
  if (!memo || !own) return work();
  const key = JSON.stringify(["whole", document.uri, nameOf(scaling), nameOf(fit), nameOf(timed), rest, budget.name]);
  const kept = memo.get<Kept>(`${key}\n${own.text}`, () => ({ start: own.start, assessment: work() }));
  const by = own.start - kept.start;
  return by === 0 && kept.assessment.budget === budget ? kept.assessment : moved(kept.assessment, budget, by);
}

/** `budget` is read anew, and stands where it stands. */
function moved(then: ExperimentAssessment, budget: ExperimentBudget, by: number): ExperimentAssessment {
  const shift = ({ start, end }: Span): Span => ({ start: start + by, end: end + by });
  const edits = (all: readonly PlannedEdit[]) => all.map((edit) => ({ ...edit, span: shift(edit.span) }));
  const { allocation, synthesis } = then;
  return {
    ...then,
    budget,
    synthesis: Object.fromEntries(
      Object.entries(synthesis).map(([axis, view]) => [
        axis,
        view && { ...view, ...(view.span && { span: shift(view.span) }) },
      ]),
    ),
    allocation: isAllocated(allocation)
      ? {
          ...allocation,
          edits: edits(allocation.edits),
          alone: allocation.alone && { ...allocation.alone, together: edits(allocation.alone.together) },
        }
      : allocation,
  };
}
