import type { MemoryHost } from "./memoryHost";

/** A small seeded generator, so that every test sees the same runs. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A run table as CSV, simulated from 1 − P = 0.08 + 6·T^−0.25·E^−0.3·τ^−0.12 with binomial noise of 600 tasks. */
export function simulatedTable(levels = 3): string {
  const next = random(7);
  const grid = (values: readonly number[]) => values.slice(0, levels);
  const rows = ["tasks,environments,trajectories,parameters,successes,trials,setting,seed"];
  for (const tasks of grid([500, 1500, 5000])) {
    for (const environments of grid([5, 15, 60])) {
      for (const trajectories of grid([4, 12, 40])) {
        for (const seed of [1, 2]) {
          const p = 1 - (0.08 + 6 * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12);
          let successes = 0;
          for (let i = 0; i < 600; i++) if (next() < p) successes++;
          rows.push(`${tasks},${environments},${trajectories},8200000000,${successes},600,,${seed}`);
        }
      }
    }
  }
  return `${rows.join("\n")}\n`;
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

export const SCALING = `logs: ["runs.csv"]
hardware: { gpu: H100, count: 16, price: 2.5 USD/h }
prices: { environment: 40 USD, task: 0.5 USD }
limits: { environments: [1, 200], trajectories: [2, 64] }
pin: [parameters]
`;

/** A workspace folder with a budget, a \`scaling.yaml\` and a run table. */
export function addProject(host: MemoryHost, folder = "file:///w", scaling = SCALING): void {
  host.set(`${folder}/scaling.yaml`, scaling);
  host.set(`${folder}/runs.csv`, simulatedTable());
  host.set(`${folder}/app.budget.yaml`, BUDGET);
}
