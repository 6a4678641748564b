// What is shown where something is missing: logs that hold no run, with the reason; a launch script whose dataset is
// unknown, marked at one line; and a table of runs from which the lens comes to life.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lensText, openWorkbench } from "../page.mjs";

const TABLE = [
  "name,tasks,environments,trajectories,success_rate,trials",
  ...[200, 800].flatMap((tasks) =>
    [4, 16].flatMap((environments) =>
      [8, 32].map(
        (trajectories) =>
          `t${tasks}-e${environments}-r${trajectories},${tasks},${environments},${trajectories},${(1 - 0.3 - 0.45 * (tasks / 400) ** -0.25 * (environments / 8) ** -0.3 * (trajectories / 16) ** -0.12).toFixed(3)},300`,
      ),
    ),
  ),
].join("\n");

const SCRIPT = `python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files=$HOME/data/train.parquet \\
    data.train_batch_size=256 \\
    data.max_prompt_length=1024 \\
    data.max_response_length=4096 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
    actor_rollout_ref.rollout.n=8 \\
    trainer.total_epochs=15
`;

export default async function ({ browser, server, sample, extension, screenshot }) {
  rmSync(join(sample, "runs"), { recursive: true });
  mkdirSync(join(sample, "runs", "cut"), { recursive: true });
  writeFileSync(join(sample, "runs", "cut", "metrics.jsonl"), '{"step": 1, "success_r');
  const budget = join(sample, "appworld.budget.yaml");
  const broken = await openWorkbench(browser, server, { folder: sample, extension, openFile: budget });
  await lensText(broken, /No scaling fit[^]*no run with a success rate was found in runs\/\*\*/i);
  await broken.locator(".codelens-decoration a", { hasText: "Show log" }).first().click();
  // The host's own log writer is replaced in this workbench, so that only the place of the log can be seen.
  await broken
    .locator(".part.panel .monaco-select-box, .part.panel select", { hasText: "Scaling Lens" })
    .first()
    .waitFor({ timeout: 30_000 });
  await screenshot(broken, "state-broken-logs");
  await broken.close();

  writeFileSync(join(sample, "my-runs.csv"), TABLE);
  writeFileSync(join(sample, "scaling.yaml"), 'logs: ["my-runs.csv"]\n');
  writeFileSync(join(sample, "train.sh"), SCRIPT);
  const page = await openWorkbench(browser, server, { folder: sample, extension, openFile: budget });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.waitForTimeout(1500);
  await screenshot(page, "state-own-table");
  await page.locator('.explorer-folders-view .monaco-list-row[aria-label^="train.sh"]').first().dblclick();
  await page.locator(".codelens-decoration", { hasText: "Success unknown" }).first().waitFor({ timeout: 60_000 });
  await page.locator(".squiggly-info").first().waitFor({ timeout: 30_000 });
  const marked = new Set(
    await page.locator(".squiggly-info").evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect().top)),
  );
  assert.equal(marked.size, 1, "one line of the command is marked");
  await screenshot(page, "state-unknown-dataset");
}
