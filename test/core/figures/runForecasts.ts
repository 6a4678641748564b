/** Made-up runs in several states, with their forecasts. */
import { forecastRuns, type RunForecast } from "../../../server/core/forecast/runs";
import { random } from "../../../server/core/numerics/random";
import type { RunRow } from "../../../server/core/table";

function row(id: string, top: number, middle: number, until: number, seed: number): RunRow {
  const stream = random(seed);
  const curve = Array.from({ length: until / 5 }, (_, i) => {
    const step = 5 * (i + 1);
    const rate = 0.1 + (top - 0.1) / (1 + (step / (middle * 300)) ** -2.5) + 0.012 * stream.normal();
    return { step, rate: Math.min(1, Math.max(0, rate)) };
  });
  return {
    id,
    axes: { tasks: 500 },
    outcome: { kind: "rate", rate: curve[curve.length - 1].rate, trials: 500 },
    setting: "",
    curve,
    steps: until,
    plannedSteps: 300,
    gpuHours: until / 3,
    state: until < 300 ? "running" : "finished",
    simulated: true,
    files: [],
  };
}

export const RUN_FORECASTS: readonly RunForecast[] = forecastRuns(
  {
    rows: [
      row("grpo-7b", 0.62, 0.3, 120, 1),
      row("grpo-7b-long", 0.7, 0.25, 210, 2),
      row("first", 0.6, 0.2, 300, 3),
      row("second", 0.55, 0.25, 300, 4),
    ],
    notes: [],
  },
  { law: ({ id }) => (id === "grpo-7b" ? { success: 0.61, sd: 0.03 } : undefined) },
);
