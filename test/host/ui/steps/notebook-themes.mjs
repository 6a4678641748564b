// The sample notebook as it lies in the repository: drawn from the file with no kernel, in four themes; then run again, and cleared.
import assert from "node:assert/strict";
import { join } from "node:path";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

const CHART = "svg.marks";
const THEMES = [["light", "Default Light Modern"], ["dark", "Default Dark Modern"], ["high-contrast", "Default High Contrast"], ["high-contrast-light", "Default High Contrast Light"]];
const EIGHT = ["Failure rate against each axis", "Exponents of the law", "Predicted against observed", "How far synthesis carries", "What a synthetic unit is worth", "Split of the budget", "Success against compute", "What grows with the budget"];

/** Scrolls the notebook through once; a figure is drawn when its output is first shown. Calls back at every stop. */
async function throughNotebook(page, each) {
  const list = page.locator(".notebookOverlay .cell-list-container").first();
  await list.hover();
  await page.mouse.wheel(0, -100_000);
  await page.waitForTimeout(600);
  for (let i = 0; i < 24; i++) {
    await each(i);
    const before = await page.locator(".notebookOverlay .cell-list-container .monaco-list-rows").first().evaluate((rows) => rows.style.top);
    await page.mouse.wheel(0, 620);
    await page.waitForTimeout(500);
    const after = await page.locator(".notebookOverlay .cell-list-container .monaco-list-rows").first().evaluate((rows) => rows.style.top);
    if (after === before) break;
  }
}

async function titles(frame) {
  return frame.evaluate(() => {
    const found = [];
    const visit = (root) => {
      for (const node of root.querySelectorAll("*")) {
        if (!node.shadowRoot) continue;
        const title = node.shadowRoot.querySelector(".figure h3");
        if (title) found.push({ title: title.textContent, drawings: node.shadowRoot.querySelectorAll("svg.marks").length });
        visit(node.shadowRoot);
      }
    };
    visit(document);
    return found;
  });
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({ "workbench.colorTheme": THEMES[0][1] });
  const page = await openWorkbench(browser, server, { folder: sample, extension, openFile: join(sample, "appworld.budget.yaml") });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await openFromExplorer(page, "fits.ipynb");
  const frame = await frameWith(page, CHART, 90_000);

  // Nothing has been run: what is drawn comes from the file.
  const seen = new Set();
  await throughNotebook(page, async () => {
    for (const { title, drawings } of await titles(frame)) {
      assert.equal(drawings, 1, `${title} is drawn once`);
      seen.add(title);
    }
  });
  for (const start of EIGHT) assert.ok([...seen].some((title) => title.startsWith(start)), `${start} is drawn; seen: ${[...seen].join(", ")}`);
  for (const title of seen) assert.match(title, /simulated data/, `${title} says that its data are simulated`);

  for (const [name, theme] of THEMES) {
    server.applySettings({ "workbench.colorTheme": theme });
    await page.waitForTimeout(2500);
    await throughNotebook(page, (i) => screenshot(page, `notebook-${name}-${String(i).padStart(2, "0")}`));
  }

  server.applySettings({ "workbench.colorTheme": THEMES[1][1] });
  const list = page.locator(".notebookOverlay .cell-list-container").first();
  await list.hover();
  await page.mouse.wheel(0, -100_000);
  await page.getByText("Run All", { exact: true }).first().click();
  await page.waitForTimeout(30_000);
  for (const { title, drawings } of await titles(frame)) assert.equal(drawings, 1, `${title} is drawn once after running again`);
  await screenshot(page, "notebook-run-again");
  await page.getByText("Clear All Outputs", { exact: true }).first().click();
  await page.waitForTimeout(1500);
  assert.equal((await titles(frame)).length, 0, "clearing leaves no figure");
}
