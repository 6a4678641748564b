// The main job without an editor: fits the sample logs, prints the annotated budget and what optimising it would change.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundles, root, setup } from "./setup.mjs";

setup();
buildBundles(["--production"]);
const cli = join(root, "dist", "cli.js");
const budget = join("samples", "appworld", "appworld.budget.yaml");
const scratch = mkdtempSync(join(tmpdir(), "scaling-lens-demo-"));

function step(title, args) {
  console.log(`\n\u2500\u2500 ${title}\n$ scaling-lens ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...args], { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(`scaling-lens ${args[0]} ended with ${status}`);
    process.exitCode = 1;
  }
}

try {
  step("Fit scaling laws from the sample's run logs (simulated, see samples/appworld/README.md)", [
    "fit",
    join("samples", "appworld", "runs"),
    "--out",
    join(scratch, "appworld.fit.json"),
  ]);
  step("What the budget is expected to reach", ["inspect", budget]);
  step("The best split of the same compute, as a diff (nothing is written)", ["optimise", budget]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(
  "\nTo see it in VS Code: npm start (desktop VS Code if `code` is on the PATH, else a web VS Code on localhost).",
);
