// Steps through the user interface of a real workbench, with a picture of each. Closes with a count.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/setup.mjs";
import { sampleCopy } from "../run.mjs";
import { startBrowser, startServer } from "../workbench.mjs";
import { screenshot } from "./page.mjs";

const here = join(root, "test", "host", "ui");

/** A step is `test/host/ui/steps/<name>.mjs` with `export default async ({ browser, server, sample, extension, screenshot })`. */
export async function runInterfaceSteps({ only, extension = root, extensionsDir, prefix = "" } = {}) {
  const picture = (page, name) => screenshot(page, `${prefix}${name}`);
  const names = readdirSync(join(here, "steps"))
    .filter((name) => name.endsWith(".mjs") && (!only || name.includes(only)))
    .sort();
  const server = await startServer({ extensionsDir });
  const browser = await startBrowser();
  const counts = { passed: 0, failed: 0 };
  try {
    for (const name of names) {
      const sample = sampleCopy();
      const pages = [];
      browser.context.on("page", (page) => pages.push(page));
      try {
        const { default: step } = await import(join(here, "steps", name));
        await step({ browser, server, sample: sample.folder, extension, screenshot: picture });
        counts.passed++;
        console.log(`ok   ${name}`);
      } catch (error) {
        counts.failed++;
        console.error(`FAIL ${name}\n     ${error?.stack ?? error}`);
        const page = pages.at(-1);
        if (page && !page.isClosed()) await picture(page, `failed-${name.replace(/\.mjs$/, "")}`).catch(() => {});
      } finally {
        for (const page of pages) await page.close().catch(() => {});
        server.applySettings({});
        sample.remove();
      }
    }
  } finally {
    await browser.close();
    server.close();
  }
  console.log(`user interface: ${counts.passed} passed, ${counts.failed} failed`);
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await runInterfaceSteps({ only: process.argv[2] });
  process.exit(failed ? 1 : 0);
}
