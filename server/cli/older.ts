import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Host } from "../host";
import { toUri } from "../node/host";
import { InputError } from "./io";

/** What a fit rests on stays as it is now, so that a difference is the config's. */
const KEPT = /(^|\/)scaling\.ya?ml$|\.fit\.json$/;
const CONFIG = /\.(ya?ml|toml|jsonc?|sh|bash|sbatch|slurm|py)$/i;

/** The files of a folder as they were: at a git revision, or in another folder. */
export async function hostAt(host: Host, cwd: string, base: string): Promise<Host> {
  const folder = await stat(resolve(cwd, base)).catch(() => undefined);
  const older = folder?.isDirectory() ? inFolder(host, cwd, resolve(cwd, base)) : await inRevision(cwd, base);
  return {
    ...host,
    readChunks: (uri, size) => host.readChunks(uri, size),
    async readFile(uri, options) {
      const bytes = await older(uri);
      return bytes === "as it is" ? host.readFile(uri, options) : bytes;
    },
    async stat(uri) {
      const bytes = await older(uri);
      if (bytes === "as it is") return host.stat(uri);
      return bytes && { kind: "file", size: bytes.length, modified: 0 };
    },
  };
}

type Older = (uri: string) => Promise<Uint8Array | undefined | "as it is">;

function inFolder(host: Host, cwd: string, folder: string): Older {
  return async (uri) => {
    const path = pathIn(uri, cwd);
    if (path === null || KEPT.test(path) || !CONFIG.test(path)) return "as it is";
    return host.readFile(toUri(join(folder, path)));
  };
}

async function inRevision(cwd: string, revision: string): Promise<Older> {
  const run = promisify(execFile);
  const git = async (...args: string[]): Promise<Buffer> => {
    const { stdout } = await run("git", args, { cwd, encoding: "buffer", maxBuffer: 64e6 });
    return stdout;
  };
  let top: string;
  let commit: string;
  try {
    top = (await git("rev-parse", "--show-toplevel")).toString().trim();
    const name = await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
    commit = name.toString().trim();
  } catch {
    throw new InputError(`--base ${revision}: there is no such git revision or folder here`);
  }
  return async (uri) => {
    const path = pathIn(uri, top);
    if (path === null || KEPT.test(path) || !CONFIG.test(path)) return "as it is";
    try {
      return new Uint8Array(await git("cat-file", "blob", `${commit}:${path}`));
    } catch {
      return undefined;
    }
  };
}

/** A file's path within a folder, with slashes; null outside it. */
function pathIn(uri: string, folder: string): string | null {
  try {
    const path = relative(folder, fileURLToPath(uri));
    return path.startsWith("..") || path === "" ? null : path.split(sep).join("/");
  } catch {
    return null;
  }
}
