// Lens, hints, hover and the optimise preview in the four default themes: each must be there, and a picture of each is kept.
import assert from "node:assert/strict";
import { join } from "node:path";
import { hoverWord, openWorkbench, plain, runCommand } from "../page.mjs";

const THEMES = [
  ["light", "Default Light Modern"],
  ["dark", "Default Dark Modern"],
  ["high-contrast", "Default High Contrast"],
  ["high-contrast-light", "Default High Contrast Light"],
];

export default async function ({ browser, server, sample, extension, screenshot }) {
  server.applySettings({ "workbench.colorTheme": THEMES[0][1] });
  const page = await openWorkbench(browser, server, {
    folder: sample,
    extension,
    openFile: join(sample, "appworld.budget.yaml"),
  });
  await page.locator(".codelens-decoration", { hasText: "% success" }).first().waitFor({ timeout: 90_000 });
  await page.waitForFunction(() => /→/.test(document.querySelector(".view-lines")?.textContent ?? ""), null, {
    timeout: 60_000,
  });

  const backgrounds = new Set();
  for (const [name, theme] of THEMES) {
    server.applySettings({ "workbench.colorTheme": theme });
    await page.waitForTimeout(2500);
    backgrounds.add(
      await page
        .locator(".monaco-workbench")
        .first()
        .evaluate(
          (element) =>
            `${[...element.classList].filter((word) => /^(vs|vs-dark|hc-black|hc-light)$/.test(word)).join(" ")}`,
        ),
    );
    await screenshot(page, `lens-${name}`);

    const hover = await hoverWord(page, "trajectories");
    assert.match(hover, /rollouts/i, `hover in ${theme}: ${hover}`);
    await page.waitForTimeout(600);
    await screenshot(page, `hover-${name}`);
    await page.keyboard.press("Escape");

    await runCommand(page, "Scaling Lens: Optimise allocation");
    const discard = page.locator('.bulk-edit-panel .monaco-button:has-text("Discard")');
    await discard.waitFor({ timeout: 30_000 });
    await page.waitForTimeout(1000);
    const listed = plain(await page.locator(".bulk-edit-panel").innerText());
    assert.match(listed, /appworld\.budget\.yaml/, `preview in ${theme}: ${listed}`);
    await screenshot(page, `optimise-preview-${name}`);
    await discard.click();
    await discard.waitFor({ state: "hidden" });
  }
  assert.equal(backgrounds.size, THEMES.length, `every theme came into force: ${[...backgrounds].join(", ")}`);
}
