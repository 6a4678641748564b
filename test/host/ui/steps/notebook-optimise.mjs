// From a figure to the config: the button above the split opens the refactor preview of the budget.
import assert from "node:assert/strict";
import { join } from "node:path";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

export default async function ({ browser, server, sample, extension, screenshot }) {
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await openFromExplorer(page, "fits.ipynb");
  const frame = await frameWith(page, "svg.marks", 90_000);
  // The allocation stands further down: outputs are drawn as they come into view.
  await page.keyboard.press("Escape");
  await page.locator(".notebookOverlay .cell-list-container").first().hover();
  const button = frame.locator("button", { hasText: "Optimise allocation" }).first();
  for (let i = 0; i < 80; i++) {
    const top = (await button.count()) > 0 ? (await button.boundingBox())?.y : undefined;
    if (top !== undefined && top > 150 && top < 600) break;
    await page.mouse.wheel(0, 200);
    await page.waitForTimeout(150);
  }
  assert.ok(await button.isEnabled(), "the button is there and enabled");
  await button.click();
  const apply = page.locator('.bulk-edit-panel .monaco-button:has-text("Apply")');
  await apply.waitFor({ timeout: 30_000 });
  await page.waitForTimeout(800);
  await screenshot(page, "notebook-optimise");
  await page.locator('.bulk-edit-panel .monaco-button:has-text("Discard")').click();
}
