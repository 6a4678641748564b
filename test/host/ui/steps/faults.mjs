// Faults that only a person at the workbench meets: a list that names one file twice, amounts refused as they are typed, a
// protected file that is edited, and figures whose export buttons do nothing.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { frameWith, lensSaying, openFromExplorer, openWorkbench, plain, runCommand } from "../page.mjs";

const QUICK = ".quick-input-widget";

/** Polls a look at the page until it satisfies: what is drawn anew is read again. */
async function until(page, what, look, good, timeout = 60_000) {
  const end = Date.now() + timeout;
  let seen;
  do {
    seen = await look();
    if (good(seen)) return seen;
    await page.waitForTimeout(200);
  } while (Date.now() < end);
  throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  const file = join(sample, "appworld.budget.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(join(sample, "other.budget.yaml"), text.replace("tasks: 1_000", "tasks: 2_000"));
  const page = await openWorkbench(browser, server, { folder: sample, extension, openFile: file });
  await lensSaying(page, /% success/);

  // Compare names each file once, the active one too.
  await runCommand(page, "Scaling Lens: Compare allocations");
  const rows = () =>
    page
      .locator(`${QUICK} .quick-input-list .monaco-list-row .label-name`)
      .evaluateAll((all) => all.map((row) => row.textContent));
  const listed = await until(page, "the list of budgets", rows, (names) =>
    ["appworld", "other"].every((one) => names.some((name) => name.includes(`${one}.budget`))),
  );
  assert.deepEqual([...new Set(listed)], listed, "each file once");
  assert.equal(listed.filter((name) => /appworld\.budget\.yaml/.test(name)).length, 1, listed.join(", "));
  await page.keyboard.press("Escape");

  // Amounts as people write them; what is none is refused.
  await runCommand(page, "Scaling Lens: Optimise for a given compute");
  const input = page.locator(`${QUICK} input`).first();
  const refused = () => page.locator(`${QUICK} .quick-input-message`).innerText();
  await until(
    page,
    "the box",
    () => page.locator(`${QUICK} .quick-input-title`).innerText(),
    (title) => /given compute/.test(title),
  );
  await input.fill("bananas");
  await until(page, "bananas are refused", refused, (message) => /Give a number/.test(message));
  for (const amount of ["$500", "5 gpu-hours"]) {
    await input.fill(amount);
    await until(page, `${amount} is taken`, refused, (message) => !/Give a number/.test(message));
  }
  await page.keyboard.press("Escape");

  // A protected file is told of and stays as it is.
  server.applySettings({ "files.readonlyInclude": { "**/appworld.budget.yaml": true } });
  await page.waitForTimeout(1000);
  await runCommand(page, "Scaling Lens: Optimise allocation");
  await page
    .locator(".statusbar-item", { hasText: "read-only: nothing was changed" })
    .first()
    .waitFor({ timeout: 60_000 });
  assert.equal(await page.locator(".bulk-edit-panel").count(), 0, "no preview");
  assert.equal(readFileSync(file, "utf8"), text);
  server.applySettings({});

  // Each export of a figure ends in a file.
  await openFromExplorer(page, "fits.ipynb");
  const frame = await frameWith(page, "svg.marks", 120_000);
  for (const [button, ending] of [
    ["SVG", ".svg"],
    ["CSV", ".csv"],
    ["Vega-Lite", ".json"],
  ]) {
    // Where the notebook stands after the last one is not the question here.
    await frame.locator("button", { hasText: button }).first().dispatchEvent("click");
    const box = page.locator(`${QUICK} input`).first();
    const offered = await until(
      page,
      `the place for ${button}`,
      () => box.inputValue().catch(() => ""),
      (value) => value.endsWith(ending),
    );
    const name = offered.slice(offered.lastIndexOf("/") + 1);
    await box.fill(join(sample, name));
    await page.keyboard.press("Enter");
    const saved = await until(
      page,
      `${name} on the disk`,
      () => readdirSync(sample),
      (all) => all.includes(name),
    );
    assert.ok(saved.includes(name));
    const content = await until(
      page,
      `${name} whole`,
      () => readFileSync(join(sample, name), "utf8"),
      (all) => all.length > 100,
    );
    if (ending === ".svg") assert.match(content, /<svg[^]*<\/svg>/);
    if (ending === ".csv") assert.match(content.split("\n")[0], /,/);
    if (ending === ".json") assert.match(JSON.parse(content).$schema, /vega-lite/);
  }
  await screenshot(page, "figure-saved");
  assert.ok(plain(await page.title()).length > 0);
}
