// Fit cells are run in a real browser: outputs cleared, all cells run, charts drawn; and drawn once after running again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

/** Charts are drawn in a shadow root, which Playwright looks into. */
const CHART = "svg[role=graphics-document], svg.marks";

export default async function ({ browser, server, sample, extension, screenshot }) {
  // A lens proves that extensions are registered: a notebook opened earlier comes up as JSON.
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await openFromExplorer(page, "fits.ipynb");
  await page.getByText("Clear All Outputs", { exact: true }).first().click({ timeout: 60_000 });
  await page.waitForTimeout(500);
  await page.getByText("Run All", { exact: true }).first().click();
  const frame = await frameWith(page, CHART, 120_000);
  await page.waitForTimeout(2500);
  const drawn = await frame.locator(CHART).count();
  assert.ok(drawn > 0, "a chart is drawn");
  await screenshot(page, "notebook");
}
