import { expect } from "vitest";
import { cli } from "./harness";

/** Runs of 1 − P = 0.1 + 5·T^−0.25·E^−0.3·τ^−0.12, exact to a success: SIMULATED. */
function table(): string {
  const rows = ["tasks,environments,trajectories,successes,trials"];
  for (const tasks of [300, 1000, 4000])
    for (const environments of [4, 12, 40])
      for (const trajectories of [4, 12, 32]) {
        const error = 0.1 + 5 * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12;
        rows.push(`${tasks},${environments},${trajectories},${Math.round(1000 * (1 - error))},1000`);
      }
  return `${rows.join("\n")}\n`;
}

/** A budget of the laboratory, 16 rollouts per task. */
export const labBudget = (tasks: number, environments: number): string =>
  `name: a\nmodel: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget: { tasks: ${tasks}, environments: ${environments}, trajectories: 16 }\ntokens_per_trajectory: 8000\ngpus: 8\n`;

/** A folder of a table of runs, prices, and one budget. */
export const LAB = {
  "runs.csv": table(),
  "scaling.yaml":
    "prices: { environment: 40 USD, task: 0.5 USD }\nhardware: { gpu: H100, count: 8, price: 2.5 USD/h, utilisation: { generation: 0.1, training: 0.3 } }\n",
  "a.budget.yaml": labBudget(2000, 8),
};

/** Fits its runs to `a.fit.json`. */
export async function fitLab(folder: string): Promise<void> {
  const law = ["--law", "multiplicative", "--bootstrap", "200"];
  expect((await cli(folder, "fit", "runs.csv", ...law, "--out", "a.fit.json")).code).toBe(0);
}
