import type { RunRow, RunTable, UnmeasuredRun } from "../table";
import { forecaster } from "./runs";

/** The levels that a run will have at its planned end: a table's row has the trajectories that were rolled out so far. */
export function plannedAxes({ axes, steps, plannedSteps, state }: RunRow | UnmeasuredRun): RunRow["axes"] {
  const isCut = state !== undefined && state !== "finished" && steps !== undefined && steps > 0;
  if (!isCut || plannedSteps === undefined || plannedSteps <= steps || axes.trajectories === undefined) return axes;
  return { ...axes, trajectories: (axes.trajectories * plannedSteps) / steps };
}

/** A forecast never counts as more tasks than this. */
const MOST_TRIALS = 1e6;

/**
 * The table with each running run by its forecast, at its planned levels. The forecast's variance enters as the number of tasks
 * that would give it, n = p(1 − p)/sd²: a wide forecast weighs as an evaluation on a handful of tasks. Runs without a forecast
 * stay as they are.
 * @returns the table, and the runs that are in it by their forecasts
 */
export function withForecasts(table: RunTable): { readonly table: RunTable; readonly included: readonly RunRow[] } {
  const included: RunRow[] = [];
  const forecast = forecaster(table.rows);
  const rows = table.rows.map((row) => {
    if (row.state !== "running") return row;
    const found = forecast(row);
    if (!found?.final || found.sd === null || found.sd <= 0) return row;
    const { estimate: rate } = found.final;
    // A curve that still climbs is no reason to doubt its own forecast.
    const { curve: _, ...rest } = row;
    const made: RunRow = {
      ...rest,
      axes: plannedAxes(row),
      steps: row.plannedSteps,
      outcome: { kind: "rate", rate, trials: trialsOf(rate, found.sd) },
      forecastSd: found.sd,
    };
    included.push(made);
    return made;
  });
  return { table: { ...table, rows }, included };
}

/** Tasks whose binomial variance at a rate is sd²; one at least. */
function trialsOf(rate: number, sd: number): number {
  return Math.min(MOST_TRIALS, Math.max(1, Math.round((rate * (1 - rate)) / sd ** 2)));
}
