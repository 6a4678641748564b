// Three states that once looked like approval: each says that it is not known, why, and which runs would tell.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lensSaying, openWorkbench, plain } from "../page.mjs";

const COMMON = `prices: { environment: 40 USD, task: 0.5 USD }
hardware: { gpu: H100, count: 16, price: 2.5 USD/h, utilisation: { generation: 0.1, training: 0.35 } }
pin: [parameters]
`;

const budget = (tasks, environments, trajectories) => `name: a
model: Qwen3-8B
algorithm: grpo
design: nested
budget:
  tasks: ${tasks}
  environments: ${environments}
  trajectories: ${trajectories}
tokens_per_trajectory: 12000
`;

/** A table of runs on one law; a fixed wobble of ±2 points stands for run noise. */
function table(rollouts, model) {
  const rows = [300, 1000, 3000].flatMap((tasks, t) =>
    [4, 12, 36].flatMap((environments, e) =>
      rollouts.map((trajectories, r) => {
        const error =
          0.2 + 0.4 * (tasks / 1000) ** -0.25 * (environments / 12) ** -0.315 * (trajectories / 16) ** -0.12;
        const wobble = 0.02 * Math.sin(7 * t + 3 * e + 5 * r);
        return `r${t}${e}${r},${model},grpo,${tasks},${environments},${trajectories},${Math.round(500 * (1 - error + wobble))},500`;
      }),
    ),
  );
  return ["name,model,algorithm,tasks,environments,trajectories,successes,trials", ...rows].join("\n");
}

const SCRIPT = `python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=gigpo \\
    data.train_files=$HOME/data/verl-agent/text/train.parquet \\
    data.train_batch_size=16 \\
    data.max_prompt_length=2048 \\
    data.max_response_length=512 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct \\
    env.env_name=alfworld/AlfredTWEnv \\
    env.max_steps=50 \\
    env.rollout.n=8 \\
    trainer.n_gpus_per_node=2 \\
    trainer.total_epochs=150
`;

/** The lens of a state, once it says what it does not know; nothing in it or beside the values may look like approval. */
async function unknownLens(page, reason) {
  const { text: said, links } = await lensSaying(page, /Plan next runs/);
  assert.match(said, reason);
  assert.doesNotMatch(said, /no better split|within noise|below the best/);
  await page.waitForTimeout(1500);
  const shown = plain(await page.locator(".view-lines").first().innerText());
  assert.doesNotMatch(shown, /✓|→/, `no mark beside a value: ${shown}`);
  // The plan stands first among what can be done.
  assert.match(links.find((link) => !/can't|too far|unknown/i.test(link)) ?? "", /Plan next runs/, links.join(" | "));
  return said;
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  const file = join(sample, "appworld.budget.yaml");
  rmSync(join(sample, "runs"), { recursive: true });

  // One run sets the level; then a config of five tasks, one environment and thousands of rollouts.
  writeFileSync(join(sample, "scaling.yaml"), COMMON);
  writeFileSync(file, budget(1000, 12, 16));
  const calibrated = await openWorkbench(browser, server, { folder: sample, extension, openFile: file });
  await calibrated.locator(".codelens-decoration a", { hasText: "Calibrate with one run" }).first().click({
    timeout: 90_000,
  });
  const input = calibrated.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill("41");
  await calibrated.keyboard.press("Enter");
  await unknownLens(calibrated, /one run sets the level/);
  await screenshot(calibrated, "unknown-calibrated");
  writeFileSync(file, budget(5, 1, 5000));
  await calibrated.locator(".view-line", { hasText: "5000" }).first().waitFor({ timeout: 30_000 });
  await calibrated.waitForTimeout(3000);
  assert.doesNotMatch(await unknownLens(calibrated, /can't tell|too far/), /% success/);
  await screenshot(calibrated, "unknown-five-tasks");
  await calibrated.close();

  // Nine runs that all had sixteen rollouts per task.
  writeFileSync(join(sample, "scaling.yaml"), `logs: ["runs.csv"]\n${COMMON}`);
  writeFileSync(join(sample, "runs.csv"), table([16], "Qwen3-8B"));
  writeFileSync(file, budget(1000, 12, 16));
  const unvaried = await openWorkbench(browser, server, { folder: sample, extension, openFile: file });
  await unknownLens(unvaried, /rollouts never varied in your runs/);
  await screenshot(unvaried, "unknown-never-varied");
  await unvaried.close();

  // A script that trains another model than the one whose runs are fitted.
  mkdirSync(join(sample, "scripts"), { recursive: true });
  const script = join(sample, "scripts", "run_alfworld.sh");
  writeFileSync(script, SCRIPT);
  writeFileSync(join(sample, "runs.csv"), table([4, 16, 64], "Qwen3-8B"));
  writeFileSync(
    join(sample, "scaling.yaml"),
    `logs: ["runs.csv"]\n${COMMON}facts: [{ files: "scripts/*.sh", tasks: 3553, environments: 6, tokens_per_trajectory: 12000 }]\n`,
  );
  const other = await openWorkbench(browser, server, { folder: sample, extension, openFile: script });
  await unknownLens(other, /no run of this setting is fitted|another setting|Qwen3-8B/);
  await screenshot(other, "unknown-other-model");
}
