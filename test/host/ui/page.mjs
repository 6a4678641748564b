// Helpers of the interface steps: one workbench page, looked at as a person would.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/setup.mjs";
import { workbenchUrl } from "../workbench.mjs";

export const SCREENS = join(root, "test", "results", "screens");

/** Opens the workbench on a folder, optionally with a file, and waits until its parts are there. */
export async function openWorkbench(browser, server, options) {
  const page = await browser.context.newPage();
  await page.goto(workbenchUrl(server, options));
  await page.waitForSelector(".monaco-workbench .part.editor", { timeout: 60_000 });
  return page;
}

/** Keeps a picture of the page in test/results/screens. */
export async function screenshot(page, name) {
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`) });
}

/** Opens a file from the explorer; notebooks opened before extensions are registered would come up as JSON. */
export async function openFromExplorer(page, name) {
  const row = page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).first();
  await row.waitFor({ timeout: 60_000 });
  await row.dblclick();
}

/** Runs a palette command by its title. */
export async function runCommand(page, title) {
  await page.keyboard.press("F1");
  const input = page.locator(
    ".quick-input-widget:not([style*='display: none']) input.input, .quick-input-widget input",
  );
  await input.first().waitFor();
  await input.first().fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await page.keyboard.press("Enter");
}

/** Text as a person reads it: VS Code writes inlay hints and lenses with no-break spaces. */
export function plain(text) {
  return (text ?? "").replace(/\u00a0/g, " ");
}

/**
 * A lens that says `pattern`, as soon as one does: its words and its links. Lenses are drawn anew whenever something is
 * known, so that one that was there a moment ago may be empty when it is read; all of them are read at one moment.
 */
export async function lensSaying(page, pattern, timeout = 90_000) {
  const end = Date.now() + timeout;
  let lenses = [];
  do {
    lenses = await page.locator(".codelens-decoration").evaluateAll((all) =>
      all.map((lens) => ({
        text: lens.innerText,
        links: [...lens.querySelectorAll("a")].map((link) => link.innerText),
      })),
    );
    for (const { text, links } of lenses)
      if (pattern.test(plain(text))) return { text: plain(text), links: links.map(plain) };
    await page.waitForTimeout(200);
  } while (Date.now() < end);
  const said = lenses.map((lens) => plain(lens.text)).join(" || ");
  throw new Error(`No lens says ${pattern} after ${timeout / 1000} s; they say: ${said || "nothing"}`);
}

/** The words of a lens that says `pattern`, as soon as one does. */
export const lensText = async (page, pattern, timeout) => (await lensSaying(page, pattern, timeout)).text;

/** Moves the mouse onto a word of the editor and waits for the hover; returns its text. */
export async function hoverWord(page, word) {
  const span = page.locator(".view-lines .view-line span span", { hasText: word }).first();
  await span.waitFor();
  await page.mouse.move(5, 5);
  await span.hover();
  const hover = page.locator(".monaco-hover:not(.hidden) .hover-contents");
  await hover.first().waitFor({ timeout: 30_000 });
  return plain((await hover.allInnerTexts()).join("\n"));
}

/** The first frame in which a selector is found: notebook outputs live in nested frames. */
export async function frameWith(page, selector, timeout = 60_000) {
  const end = Date.now() + timeout;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      try {
        if (await frame.locator(selector).count()) return frame;
      } catch {
        // The frame went away while it was looked at.
      }
    }
    await page.waitForTimeout(250);
  }
  throw new Error(`No frame shows ${selector} after ${timeout / 1000} s`);
}
