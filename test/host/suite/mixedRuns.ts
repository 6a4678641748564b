import * as vscode from "vscode";
import { assert, eventually, test } from "./harness";
import { lens, lenses, show, write } from "./workspace";

/** Simulated from this law, with a fixed wobble in place of noise. */
function success(tasks: number, environments: number, trajectories: number, scale: number, i: number): number {
  return 1 - 0.1 - scale * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12 + 0.008 * Math.sin(7 * i);
}

const BATCH = 64;
/** One evaluation under one name: values of differently named metrics are not one success rate. */
const METRIC = "val-core/appworld/acc/mean@1";

/** Evaluations up to the run's last step: a run that ends earlier counts as running, and is not fitted. */
function evaluations(rate: number, steps: number): { step: number; value: string }[] {
  const values = [0.6 * rate, 0.9 * rate, rate - 0.002, rate + 0.002, rate];
  return values.map((value, i) => ({ step: Math.round((steps * (i + 1)) / values.length), value: value.toFixed(4) }));
}

/** What a verl run, an AReaL run and a run of one's own leave on disk. */
const WRITERS = [
  async (folder: string, group: number, epochs: number, rate: number, tasks: number): Promise<void> => {
    await write(
      `${folder}/.hydra/config.yaml`,
      `data:\n  train_batch_size: ${BATCH}\n  train_files: x.parquet\nactor_rollout_ref:\n  model:\n    path: Qwen/Qwen3-8B\n  rollout:\n    n: ${group}\nalgorithm:\n  adv_estimator: grpo\ntrainer:\n  total_epochs: ${epochs}\n`,
    );
    await write(
      `${folder}/train.log`,
      evaluations(rate, (tasks * epochs) / BATCH)
        .map(
          ({ step, value }) =>
            `\u001b[36m(TaskRunner pid=1)\u001b[0m step:${step} - critic/score/mean:0.5 - ${METRIC}:${value}\n`,
        )
        .join(""),
    );
  },
  async (folder: string, group: number, epochs: number, rate: number, tasks: number): Promise<void> => {
    await write(
      `${folder}/config.yaml`,
      `experiment_name: x\ntrial_name: y\ntotal_train_epochs: ${epochs}\nactor:\n  path: Qwen/Qwen3-8B\ngconfig:\n  n_samples: ${group}\n  max_new_tokens: 1024\ntrain_dataset:\n  path: x\n  batch_size: ${BATCH}\ncluster:\n  n_nodes: 1\n  n_gpus_per_node: 8\n`,
    );
    await write(
      `${folder}/metrics.jsonl`,
      evaluations(rate, (tasks * epochs) / BATCH)
        .map(({ step, value }) => `${JSON.stringify({ step, [METRIC]: Number(value) })}\n`)
        .join(""),
    );
  },
  async (
    folder: string,
    group: number,
    epochs: number,
    rate: number,
    tasks: number,
    environments: number,
  ): Promise<void> => {
    await write(
      `${folder}/run.json`,
      JSON.stringify({
        axes: { tasks, environments, trajectories: group * epochs },
        model: "Qwen3-8B",
        algorithm: "grpo",
        simulated: { law: "stated in the test" },
      }),
    );
    await write(
      `${folder}/metrics.csv`,
      `step,${METRIC}\n${evaluations(rate, (tasks * epochs) / BATCH)
        .map(({ step, value }) => `${step},${value}`)
        .join("\n")}\n`,
    );
  },
] as const;

/** Twelve runs of three frameworks; returns the facts that no config states. */
async function writeRuns(scale: number): Promise<string> {
  let facts = "";
  let i = 0;
  for (const tasks of [512, 2048, 8192]) {
    for (const environments of [4, 40]) {
      for (const epochs of [1, 10]) {
        const folder = `mixed/runs/run-${i}`;
        await WRITERS[i % 3](
          folder,
          8,
          epochs,
          success(tasks, environments, 8 * epochs, scale, i),
          tasks,
          environments,
        );
        facts += `  - files: "runs/run-${i}/**"\n    tasks: ${tasks}\n    environments: ${environments}\n    algorithm: grpo\n`;
        i++;
      }
    }
  }
  return facts;
}

test("runs of three frameworks become one fit, and the lens follows the logs", async () => {
  const scaling = (facts: string) => `logs: ["runs/**"]\nfacts:\n${facts}`;
  const uri = await write(
    "mixed/mine.budget.yaml",
    "name: mixed\nmodel: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget:\n  tasks: 1000\n  environments: 8\n  trajectories: 40\ntokens_per_trajectory: 12000\n",
  );
  await write("mixed/scaling.yaml", scaling(await writeRuns(4)));
  await show(uri);
  const before = await lens(uri, /% success/);

  // The same folder with runs that end higher: the figures above the budget change by themselves.
  await writeRuns(2.5);
  const after = await eventually(
    "another lens",
    async () => (await lenses(uri)).find((title) => /% success/.test(title) && title !== before),
    60_000,
  );
  const rate = (title: string) => Number(/(\d+(\.\d)?) % success/.exec(title)?.[1]);
  assert(rate(after) > rate(before) + 5, `before: ${before}; after: ${after}`);

  await vscode.commands.executeCommand("scalingLens.fitLogs", uri.toString(), {});
  const table = await eventually("the run table", () =>
    vscode.workspace.textDocuments.find(
      (document) => document.uri.scheme === "scaling-lens" && document.getText().includes("run-11"),
    ),
  );
  for (const run of ["run-0", "run-1", "run-2"])
    assert(table.getText().includes(run), `${run} is missing in the run table`);
});
