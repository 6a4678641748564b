import { isObject, type Json, type JsonObject } from "../../records/json";
import { type Interest, RunMetrics } from "../../runs/series";

/** The numbers of a run, as JSON. */
export function storedRun(run: RunMetrics): JsonObject {
  return {
    series: Object.fromEntries(
      [...run.series].map(([name, { steps, values, lines }]) => [name, [steps, values, lines]]),
    ),
    names: [...run.names],
    ranges: Object.fromEntries([...run.ranges].map(([name, range]) => [name, [...range]])),
    facts: run.facts,
    config: run.config ?? null,
    name: run.name ?? null,
    nonFinite: run.nonFinite,
    firstNonFinite: run.firstNonFinite ? { ...run.firstNonFinite } : null,
    reached: [run.firstStep, run.lastStep, run.gap, run.plannedSteps, run.lastTime].map((each) => each ?? null),
    countedBy: run.countedBy ?? null,
    ending: run.ending ? { ...run.ending } : null,
  };
}

/** Undefined for anything that is not exactly what `storedRun` writes. */
export function restoredRun(entry: unknown, wants: (key: string) => Interest): RunMetrics | undefined {
  if (!isObject(entry) || !isObject(entry.series) || !isObject(entry.facts) || !Array.isArray(entry.names))
    return undefined;
  const run = new RunMetrics(wants);
  for (const [name, lists] of Object.entries(entry.series)) {
    if (!Array.isArray(lists) || lists.length !== 3 || !lists.every(isNumbers)) return undefined;
    const [steps, values, lines] = lists;
    if (steps.length !== values.length || lines.length !== values.length) return undefined;
    run.series.set(name, { steps, values, lines });
  }
  if (!isObject(entry.ranges)) return undefined;
  for (const [name, range] of Object.entries(entry.ranges)) {
    if (!Array.isArray(range) || range.length !== 2 || !isNumbers(range)) return undefined;
    run.ranges.set(name, [range[0], range[1]]);
  }
  for (const name of entry.names) {
    if (typeof name !== "string") return undefined;
    run.names.add(name);
  }
  for (const [key, value] of Object.entries(entry.facts)) {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    run.facts[key] = value;
  }
  if (entry.config !== null && !isObject(entry.config)) return undefined;
  run.config = entry.config ?? undefined;
  if (entry.name !== null && typeof entry.name !== "string") return undefined;
  run.name = entry.name ?? undefined;
  if (typeof entry.nonFinite !== "number") return undefined;
  run.nonFinite = entry.nonFinite;
  const first = entry.firstNonFinite;
  if (isObject(first) && typeof first.key === "string" && typeof first.line === "number")
    run.firstNonFinite = { key: first.key, line: first.line };
  else if (first !== null) return undefined;
  const { reached, ending, countedBy } = entry;
  if (countedBy !== null && typeof countedBy !== "string") return undefined;
  run.countedBy = countedBy ?? undefined;
  if (!Array.isArray(reached) || reached.length !== 5) return undefined;
  const [firstStep, lastStep, gap, plannedSteps, lastTime] = reached.map((each) =>
    typeof each === "number" ? each : undefined,
  );
  Object.assign(run, { firstStep, lastStep, gap, plannedSteps, lastTime });
  if (isObject(ending)) {
    const { kind, text, line } = ending;
    if (
      (kind !== "finished" && kind !== "crashed" && kind !== "stopped" && kind !== "open") ||
      typeof text !== "string" ||
      typeof line !== "number"
    )
      return undefined;
    run.ending = { kind, text, line };
  } else if (ending !== null) return undefined;
  return run;
}

function isNumbers(value: Json): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isFinite(item));
}
