// Explain is one screen: verdict, one chart, the split and Apply; a slider of the spend redraws them; all else is folded below.
// In four themes at two widths nothing is cut off, and the preview that Apply opens says what the change comes to.
import assert from "node:assert/strict";
import { join } from "node:path";
import { frameWith, openWorkbench, plain } from "../page.mjs";

const THEMES = [
  ["light", "Default Light Modern"],
  ["dark", "Default Dark Modern"],
  ["high-contrast", "Default High Contrast"],
  ["high-contrast-light", "Default High Contrast Light"],
];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1600, height: 1000 },
];

/** Texts that do not fit their place, runs in the page. */
function cut() {
  const found = [];
  for (const element of document.querySelectorAll("h1, p, th, td, label, button, li, summary")) {
    if (element.closest("details") && !element.matches("summary")) continue;
    if (element.scrollWidth > element.clientWidth + 1) found.push(element.textContent);
  }
  for (const svg of document.querySelectorAll("svg")) {
    const box = svg.getBoundingClientRect();
    if (box.right > document.documentElement.clientWidth + 1) found.push("the chart");
    for (const text of svg.querySelectorAll("text")) {
      const at = text.getBoundingClientRect();
      if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1)
        found.push(text.textContent);
    }
  }
  return found;
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({ "workbench.colorTheme": THEMES[0][1] });
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.setViewportSize(SIZES[0]);
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 120_000 });
  await page.locator(".codelens-decoration a", { hasText: "Explain" }).first().click();
  const frame = await frameWith(page, ".what-if-panel svg", 90_000);
  const text = plain(await frame.locator("body").innerText());
  assert.match(text, /points below the best split/i, text);
  assert.match(text, /simulated runs/, text);
  assert.match(text, /\d+ → \d+ % at the same \$\d/, text);
  assert.equal(await frame.locator("details[open]").count(), 0, "details are folded");

  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const [name, theme] of THEMES) {
      server.applySettings({ "workbench.colorTheme": theme });
      await frame.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor({ state: "attached", timeout: 60_000 });
      await page.waitForTimeout(800);
      assert.deepEqual(await frame.evaluate(cut), [], `cut off in ${theme} at ${size.width}`);
      await screenshot(page, `explain-${name}-${size.width}`);
    }
    const [seen, last] = await frame.evaluate(() => [
      window.innerHeight,
      document.querySelector("summary").getBoundingClientRect().bottom,
    ]);
    assert.ok(last <= seen, `one screen at ${size.width}: ${last} of ${seen} px`);
  }

  // The slider: twice the spend is another split and another success.
  const said = () => frame.locator(".what-if").innerText();
  const [before, split] = [await said(), await frame.locator(".what-if-split").innerText()];
  assert.match(plain(before), /\(now\)/, before);
  await frame.locator("input.spend").focus();
  for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowRight");
  assert.match(
    plain(await said()),
    /\(2×\): \d+ % \[\d+–\d+\] with the split as it is, \d+ % \[\d+–\d+\] with the best/,
  );
  assert.notEqual(await frame.locator(".what-if-split").innerText(), split, "the split follows the slider");
  await screenshot(page, "explain-slider");

  await frame.locator("summary").click();
  await frame.locator("h2", { hasText: "The split" }).waitFor();
  const details = plain(await frame.locator(".details").innerText());
  for (const part of ["What it rests on", "How sure it is", "Beside the published recipe"])
    assert.ok(details.includes(part), `${part} in: ${details.slice(0, 400)}`);
  await screenshot(page, "explain-details");
  await frame.locator("summary").click();

  await frame.locator("button", { hasText: "Optimise" }).click();
  const panel = page.locator(".bulk-edit-panel");
  const apply = panel.locator('.monaco-button:has-text("Apply")');
  await apply.waitFor({ timeout: 60_000 });
  await panel.getByText(/\d+ → \d+ % at the same \$\d/).waitFor({ timeout: 30_000 });
  await screenshot(page, "preview-title");
  await apply.click();
  await apply.waitFor({ state: "hidden" });
  // Explain follows the edit: beside the best split there is nothing left to apply.
  await frame.locator("body", { hasText: /no better split/i }).waitFor({ timeout: 90_000 });
  await frame.locator("button", { hasText: "Optimise" }).waitFor({ state: "detached" });
  await page.waitForTimeout(500);
  const lines = (await page.locator(".editor-instance .view-line").allInnerTexts())
    .map((line) => plain(line).replace(/ (→ \S+( \?)?|✓)(?= )/, ""))
    .filter((line) => /^ +(tasks|environments|trajectories): /.test(line));
  await screenshot(page, "preview-applied");
  assert.equal(lines.length, 3, lines.join("\n"));
  assert.equal(await page.locator(".editor-instance .tab.dirty, .tabs-container .tab.dirty").count(), 1);
}
