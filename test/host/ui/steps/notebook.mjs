// A fit cell draws its chart in a real browser.
import assert from "node:assert/strict";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

export default async function ({ browser, server, sample, extension, screenshot }) {
  const page = await openWorkbench(browser, server, { folder: sample, extension });
  await page.waitForTimeout(3000);
  await openFromExplorer(page, "fits.ipynb");
  await page.locator(".notebookOverlay").first().waitFor({ timeout: 60_000 });
  await page.locator('.action-label:has-text("Run All")').first().click({ timeout: 60_000 });
  const frame = await frameWith(page, "[data-scaling-lens] svg, .scaling-lens svg", 90_000);
  await page.waitForTimeout(2000);
  assert.ok((await frame.locator("[data-scaling-lens] svg, .scaling-lens svg").count()) > 0);
  await screenshot(page, "notebook");
}
