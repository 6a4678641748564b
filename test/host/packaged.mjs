// Builds the .vsix, installs it into a clean host and runs the interface steps against what a user would have.
// By hand: node test/host/packaged.mjs [STEP] [--target=linux-x64]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root, run } from "../../scripts/setup.mjs";
import { installHost } from "./install.mjs";
import { runInterfaceSteps } from "./ui/run.mjs";

/** Resolves to the number of passed and failed steps; a package that cannot be built or installed is one failure. */
export async function runPackagedSteps({ only, target } = {}) {
  const extensionsDir = mkdtempSync(join(tmpdir(), "scaling-lens-extensions-"));
  try {
    run(process.execPath, ["scripts/package.mjs", ...(target ? [`--target=${target}`] : [])], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(installHost(), "out", "server-main.js"),
        "--install-extension",
        join(root, `${name}-${version}${target ? `-${target}` : ""}.vsix`),
        "--extensions-dir",
        extensionsDir,
        "--accept-server-license-terms",
      ],
      { encoding: "utf8" },
    );
    if (status !== 0 || !/successfully installed/i.test(stdout))
      throw new Error(`the package could not be installed:\n${stdout}${stderr}`);
    return await runInterfaceSteps({ only, extension: null, extensionsDir, prefix: "packaged-" });
  } catch (error) {
    console.error(String(error));
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(extensionsDir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const target = args.find((argument) => argument.startsWith("--target="))?.slice("--target=".length);
  const { failed } = await runPackagedSteps({ target, only: args.find((argument) => !argument.startsWith("--")) });
  process.exit(failed ? 1 : 0);
}
