import { verdictLine } from "../report/headline";
import { whatIf } from "../report/whatIf";
import type { Shown } from "../configs/cells/schema";
import type { Span } from "../syntax/text";
import type { Mode } from "../core/allocation";
import { frontier, growth, pathInputs, split, splitInput, type FigureAction } from "../report/figures";
import { count, interval, percent, plural, times } from "../core/numbers";
import type { FitFile } from "../core/fit";
import { computeMode } from "../operations/amount";
import { aloneSentence } from "../assessment/partial";
import { proposalOf } from "../assessment/verdict";
import { isAllocated, isPredicted, type ExperimentAssessment } from "../assessment/types";
import { allocated, chosen, judged } from "./experiments";
import { markdownTable, plain } from "../report/print/cells";
import { QueryFailure, type CellFit, type CommandInput, type Part, type QueryContext } from "./types";

const STANDARD: readonly Shown[] = ["split", "frontier", "growth"];
export const ALLOCATION_SHOWN = new Set<Shown>(STANDARD);

/** How an experiment's budget is split, and how it would be split best. */
export async function allocateCommand(input: CommandInput, place: Span | undefined): Promise<Part[]> {
  const { query, context } = input;
  if (!query.allocate) return [];
  const { budget, experiment, compute, sameSuccess, pin } = query.allocate;
  const fit = await input.fit();
  const mode = modeOf(compute, sameSuccess, place);
  context.onProgress({ label: "Solving", share: 0 });
  const found = chosen(
    (await judged(budget, fit, context, { ...(mode ? { mode } : {}), pins: pin }, place)).experiments,
    experiment,
    budget,
    place,
  );
  const view = allocated(found, place);
  const words = {
    experiment: found.budget.name,
    simulated: fit.fit.simulated,
    prior: fit.fit.prior,
    worth: verdictLine(found),
  };
  const options = input.figureOptions(fit);
  const action: FigureAction = {
    kind: "apply-optimum",
    label: "Optimise allocation",
    uri: budget,
    experiment: found.budget.name,
  };
  // The button does what the lens does: it stands only where the figure shows the same question and the same law.
  const asLens = mode === undefined && pin.length === 0 && (await isDefault(fit, context));
  const wanted = query.show?.filter((shown) => ALLOCATION_SHOWN.has(shown)) ?? STANDARD;
  const paths = wanted.some((shown) => shown !== "split") ? pathInputs(view.problem, view.result, words) : null;
  const parts: Part[] = [];
  for (const shown of wanted) {
    // A split that is not known is not drawn: it would look like advice.
    if (found.verdict.kind === "not-known" && shown !== "growth") {
      const text = `No ${shown} chart: ${verdictLine(found)}.`;
      parts.push({ kind: "table", text, markdown: plain(text) });
    } else if (shown === "split")
      parts.push({
        kind: "figure",
        payload: split(splitInput(view.problem, view.result, words), {
          ...options,
          ...(view.edits.length > 0 && asLens ? { actions: [action] } : {}),
        }),
      });
    else if (paths && shown === "frontier") {
      const payload = frontier(paths.frontier, options);
      const slider = mode === undefined && pin.length === 0 ? whatIf(found) : null;
      // The slider below the chart reads between the points of it.
      const values = slider ? { ...payload.values, whatIf: JSON.stringify(slider, digits) } : payload.values;
      parts.push({ kind: "figure", payload: { ...payload, values } });
    } else if (paths && shown === "growth") parts.push({ kind: "figure", payload: growth(paths.growth, options) });
    else
      parts.push({
        kind: "table",
        text: `No ${shown} chart: no split may move.`,
        markdown: `No ${shown} chart: no split may move.`,
      });
  }
  parts.push(splitTable(found));
  if (!asLens && mode === undefined && pin.length === 0)
    parts.push(
      note("This cell's fit is another than that of scaling.yaml, which the lens and *Optimise allocation* use."),
    );
  return parts;
}

/** Numbers of a stored figure need no more than five digits. */
function digits(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(5)) : value;
}

function note(text: string): Part {
  return { kind: "table", text: text.replace(/\*/g, ""), markdown: text };
}

/** Whether a cell's law is the one that the editor judges configs by. */
async function isDefault({ fit }: CellFit, context: QueryContext): Promise<boolean> {
  const own = await context.defaultFit();
  // Estimates are of the draws: a fit by another seed or number of draws says other numbers than the lens.
  const estimates = ({ law, rows, parameters }: FitFile) =>
    JSON.stringify([law, rows, Object.entries(parameters).map(([name, { estimate }]) => [name, estimate])]);
  return own.kind === "ready" && (own.fit.id === fit.id || estimates(own.fit.file) === estimates(fit.file));
}

