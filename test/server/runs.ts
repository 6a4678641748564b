import { fitTable, type FitFile } from "../../server/core/fit";
import type { RunRow } from "../../server/core/table";
import type { MemoryHost } from "./memoryHost";

/** A small seeded generator, so that every test sees the same runs. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Simulated {
  readonly tasks: number;
  readonly environments: number;
  readonly trajectories: number;
  readonly successes: number;
  readonly seed: number;
}

const TRIALS = 600;

/** Runs simulated from 1 − P = 0.08 + 6·T^−0.25·E^−0.3·τ^−0.12 with binomial noise of 600 tasks. */
function simulated(most = { tasks: 5000, trajectories: 40 }): Simulated[] {
  const next = random(7);
  const rows: Simulated[] = [];
  for (const tasks of [500, 1500, most.tasks]) {
    for (const environments of [5, 15, 60]) {
      for (const trajectories of [4, 12, most.trajectories]) {
        for (const seed of [1, 2]) {
          const p = 1 - (0.08 + 6 * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12);
          let successes = 0;
          for (let i = 0; i < TRIALS; i++) if (next() < p) successes++;
          rows.push({ tasks, environments, trajectories, successes, seed });
        }
      }
    }
  }
  return rows;
}

/** The same runs as a table in CSV. */
export function simulatedTable(): string {
  const rows = simulated().map(
    (run) => `${run.tasks},${run.environments},${run.trajectories},${run.successes},${TRIALS},${run.seed}`,
  );
  return `${["tasks,environments,trajectories,successes,trials,seed", ...rows].join("\n")}\n`;
}

let saved: FitFile | undefined;

/** A multiplicative fit of the runs; made once. */
export function simulatedFit(): FitFile {
  return (saved ??= fitted(simulated()));
}

/** The same law over runs of more tasks and of longer training. */
export const wideFit = (): FitFile => fitted(simulated({ tasks: 50_000, trajectories: 600 }));

function fitted(runs: readonly Simulated[]): FitFile {
  const rows = runs.map((run, i): RunRow => ({
    id: `run-${i}`,
    axes: { tasks: run.tasks, environments: run.environments, trajectories: run.trajectories },
    outcome: { kind: "counts", successes: run.successes, trials: TRIALS },
    setting: "",
    seed: String(run.seed),
    files: ["file:///w/runs.csv"],
  }));
  const fit = fitTable({ rows, notes: [] }, { law: "multiplicative", bootstrap: 100 });
  if (!fit.ok) throw new Error(fit.problem.message);
  return fit.value;
}

export const BUDGET = `# An experiment.
name: appworld-8b
model: Qwen3-8B
algorithm: grpo
design: nested
budget:
  tasks: 1_000          # unique tasks
  environments: 10
  trajectories: 64      # rollouts per task
tokens_per_trajectory: 12000
`;

const PRICES = `hardware: { gpu: H100, count: 16, price: 2.5 USD/h }
prices: { environment: 10 USD, task: 0.5 USD }
limits: { environments: [1, 200], trajectories: [2, 64] }
`;

export const SCALING = `fit: fits/app.fit.json\n${PRICES}`;
export const SCALING_WITH_LOGS = `logs: ["runs.csv"]\n${PRICES}`;

export const BUDGET_URI = "file:///w/app.budget.yaml";

/** A workspace folder with a budget, a `scaling.yaml`, a run table and a saved fit. */
export function addProject(host: MemoryHost, folder = "file:///w", scaling = SCALING): void {
  host.set(`${folder}/scaling.yaml`, scaling);
  host.set(`${folder}/runs.csv`, simulatedTable());
  host.set(`${folder}/fits/app.fit.json`, JSON.stringify(simulatedFit()));
  host.set(`${folder}/app.budget.yaml`, BUDGET);
}
