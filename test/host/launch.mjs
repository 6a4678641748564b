#!/usr/bin/env node
// Takes the arguments of a VS Code executable and runs an in-host test suite in the installed host,
// so that @vscode/test-electron drives it and a desktop VS Code alike.
import { startBrowser, startServer, workbenchUrl } from "./workbench.mjs";

const flag = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
// A machine may be busy with other things.
const LIMIT = 600_000;

const server = await startServer();
const browser = await startBrowser();
let code = 1;
try {
  const page = await browser.context.newPage();
  const done = new Promise((resolve) => {
    void page.exposeFunction("codeAutomationExit", (value) => resolve(value));
  });
  await page.exposeFunction("codeAutomationLog", (_type, values) => {
    // The workbench logs a great deal of its own; the suite marks its lines.
    const line = String(values[0]);
    if (line.startsWith("[suite] ")) console.log(line.slice(8));
    else if (process.env.SCALING_LENS_VERBOSE) console.error(...values);
  });
  await page.goto(
    workbenchUrl(server, { folder, extension: flag("extensionDevelopmentPath"), tests: flag("extensionTestsPath") }),
  );
  const late = new Promise((resolve) =>
    setTimeout(() => {
      console.error(`No verdict from the host in ${LIMIT / 1000} s.`);
      resolve(1);
    }, LIMIT).unref(),
  );
  code = await Promise.race([done, late]);
} finally {
  await browser.close();
  server.close();
}
process.exit(code);
