// Takes the README's pictures in a real workbench and writes them to docs/images: node scripts/pictures.mjs
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sampleCopy } from "../test/host/run.mjs";
import { frameWith, hoverWord, openFromExplorer, openWorkbench, runCommand } from "../test/host/ui/page.mjs";
import { startBrowser, startServer } from "../test/host/workbench.mjs";
import { buildBundles, root, setup } from "./setup.mjs";

const folder = join(root, "docs", "images");

setup();
buildBundles(["--production"]);
mkdirSync(folder, { recursive: true });
const server = await startServer();
const browser = await startBrowser({ width: 1000, height: 700 });
const sample = sampleCopy();
try {
  const page = await openWorkbench(browser, server, {
    folder: sample.folder,
    extension: root,
    openFile: join(sample.folder, "appworld.budget.yaml"),
  });
  const picture = (name, x, y, width, height) =>
    page.screenshot({ path: join(folder, `${name}.png`), clip: { x, y, width, height } });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.waitForFunction(() => /→/.test(document.querySelector(".view-lines")?.textContent ?? ""), null, {
    timeout: 60_000,
  });
  await page.keyboard.press("Control+b");
  await page.waitForTimeout(1500);
  await picture("lens", 49, 35, 740, 330);

  await hoverWord(page, "environments");
  await page.waitForTimeout(600);
  await picture("hover", 49, 92, 850, 460);
  await page.keyboard.press("Escape");

  await runCommand(page, "Scaling Lens: Optimise allocation");
  const discard = page.locator('.bulk-edit-panel .monaco-button:has-text("Discard")');
  await discard.waitFor({ timeout: 30_000 });
  await page.waitForTimeout(1200);
  await picture("optimise-preview", 49, 35, 850, 643);
  await discard.click();

  await page.keyboard.press("Control+b");
  await openFromExplorer(page, "fits.ipynb");
  await page.keyboard.press("Control+b");
  const figure = (await frameWith(page, "svg.marks", 90_000)).locator("svg.marks").first();
  await page.locator(".notebookOverlay .cell-list-container").first().hover();
  for (let i = 0; i < 60 && ((await figure.boundingBox())?.y ?? 0) > 320; i++) {
    await page.mouse.wheel(0, 120);
    await page.waitForTimeout(150);
  }
  await page.mouse.move(980, 640);
  await page.waitForTimeout(1500);
  await picture("notebook", 49, 122, 951, 500);
} finally {
  await browser.close();
  server.close();
  sample.remove();
}
process.exit(0);
