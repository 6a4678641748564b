// Installs the VS Code host of the tests once per lock file, outside the checkout.
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
  const { status } = spawnSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed in ${cwd}`);
}

/** The folder of the host's `lib/vscode`, installed when it is not there yet. */
export function installHost() {
  const lock = join(here, "package-lock.json");
  const hash = createHash("sha256").update(readFileSync(lock)).update(readFileSync(fileURLToPath(import.meta.url))).digest("hex").slice(0, 16);
  const cache = process.env.SCALING_LENS_CACHE ?? join(homedir(), ".cache", "scaling-lens");
  const target = join(cache, `host-${hash}`);
  const vscode = join(target, "node_modules", "code-server", "lib", "vscode");
  if (existsSync(join(target, ".done"))) return vscode;

  console.log("Installing the VS Code host for tests (about 300 MB, once) …");
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "installing-"));
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(here, file), join(work, file));
  npm(work, ["ci"]);
  const inner = join(work, "node_modules", "code-server", "lib", "vscode");
  npm(inner, ["install", "--omit=dev", "--no-save"]);
  writeFileSync(join(inner, "node_modules", "@vscode", "spdlog", "index.js"), SPDLOG_STUB);
  writeFileSync(join(inner, "node_modules", "native-watchdog", "index.js"), "exports.start = () => {};\n");
  const rg = join(work, "node_modules", "@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin");
  cpSync(rg, join(inner, "node_modules", "@vscode", "ripgrep", "bin"), { recursive: true });
  writeFileSync(join(work, ".done"), new Date().toISOString());
  rmSync(target, { recursive: true, force: true });
  renameSync(work, target);
  return vscode;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(installHost());
