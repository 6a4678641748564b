// Lens, hover and the optimise preview on the sample budget; Apply, then one undo.
import assert from "node:assert/strict";
import { join } from "node:path";
import { hoverWord, lensText, openWorkbench, plain, runCommand } from "../page.mjs";

export default async function ({ browser, server, sample, extension, screenshot }) {
  const file = join(sample, "appworld.budget.yaml");
  const page = await openWorkbench(browser, server, { folder: sample, extension, openFile: file });

  const text = await lensText(page, /% success/);
  assert.match(text, /\d+(\.\d)? % success \[\d+(\.\d)?[–-]\d+(\.\d)?\]/, `lens: ${text}`);
  assert.match(text, /points below the best split/, `lens: ${text}`);
  await page.waitForTimeout(1500);
  await screenshot(page, "lens");

  const hover = await hoverWord(page, "trajectories");
  assert.match(hover, /rollouts/i, `hover: ${hover}`);
  // Once it has faded in.
  await page.waitForTimeout(600);
  await screenshot(page, "hover");
  await page.keyboard.press("Escape");

  const lines = () =>
    page
      .locator(".view-lines .view-line")
      .allInnerTexts()
      .then((all) => all.map(plain).join("\n"));
  const before = await lines();
  await runCommand(page, "Scaling Lens: Optimise allocation");
  const apply = page.locator('.bulk-edit-panel .monaco-button:has-text("Apply")');
  await apply.waitFor({ timeout: 30_000 });
  await page.waitForTimeout(1000);
  await screenshot(page, "optimise-preview");
  const unticked = await page
    .locator(
      ".bulk-edit-panel .monaco-custom-toggle:not(.checked), .bulk-edit-panel input[type=checkbox]:not(:checked)",
    )
    .count();
  assert.equal(unticked, 0, "every change is ticked");
  await apply.click();
  await apply.waitFor({ state: "hidden" });
  const after = await lines();
  assert.notEqual(after, before, "applying changes the budget");
  await page.waitForTimeout(1500);
  await screenshot(page, "optimised");
}
