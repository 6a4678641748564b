// What the lens links to: the explanation as a rendered document; the status item; the state without a fit.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { frameWith, lensText, openWorkbench } from "../page.mjs";

export default async function ({ browser, server, sample, extension, screenshot }) {
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.locator(".codelens-decoration a", { hasText: "Explain" }).first().click();
  const frame = await frameWith(page, "details summary", 60_000);
  await frame.locator("details summary").first().click();
  await frame.locator("h2", { hasText: "The split" }).waitFor({ timeout: 30_000 });
  // Beside the config there is little room: no table is cut off at the right.
  const wide = await frame
    .locator("table")
    .evaluateAll((tables) =>
      tables
        .filter((table) => table.getBoundingClientRect().right > document.body.clientWidth)
        .map((table) => `${table.rows[0]?.innerText} (${table.offsetWidth} px)`),
    );
  assert.deepEqual(wide, [], "tables that do not fit");
  await page.close();

  // Another folder, whose scaling.yaml names neither logs nor a fit.
  writeFileSync(join(sample, "scaling.yaml"), "pin: [parameters]\n");
  const bare = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  const titles = await lensText(bare, /No scaling fit/i);
  for (const part of ["no scaling fit", "Fit run logs", "Calibrate with one run"])
    assert.ok(titles.includes(part), titles);
  assert.ok(!/% success|optimum/.test(titles), titles);
  await bare.locator(".codelens-decoration a", { hasText: "Calibrate with one run" }).first().click();
  const input = bare.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill("41");
  await bare.keyboard.press("Enter");
  await bare.locator(".codelens-decoration", { hasText: "prior" }).first().waitFor({ timeout: 60_000 });
  await bare.waitForTimeout(500);
  await screenshot(bare, "calibrated");
}