function modeOf(compute: string | undefined, sameSuccess: boolean, place: Span | undefined): Mode | undefined {
  if (compute !== undefined && sameSuccess)
    throw new QueryFailure("Give `compute` or `same_success`, not both.", place);
  if (sameSuccess) return { kind: "same-success" };
  if (compute === undefined) return undefined;
  const mode = computeMode(compute);
  if (!mode.ok) throw new QueryFailure(mode.problem.message, place);
  return mode.value;
}

function splitTable(experiment: ExperimentAssessment): Part {
  const { allocation, prediction, budget } = experiment;
  if (!isAllocated(allocation)) return { kind: "table", text: allocation.reason, markdown: plain(allocation.reason) };
  const { result, edits, remainder } = allocation;
  const partly = aloneSentence(allocation);
  const proposed = proposalOf(experiment) !== null;
  const best = result.best;
  const doubling = new Map(result.values.current.map(({ axis, doubling: value }) => [axis, value]));
  const rows = Object.keys(result.current.levels)
    .filter((axis) => (result.current.levels[axis] ?? 0) > 0)
    .map((axis) => {
      const twice = doubling.get(axis);
      return [
        axis,
        count(result.current.levels[axis] ?? 0),
        ...(proposed ? [count(best.levels[axis] ?? 0)] : []),
        twice ? `+${interval(twice, 1)} points` : "",
        result.pinned.find((pin) => pin.axis === axis)?.reason ??
          result.corners
            .filter((corner) => proposed && corner.axis === axis)
            .map((corner) => `at its ${corner.bound} bound`)
            .join(""),
      ];
    });
  const now = isPredicted(prediction)
    ? `${percent(prediction.successRate.estimate)} [${percent(prediction.successRate.low)}, ${percent(prediction.successRate.high)}]`
    : "unknown";
  const gain = verdictLine(experiment);
  const text = `${budget.name}: success ${now}; ${gain}; ${count(result.current.cost)} ${result.unit} now${proposed ? `, ${count(best.cost)} ${result.unit} at the recommendation` : ""}.`;
  return {
    kind: "table",
    text,
    markdown: [
      plain(text),
      markdownTable(
        ["axis", "now", ...(proposed ? ["recommended"] : []), "2× gives", "note"],
        rows,
        proposed ? [1, 2, 3] : [1, 2],
      ),
      ...(edits.length > 0
        ? [`Edits: ${edits.map(({ path, from, to }) => plain(`${path} ${from} → ${to}`)).join("; ")}.`]
        : []),
      ...(partly === null ? [] : [plain(partly)]),
      ...remainder.map(
        ({ axis, from, to, reason }) =>
          `- By hand: ${plain(`${axis} ${from === null ? "" : `${count(from)} `}→ ${count(to)}: ${reason}`)}`,
      ),
    ].join("\n\n"),
  };
}

/** Configs side by side. */
export async function compareCommand(input: CommandInput, place: Span | undefined): Promise<Part[]> {
  const fit = await input.fit();
  const rows: string[][] = [];
  for (const path of input.query.compare ?? []) {
    for (const experiment of (await judged(path, fit, input.context, {}, place)).experiments) {
      const { budget, prediction, allocation } = experiment;
      const view = isAllocated(allocation) ? allocation.result : null;
      rows.push([
        budget.name,
        path,
        isPredicted(prediction)
          ? `${percent(prediction.successRate.estimate)} [${percent(prediction.successRate.low)}, ${percent(prediction.successRate.high)}]`
          : `unknown: ${prediction.reason}`,
        verdictLine(experiment),
        view ? times(view.computeMultiplier) : "",
        view ? `${count(view.current.cost)} ${view.unit}` : "",
        view && proposalOf(experiment)
          ? Object.entries(view.best.levels)
              .filter(([axis]) => !view.pinned.some((pin) => pin.axis === axis))
              .map(([axis, level]) => `${axis} ${count(level ?? 0)}`)
              .join(", ")
          : isAllocated(allocation)
            ? ""
            : allocation.reason,
      ]);
    }
  }
  const text = `${plural(rows.length, "experiment")} compared${fit.fit.simulated ? ", on simulated data" : ""}.`;
  return [
    {
      kind: "table",
      text,
      markdown: `${plain(text)}\n\n${markdownTable(["experiment", "file", "success (95 %)", "its split", "multiplier", "cost", "best split"], rows, [2, 3, 4, 5])}`,
    },
  ];
}
