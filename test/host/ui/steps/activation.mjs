// How long activation takes, as the host itself reports it: printed, since a loaded machine must not fail a test. What is
// asserted is that nothing slow (the server, the client library) is waited for.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openWorkbench, plain, runCommand } from "../page.mjs";

/** Far above what is promised (50 ms), far below what starting a server takes on a loaded machine. */
const LIMIT = 500;

export default async function ({ browser, server, sample, extension, screenshot }) {
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await runCommand(page, "Developer: Show Running Extensions");
  const row = page.locator(".editor-instance .monaco-list-row", { hasText: /scaling[- ]lens/i }).first();
  await row.waitFor({ timeout: 30_000 });
  const text = plain(await row.innerText());
  await screenshot(page, "activation");
  const reported = /Activation: (\d+)\s?ms/.exec(text);
  assert.ok(reported, `the host's report: ${text}`);
  assert.ok(Number(reported[1]) <= LIMIT, `activation took ${reported[1]} ms: ${text}`);
  console.log(`     activation, by the host's report: ${reported[1]} ms`);
}
