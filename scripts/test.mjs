// The whole test suite on a machine that has only Node and npm: sets up, then types, lint, unit and protocol tests,
// the in-host suite and the user-interface steps. Closes with one count.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureServices } from "./services.mjs";
import { buildBundles, root, setup } from "./setup.mjs";
import { ensureBrowser } from "./system.mjs";

const total = { passed: 0, failed: 0 };

function count(name, { passed, failed }) {
  total.passed += passed;
  total.failed += failed;
  console.log(`— ${name}: ${passed} passed, ${failed} failed\n`);
}

function check(name, script, args = []) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" });
  count(name, status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

function unitTests() {
  const report = join(root, "test", "results", "unit.json");
  mkdirSync(join(root, "test", "results"), { recursive: true });
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { cwd: root, stdio: "inherit" },
  );
  if (!existsSync(report)) return count("unit and protocol tests", { passed: 0, failed: 1 });
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  count("unit and protocol tests", {
    passed: numPassedTests,
    failed: status !== 0 && numFailedTests === 0 ? 1 : numFailedTests,
  });
}

setup();
ensureBrowser();
const absent = ensureServices();
buildBundles(["--production"]);
check("types", "scripts/typecheck.mjs");
check("form", "node_modules/prettier/bin/prettier.cjs", ["--check", ".", "--log-level", "warn"]);
check("lint", "node_modules/eslint/bin/eslint.js", [".", "--quiet"]);
check("imports", "scripts/folders.mjs");
check("unused exports and packages", "node_modules/knip/bin/knip.js", ["--no-progress"]);
unitTests();
const { runHostSuite } = await import("../test/host/run.mjs");
count("in-host suite, Node extension host", await runHostSuite());
const { runWebHostSuite } = await import("../test/host/web/run.mjs");
count("in-host suite, browser extension host", await runWebHostSuite());
// The interface steps run once, against what a user would have: the installed package.
const { runPackagedSteps } = await import("../test/host/packaged.mjs");
count("user interface, installed package", await runPackagedSteps());

for (const name of absent)
  console.log(`Not tested against a real server, since it is not here and could not be installed: ${name}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed ? 1 : 0);
