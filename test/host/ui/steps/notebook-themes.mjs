// The sample notebook as it lies in the repository: drawn from the file with no kernel and legible in four themes; then run again, and cleared.
import assert from "node:assert/strict";
import { join } from "node:path";
import { illegible } from "../legible.mjs";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

const CHART = "svg.marks";
const AA = 4.5;
const THEMES = [
  { name: "light", theme: "Default Light Modern" },
  { name: "dark", theme: "Default Dark Modern" },
  { name: "high-contrast", theme: "Default High Contrast" },
  { name: "high-contrast-light", theme: "Default High Contrast Light" },
];
const EIGHT = [
  "Failure rate against each axis",
  "Exponents of the law",
  "Predicted against observed",
  "How far synthesis carries",
  "What a synthetic unit is worth",
  "Split of the budget",
  "Success against compute",
  "What grows with the budget",
];
const FIT_CELLS = 5;
/** Tall enough for the whole notebook: a figure is drawn when its output is first shown, and one picture shows them all. */
const TALL = { width: 1280, height: 8600 };

async function titles(frame) {
  return frame.evaluate(() => {
    const found = [];
    const visit = (root) => {
      for (const node of root.querySelectorAll("*")) {
        if (!node.shadowRoot) continue;
        const title = node.shadowRoot.querySelector(".figure h3");
        if (title)
          found.push({ title: title.textContent, drawings: node.shadowRoot.querySelectorAll("svg.marks").length });
        visit(node.shadowRoot);
      }
    };
    visit(document);
    return found;
  });
}

/** Every figure of the notebook, each drawn once; waits until the last is there. */
async function allDrawn(page, frame, when) {
  let found = [];
  for (const end = Date.now() + 60_000; Date.now() < end; await page.waitForTimeout(250)) {
    found = await titles(frame);
    if (EIGHT.every((start) => found.some(({ title, drawings }) => title.startsWith(start) && drawings > 0))) break;
  }
  for (const start of EIGHT)
    assert.ok(
      found.some(({ title }) => title.startsWith(start)),
      `${start} is drawn ${when}; seen: ${found.map(({ title }) => title).join(", ")}`,
    );
  for (const { title, drawings } of found) {
    assert.equal(drawings, 1, `${title} is drawn once ${when}`);
    assert.match(title, /simulated data/, `${title} says that its data are simulated`);
  }
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({ "workbench.colorTheme": THEMES[0].theme });
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await openFromExplorer(page, "fits.ipynb");
  const frame = await frameWith(page, CHART, 90_000);
  await page.setViewportSize(TALL);
  await allDrawn(page, frame, "from the file, with nothing run");

  for (const { name, theme } of THEMES) {
    server.applySettings({ "workbench.colorTheme": theme });
    await frame.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor({ state: "attached", timeout: 30_000 });
    await page.waitForTimeout(1500);
    await allDrawn(page, frame, `in ${theme}`);
    await screenshot(page, `notebook-${name}`);
    const { texts, problems } = await illegible(frame, AA);
    assert.ok(texts > 200, `texts were looked at: ${texts}`);
    assert.deepEqual(problems, [], `what cannot be read in ${theme}`);
  }

  server.applySettings({ "workbench.colorTheme": THEMES[1].theme });
  await page.getByText("Clear All Outputs", { exact: true }).first().click();
  await page.waitForTimeout(1000);
  assert.deepEqual(await titles(frame), [], "clearing leaves no figure");
  await page.getByText("Run All", { exact: true }).first().click();
  await page
    .locator(".cell-status-item .codicon-notebook-state-success")
    .nth(FIT_CELLS - 1)
    .waitFor({ timeout: 120_000 });
  await allDrawn(page, frame, "after running");
  await page.getByText("Run All", { exact: true }).first().click();
  await page.waitForTimeout(3000);
  await page
    .locator(".cell-status-item .codicon-notebook-state-success")
    .nth(FIT_CELLS - 1)
    .waitFor({ timeout: 120_000 });
  await allDrawn(page, frame, "after running again");
  await screenshot(page, "notebook-run-again");
}
