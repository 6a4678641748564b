import type { Span } from "../syntax/text";
import { joined } from "../syntax/uris";
import type { AxisName } from "../core/axes";
import type { Mode } from "../core/allocation";
import { assess } from "../assessment/assess";
import { isAllocated, type AllocationView, type Assessment, type ExperimentAssessment } from "../assessment/types";
import { QueryFailure, type CellFit, type QueryContext } from "./types";

/** A config judged by a cell's fit. Rejects with a QueryFailure where it is not there or holds no experiment. */
export async function judged(
  path: string,
  fit: CellFit,
  context: QueryContext,
  options: { mode?: Mode; pins?: readonly AxisName[] },
  place: Span | undefined,
): Promise<Assessment> {
  const uri = joined(
    context.baseUri,
    path
      .split("/")
      .map((part) => (part === "." || part === ".." ? part : encodeURIComponent(decoded(part))))
      .join("/"),
  );
  const bytes = await context.host.readFile(uri);
  if (!bytes) throw new QueryFailure(`There is no ${path} beside this notebook.`, place);
  const assessment = await assess({
    uri,
    text: new TextDecoder().decode(bytes),
    host: context.host,
    ...(context.grammars ? { grammars: context.grammars } : {}),
    scaling: context.scaling?.file ?? null,
    fit: { kind: "ready", fit: fit.fit },
    options: { ...options, ...(context.recommend ? { recommend: context.recommend } : {}) },
  });
  if (assessment.experiments.length === 0)
    throw new QueryFailure(`${path} holds no experiment that is understood.`, place);
  return assessment;
}

/** The experiment that was named, or the first. */
export function chosen(
  experiments: readonly ExperimentAssessment[],
  name: string | undefined,
  path: string,
  place: Span | undefined,
): ExperimentAssessment {
  const found = name === undefined ? experiments[0] : experiments.find(({ budget }) => budget.name === name);
  if (!found)
    throw new QueryFailure(
      `${path} has no experiment named ${name}; it has ${experiments.map(({ budget }) => budget.name).join(", ")}.`,
      place,
    );
  return found;
}

/** Its allocation, or the reason why there is none. */
export function allocated({ allocation, budget }: ExperimentAssessment, place: Span | undefined): AllocationView {
  if (isAllocated(allocation)) return allocation;
  throw new QueryFailure(`No best split for ${budget.name}: ${allocation.reason}`, place);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
