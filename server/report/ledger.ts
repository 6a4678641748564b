import type { Calibration } from "../core/forecast/ledger";
import { plural } from "../core/numbers";
import { escape } from "./print/markdown";
import { section } from "./split";

/** A team's own calibration, in a few sentences. */
export function ledgerText({ scored, open, coverage, bias, error, costRatio, costs, simulated }: Calibration): string {
  const pct = (value: number) => `${(value * 100).toFixed(0)} %`;
  const pts = (rate: number) => (rate * 100).toFixed(1);
  const on = [
    ...(open > 0 ? [`${plural(open, "run")} still on.`] : []),
    ...(simulated > 0 ? [`${plural(simulated, "run")} simulated: they say nothing about real training.`] : []),
  ].join(" ");
  if (scored === 0 || !coverage || !bias || error === null)
    return `No predicted run has ended yet.${on === "" ? "" : ` ${on}`}`;
  const enough = scored < 20 ? ` With ${scored}, this says little yet.` : "";
  return [
    `${pct(coverage.estimate)} of your 95 % intervals held [${pct(coverage.low)} to ${pct(coverage.high)}], in ${plural(scored, "run")}.${enough}`,
    `Runs end ${pts(Math.abs(bias.estimate))} points ${bias.estimate < 0 ? "below" : "above"} the prediction on average${scored < 2 ? "" : ` [${pts(bias.low)} to ${pts(bias.high)}]`}; the mean error is ${pts(error)} points.`,
    ...(costRatio === null
      ? []
      : [`Runs take ${costRatio.toFixed(2)}× the GPU-hours predicted (median of ${plural(costs, "run")}).`]),
    ...(on === "" ? [] : [on]),
  ].join("\n");
}

/** The same as a section of Explain. */
export function ledgerSection(calibration: Calibration): string {
  const lines = ledgerText(calibration).split("\n");
  return `\n${section("What earlier predictions were worth", lines.map((line) => `- ${escape(line)}`).join("\n"))}\n`;
}
