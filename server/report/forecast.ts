import type { RunForecast } from "../core/forecast/runs";
import { count, decimal, plural } from "../core/numbers";
import type { Row } from "./facts";
import { escape } from "./print/markdown";

/** `58 % [52–63]`: an end value with its interval. */
export function endText({ estimate, low, high }: NonNullable<RunForecast["final"]>): string {
  const whole = (rate: number) => (rate * 100).toFixed(0);
  return `${whole(estimate)} % [${whole(low)}–${whole(high)}]`;
}

/** `running · step 120 of 300 · heading for 58 % [52–63], law says 61 % · 41 [36–46] GPU-hours left`: a run in one line. */
export function forecastLine(found: RunForecast): string {
  const { state, step, plannedSteps, final, law, advice } = found;
  const parts: string[] = [state];
  if (step !== null) parts.push(plannedSteps === null ? `step ${count(step)}` : `step ${step} of ${plannedSteps}`);
  if (final !== null) {
    const says = law ? `, law says ${(law.success * 100).toFixed(0)} %` : "";
    parts.push(`${ofReward(found)}${state === "finished" ? "ended at" : "heading for"} ${endText(final)}${says}`);
  } else parts.push(advice.reasons[0]?.message ?? "no forecast");
  if (state !== "finished") parts.push(...leftTexts(found).slice(0, 1));
  return parts.join(" · ");
}

/** `critic/score/mean, a training reward, `: before a figure that is no success; nothing before one that is. */
function ofReward({ measures, metric }: RunForecast): string {
  return measures === "training-reward" && metric !== null ? `${metric}, a training reward, ` : "";
}

/** `41 [36–46] GPU-hours left ≈ $103`, and the same with the interval of the money; nothing where no hours are known. */
function leftTexts({ gpuHoursLeft, gpuHoursLeftInterval, usdLeft, usdLeftInterval }: RunForecast): string[] {
  if (gpuHoursLeft === null) return [];
  const range = ({ low, high }: { readonly low: number; readonly high: number }) => `[${count(low)}–${count(high)}]`;
  const line = `${hoursText(gpuHoursLeft, gpuHoursLeftInterval)} GPU-hours left${usdLeft === null ? "" : ` ≈ $${count(usdLeft)}`}`;
  const hours = `${count(gpuHoursLeft)} GPU-hours${gpuHoursLeftInterval ? ` ${range(gpuHoursLeftInterval)}` : ""}`;
  const usd = usdLeft === null ? "" : ` ≈ $${count(usdLeft)}${usdLeftInterval ? ` ${range(usdLeftInterval)}` : ""}`;
  return [line, hours + usd];
}

/** Cells of a table of forecasts, one row a run; unknown is a dash. */
export function forecastTable(found: readonly RunForecast[], target?: number): { head: string[]; rows: string[][] } {
  const hasTarget = target !== undefined;
  const percent = (rate: number | null) => (rate === null ? "—" : `${(rate * 100).toFixed(1)} %`);
  return {
    head: [
      "run",
      "state",
      "step",
      "now",
      "end",
      "gain left",
      ...(hasTarget ? [`P(≥ ${(target * 100).toFixed(0)} %)`] : []),
      "GPU-hours left",
      "advice",
      "why",
    ],
    rows: found.map((each) => [
      each.run,
      each.state,
      each.step === null ? "—" : each.plannedSteps === null ? `${each.step}` : `${each.step} of ${each.plannedSteps}`,
      percent(each.now),
      each.final === null ? "—" : endText(each.final),
      each.gainLeft === null || each.state === "finished"
        ? "—"
        : `${decimal(each.gainLeft.estimate * 100, 1)} points [${decimal(each.gainLeft.low * 100, 0)} to ${decimal(each.gainLeft.high * 100, 0)}]`,
      ...(hasTarget ? [probability(each.pReach.target)] : []),
      each.gpuHoursLeft === null ? "—" : hoursText(each.gpuHoursLeft, each.gpuHoursLeftInterval),
      each.advice.kind,
      each.advice.reasons.map(({ message }) => message).join(" "),
    ]),
  };
}

function hoursText(hours: number, interval: RunForecast["gpuHoursLeftInterval"]): string {
  return interval && interval.high > interval.low
    ? `${count(hours)} [${count(interval.low)}–${count(interval.high)}]`
    : count(hours);
}

/** Never 0 % or 100 %: a forecast is not that sure. */
function probability(value: number | null): string {
  if (value === null) return "—";
  if (value < 0.01) return "< 1 %";
  if (value > 0.99) return "> 99 %";
  return `${(value * 100).toFixed(0)} %`;
}

/** What the intervals rest on, for below a table. */
export function calibrationText(found: readonly RunForecast[]): string {
  const own = Math.max(0, ...found.map(({ ownRuns }) => ownRuns));
  const shipped = "329 published curves";
  const simulated = found.some((each) => each.simulated) ? " Some of these runs are simulated." : "";
  return `95 % intervals, calibrated on ${own > 0 ? `${plural(own, "finished run")} of yours and ` : ""}${shipped}.${simulated}`;
}

/** What a hover says of the run that is on: where it stands, where it heads, and what the remaining steps are worth. */
export function liveRows(found: RunForecast | null): Row[] {
  if (!found) return [];
  const { run, state, stateReason, now, final, pReach, law, best, gainLeft, gainStep, advice } = found;
  const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;
  const rows: Row[] = [["Run", `${escape(run)}: ${state}${stateReason ? ` (${escape(stateReason)})` : ""}`]];
  if (found.measures === "training-reward" && found.metric !== null)
    rows.push(["Measured by", `${escape(found.metric)}, a training reward, not a success rate`]);
  if (now !== null) rows.push(["Now reached", percent(now)]);
  if (final !== null) rows.push([state === "finished" ? "Ended at" : "Heading for", endText(final)]);
  if (state === "finished") return rows;
  if (law && pReach.law !== null) rows.push(["Reaches the law", `${percent(law.success)}: ${probability(pReach.law)}`]);
  if (best !== null && pReach.best !== null)
    rows.push(["Reaches the best run", `${percent(best)}: ${probability(pReach.best)}`]);
  if (gainLeft !== null)
    rows.push([
      "Left to gain",
      `${(gainLeft.estimate * 100).toFixed(1)} points${gainStep === null ? "" : `, 95 % of it by step ${count(gainStep)}`}`,
    ]);
  const [, left] = leftTexts(found);
  if (left !== undefined) rows.push(["Left to spend", left]);
  rows.push(["Advice", `**${advice.kind}**: ${advice.reasons.map(({ message }) => escape(message)).join(" ")}`]);
  return rows;
}
