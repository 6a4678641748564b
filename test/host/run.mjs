// Runs the in-host suite through @vscode/test-electron: in the installed host, or with `--desktop` in a downloaded VS Code.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { runTests } from "@vscode/test-electron";
import { root } from "../../scripts/setup.mjs";

/** Bundles the suite to one CommonJS file without Node modules, as a web worker host needs it. */
export async function bundleSuite() {
  const outfile = join(root, "dist", "test", "suite.js");
  await build({
    entryPoints: [join(root, "test/host/suite/index.ts")],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "browser",
    external: ["vscode"],
    define: { ONLY: JSON.stringify(process.env.SCALING_LENS_ONLY ?? "") },
    logLevel: "warning",
    sourcemap: "inline",
  });
  return outfile;
}

/** A copy of the sample workspace that tests may change. */
export function sampleCopy() {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-sample-"));
  cpSync(join(root, "samples", "appworld"), folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Resolves to the number of passed and failed tests, as the suite printed them. */
export async function runHostSuite({ desktop = false } = {}) {
  const extensionTestsPath = await bundleSuite();
  const sample = sampleCopy();
  let output = "";
  const write = process.stdout.write;
  process.stdout.write = (chunk, ...rest) => {
    output += chunk;
    return write.call(process.stdout, chunk, ...rest);
  };
  let code = 0;
  try {
    code = await runTests({
      ...(desktop ? {} : { vscodeExecutablePath: fileURLToPath(new URL("launch.mjs", import.meta.url)) }),
      extensionDevelopmentPath: root,
      extensionTestsPath,
      launchArgs: [sample.folder],
      extensionTestsEnv: { ...process.env },
    });
  } catch (error) {
    code = 1;
    console.error(String(error));
  } finally {
    process.stdout.write = write;
    sample.remove();
  }
  const counted = /host suite: (\d+) passed, (\d+) failed/.exec(output);
  const passed = counted ? Number(counted[1]) : 0;
  const failed = counted ? Number(counted[2]) : 1;
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await runHostSuite({ desktop: process.argv.includes("--desktop") });
  process.exit(failed ? 1 : 0);
}
