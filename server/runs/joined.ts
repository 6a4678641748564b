import { type Interest, RunMetrics } from "./series";

/** What several writers, or several files in the order of the run, hold of one run. */
export function inOneRun(runs: readonly RunMetrics[], wants: (key: string) => Interest, byLine = true): RunMetrics {
  const whole = new RunMetrics(wants);
  const points: { key: string; step: number; value: number; line: number }[] = [];
  for (const run of runs)
    for (const [key, { steps, values, lines }] of run.series)
      for (const [i, step] of steps.entries()) points.push({ key, step, value: values[i], line: lines[i] });
  if (byLine) points.sort((a, b) => a.line - b.line);
  for (const { key, step, value, line } of points) whole.add(key, step, value, line);
  for (const run of runs) {
    for (const name of run.names) whole.names.add(name);
    for (const [key, [low, high]] of run.ranges) {
      whole.range(key, low);
      whole.range(key, high);
    }
    for (const [key, value] of Object.entries(run.facts)) whole.facts[key] ??= value;
    whole.nonFinite += run.nonFinite;
    whole.firstNonFinite ??= run.firstNonFinite;
    whole.config ??= run.config;
    whole.name ??= run.name;
    whole.told(run);
    if (!byLine) whole.ending = run.ending;
  }
  return whole;
}
