// Installs the VS Code hosts of the tests, each once per lock file, outside the checkout.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** spdlog's native logger, replaced by one that says nothing: the host's own log files are of no use to a test. */
const SPDLOG_STUB = `class Logger {
  trace() {} debug() {} info() {} warn() {} error() {} critical() {} setLevel() {} setPattern() {} clearFormatters() {} flush() {} drop() {}
  getLevel() { return 2; }
}
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async () => new Logger();
exports.createAsyncRotatingLogger = async () => new Logger();
`;

function npm(cwd, args) {
  const { status } = spawnSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed in ${cwd}`);
}

/**
 * Installs the packages of `source` (a folder with package.json and lock file) into a cache folder named after the lock's
 * hash, lets `finish` prepare it, and returns that folder. Built aside and renamed, so that an interrupted install is never used.
 */
function installOnce(name, source, title, finish = () => {}) {
  const hash = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest("hex")
    .slice(0, 16);
  const cache = process.env.SCALING_LENS_CACHE ?? join(homedir(), ".cache", "scaling-lens");
  const target = join(cache, `${name}-${hash}`);
  if (existsSync(join(target, ".done"))) return target;
  console.log(`Installing ${title}, once …`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "installing-"));
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(source, file), join(work, file));
  npm(work, ["ci"]);
  finish(work);
  writeFileSync(join(work, ".done"), new Date().toISOString());
  rmSync(target, { recursive: true, force: true });
  renameSync(work, target);
  return target;
}

const vscodeOf = (folder) => join(folder, "node_modules", "code-server", "lib", "vscode");

/** The host with a Node extension host (VS Code 1.100); returns the folder of its server. */
export function installHost() {
  return vscodeOf(
    installOnce("host", here, "the VS Code host for tests (about 300 MB)", (work) => {
      const vscode = vscodeOf(work);
      npm(vscode, ["install", "--omit=dev", "--no-save"]);
      writeFileSync(join(vscode, "node_modules", "@vscode", "spdlog", "index.js"), SPDLOG_STUB);
      writeFileSync(join(vscode, "node_modules", "native-watchdog", "index.js"), "exports.start = () => {};\n");
      const rg = join(work, "node_modules", "@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin");
      cpSync(rg, join(vscode, "node_modules", "@vscode", "ripgrep", "bin"), { recursive: true });
    }),
  );
}

/** The host whose extensions run in a web worker (VS Code 1.137); returns its node_modules. */
export function installWebHost() {
  return join(
    installOnce("host-web", join(here, "web"), "the VS Code web host for tests (about 600 MB)"),
    "node_modules",
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(installHost(), installWebHost());
