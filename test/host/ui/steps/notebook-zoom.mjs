// A closer look at a figure: drag over a panel, read what is there, go back; in a light theme and in high contrast.
import assert from "node:assert/strict";
import { join } from "node:path";
import { illegible } from "../legible.mjs";
import { frameWith, openFromExplorer, openWorkbench } from "../page.mjs";

const THEMES = [
  { name: "light", theme: "Default Light Modern" },
  { name: "high-contrast", theme: "Default High Contrast" },
];
const SIZE = { width: 1280, height: 1500 };
const TITLE = "Failure rate against each axis";

/** Places of a figure's panels on the page, the labels below and beside them, and what is said of the zoom. */
async function look(figure) {
  const box = await figure.locator("svg.marks").boundingBox();
  const seen = await figure.evaluate((element) => {
    const svg = element.querySelector("svg.marks");
    const origin = svg.getBoundingClientRect();
    return {
      panels: [...svg.querySelectorAll(".cell > g > .background")].map((path) => {
        const { x, y, width, height } = path.getBoundingClientRect();
        return { x: x - origin.x, y: y - origin.y, width, height };
      }),
      labels: [...svg.querySelectorAll(".role-axis-label text")].map((text) => text.textContent).join(" "),
      said: element.querySelector("[role=status]").textContent,
    };
  });
  return { ...seen, panels: seen.panels.map((panel) => ({ ...panel, x: box.x + panel.x, y: box.y + panel.y })) };
}

/** Outputs do not stand in the page's source as they stand in the notebook. */
async function topmost(figures) {
  const places = await Promise.all(
    (await figures.all()).map(async (figure) => ({ figure, y: (await figure.boundingBox())?.y ?? Infinity })),
  );
  return places.sort((a, b) => a.y - b.y)[0].figure;
}

async function until(check, what) {
  for (const end = Date.now() + 15_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100)))
    if (await check()) return;
  throw new Error(`${what} did not happen`);
}

/** The pointer on a run of the figure, which shows the run's numbers beside it. */
async function readRun(page, figure) {
  const runs = figure.locator(".mark-symbol path");
  for (let i = 0; i < (await runs.count()); i += 5) {
    const box = await runs.nth(i).boundingBox();
    if (!box) continue;
    const at = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(at[0] - 1, at[1]);
    await page.mouse.move(...at, { steps: 3 });
    const tip = figure.locator(".tip:not(.hidden)");
    if ((await tip.count()) === 0) continue;
    const place = await tip.boundingBox();
    assert.ok(
      Math.abs(place.y - at[1]) < 40 && Math.abs(place.x - at[0]) < place.width + 40,
      `a run's numbers stand beside the pointer: ${JSON.stringify({ at, place })}`,
    );
    assert.match(await tip.innerText(), /observed/);
    return;
  }
  assert.fail("no run shows its numbers");
}

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({ "workbench.colorTheme": THEMES[0].theme });
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.setViewportSize(SIZE);
  await openFromExplorer(page, "fits.ipynb");
  const frame = await frameWith(page, "svg.marks", 90_000);
  await page.waitForTimeout(1500);
  const figure = await topmost(frame.locator(".figure", { hasText: TITLE }));

  for (const { name, theme } of THEMES) {
    server.applySettings({ "workbench.colorTheme": theme });
    await frame.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor({ state: "attached", timeout: 30_000 });
    await page.waitForTimeout(1500);
    const reset = figure.locator("button", { hasText: "Reset zoom" });
    assert.ok(!(await reset.isVisible()), "there is nothing to take back yet");
    await readRun(page, figure);
    await screenshot(page, `notebook-zoom-run-${name}`);

    const whole = await look(figure);
    const [{ x, y, width, height }] = whole.panels;
    await page.mouse.move(x + width * 0.35, y + height * 0.75);
    await page.mouse.move(x + width * 0.36, y + height * 0.75);
    assert.equal(await figure.locator(".drawing.brushable").count(), 1, "a panel has a crosshair");
    await page.mouse.click(x + width * 0.36, y + height * 0.75);
    assert.equal((await look(figure)).said, "", "a click is no drag");
    await page.mouse.down();
    await page.mouse.move(x + width * 0.8, y + height * 0.8, { steps: 6 });
    await screenshot(page, `notebook-zoom-drag-${name}`);
    await page.mouse.up();
    await until(async () => (await look(figure)).labels !== whole.labels, "a closer look");
    const closer = await look(figure);
    assert.match(closer.said, /^Zoomed to tasks [\d.]+k?–[\d.]+k?\.$/);
    assert.ok(await reset.isVisible(), "there is a way back");
    assert.equal(await page.evaluate(() => getSelection().toString()), "", "nothing is selected by the drag");
    await page.mouse.move(x + width * 0.5, y + height + 60);
    await page.waitForTimeout(500);
    await screenshot(page, `notebook-zoom-closer-${name}`);
    // All of the notebook: what is not on the page is not laid out.
    await page.setViewportSize({ width: 1280, height: 8600 });
    await page.waitForTimeout(1500);
    const { problems } = await illegible(frame, 4.5);
    assert.deepEqual(problems, [], `what cannot be read in ${theme}`);
    await page.setViewportSize(SIZE);
    await page.waitForTimeout(1000);
    await readRun(page, figure);
    assert.equal(
      await page.locator(".tabs-container .tab.active.dirty").count(),
      0,
      "the notebook is not changed by looking closer",
    );

    // The wheel scrolls the notebook, also over a zoomed panel.
    const before = (await figure.boundingBox()).y;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.wheel(0, 120);
    await until(async () => (await figure.boundingBox()).y < before - 20, "scrolling with the wheel");
    await page.mouse.wheel(0, -400);
    await until(async () => Math.abs((await figure.boundingBox()).y - before) < 2, "scrolling back");

    await reset.focus();
    await page.keyboard.press("Enter");
    await until(async () => (await look(figure)).labels === whole.labels, "the way back");
    assert.ok(!(await reset.isVisible()), "the way back is gone with the zoom");
    await page.mouse.move(x + width * 0.5, y + height + 60);
    await page.waitForTimeout(500);
    await screenshot(page, `notebook-zoom-reset-${name}`);
  }
}
