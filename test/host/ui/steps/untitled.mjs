// A launch script typed into an untitled document: lens and hints come, Optimise edits it in place, one undo takes it back.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { lensText, openWorkbench, runCommand } from "../page.mjs";

const SCRIPT = [
  "python3 -m verl.trainer.main_ppo \\",
  "algorithm.adv_estimator=grpo \\",
  "data.train_files=train.parquet \\",
  "data.train_max_samples=8000 \\",
  "data.train_batch_size=64 \\",
  "data.max_prompt_length=1024 \\",
  "data.max_response_length=31000 \\",
  "actor_rollout_ref.model.path=Qwen/Qwen3-8B \\",
  "actor_rollout_ref.rollout.n=8 \\",
  "trainer.total_epochs=1",
];

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({
    "editor.quickSuggestions": { other: "off" },
    "editor.wordBasedSuggestions": "off",
    "editor.autoClosingBrackets": "never",
  });
  // A script states no environments, and one alone would be too far from the runs to predict.
  appendFileSync(join(sample, "scaling.yaml"), 'facts:\n  - files: "Untitled-*"\n    environments: 12\n');
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().fill(">New Untitled Text File");
  await page.locator('.quick-input-list .monaco-list-row[aria-label*=": New Untitled Text File"]').first().click();
  await page.locator(".tab.active", { hasText: "Untitled-1" }).waitFor();
  await runCommand(page, "Change Language Mode");
  await page.waitForTimeout(800);
  await page.keyboard.type("Shell Script");
  await page.waitForTimeout(800);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(500);
  for (const line of SCRIPT) {
    await page.keyboard.type(line);
    await page.keyboard.press("Enter");
  }
  const shown = (pattern) =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector(".editor-instance .view-lines")?.textContent ?? ""),
      pattern,
      { timeout: 60_000 },
    );
  await lensText(page, /simulated[^]*% success/);
  await shown("→");
  await screenshot(page, "untitled");
  // An untitled document has no place in the refactor preview: it is edited at once, and undo takes it back.
  await runCommand(page, "Scaling Lens: Optimise allocation");
  await page.waitForFunction(
    () => !/max_samples=8000/.test(document.querySelector(".editor-instance .view-lines")?.textContent ?? ""),
    null,
    { timeout: 30_000 },
  );
  await page.waitForTimeout(800);
  await screenshot(page, "untitled-optimised");
  await page.locator(".editor-instance .view-lines").first().click();
  await page.keyboard.press("Control+z");
  await shown("max_samples=8000");
}
