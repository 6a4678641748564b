import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const here = resolve(__dirname);
const root = resolve(here, "../..");

/** Builds what Node runs; the folder lies where its programs find the packages, and is to be removed. */
export function buildPrograms(): string {
  const folder = mkdtempSync(join(root, "node_modules", ".hostile-"));
  execFileSync(process.execPath, [join(here, "build.mjs"), folder], { cwd: root });
  return folder;
}

/** How a program ended, and what it took. Null: it was killed before it could say. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly usage: { readonly cpu: number; readonly memory: number } | null;
}

/** Processor seconds after which the system ends a program that hangs. */
const CPU_SECONDS = 20;

/**
 * Runs the command line in a folder, under limits that the system holds: what waits for ever is ended by the clock, what
 * works for ever by its processor time, so that a machine under load fails nothing.
 */
export function runCli(programs: string, folder: string, args: readonly string[]): Promise<Ended> {
  const scratch = mkdtempSync(join(tmpdir(), "scaling-lens-usage-"));
  const file = join(scratch, "usage.json");
  const command = [
    process.execPath,
    "--max-old-space-size=1024",
    "--import",
    pathToFileURL(join(here, "usage.mjs")).href,
    join(programs, "cli.js"),
  ];
  return new Promise((done, failed) => {
    const child = spawn("bash", ["-c", `ulimit -t ${CPU_SECONDS}; exec "$@"`, "bash", ...command, ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 90_000,
      killSignal: "SIGKILL",
      env: { ...process.env, USAGE_FILE: file, NODE_OPTIONS: "" },
    });
    let output = "";
    const collect = (chunk: Buffer) => {
      if (output.length < 4e6) output += chunk.toString("utf8");
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", failed);
    child.on("close", (code, signal) => {
      let usage: Ended["usage"] = null;
      try {
        usage = JSON.parse(readFileSync(file, "utf8")) as Ended["usage"];
      } catch {
        // Killed: there is none.
      }
      rmSync(scratch, { recursive: true, force: true });
      done({ code, signal, output, usage });
    });
  });
}
