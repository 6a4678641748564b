// Opens the sample workspace with the extension: in the desktop `code` when there is one, else in a VS Code server on localhost.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildBundles, root, setup } from "./setup.mjs";

setup();
buildBundles();
const sample = join(root, "samples", "appworld");
const desktop =
  !process.argv.includes("--web") &&
  spawnSync("code", ["--version"], { stdio: "ignore", shell: process.platform === "win32" }).status === 0;
if (desktop) {
  console.log("Opening the sample workspace in VS Code …");
  spawn("code", [`--extensionDevelopmentPath=${root}`, sample], {
    stdio: "ignore",
    detached: true,
    shell: process.platform === "win32",
  }).unref();
} else {
  const { startServer, workbenchUrl } = await import("../test/host/workbench.mjs");
  const server = await startServer();
  console.log(
    "\nNo desktop `code` on the PATH, so a VS Code server is running. Open this address in Chrome or Edge:\n",
  );
  console.log(
    `  ${workbenchUrl(server, { folder: sample, extension: root, openFile: join(sample, "appworld.budget.yaml") })}\n`,
  );
  console.log("Ctrl+C ends it.");
  // A closed terminal ends it too, not Ctrl+C alone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      server.close();
      process.exit(0);
    });
  setInterval(() => {}, 1 << 30);
}
