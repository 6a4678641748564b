// Brings node_modules in step with the lock file. Node built-ins only, so that it runs on a bare machine.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a command from the project's root with its output shown; throws when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
}

export function lockHash(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** npm as the running Node's own, so that no shell is needed to find it. */
export function npm(args, options) {
  run(process.platform === "win32" ? "npm.cmd" : "npm", args, options);
}

/** Installs the packages when the lock file has changed since the last time. */
export function setup() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) throw new Error(`Scaling Lens needs Node 20 or newer; this is ${process.version}.`);
  const stamp = join(root, "node_modules", ".scaling-lens-lock");
  const hash = lockHash(join(root, "package-lock.json"));
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.log("Installing packages (npm ci, no install scripts) …");
  npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, hash);
}

/** Builds the bundles into dist/. */
export function buildBundles(args = []) {
  run(process.execPath, ["esbuild.mjs", ...args]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
