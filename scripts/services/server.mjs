// A server that tests start, may kill and start again on the same data, and that leaves nothing behind.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const isRoot = process.getuid?.() === 0;

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A folder for a server's data. @param owner ids of the user who must own it, where it is not this one */
export function dataFolder(name, owner) {
  const folder = mkdtempSync(join(tmpdir(), `scaling-lens-${name}-`));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** Ids of a user by name; undefined where there is none. */
export function userIds(name) {
  const id = (flag) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
  const [uid, gid] = [id("-u"), id("-g")];
  return uid > 0 ? { uid, gid } : undefined;
}

/** Folders of servers that were not stopped: an interrupted test leaves none. */
const left = new Set();
process.on("exit", () => left.forEach((server) => server.endNow()));

/** One server process. */
export class Server {
  #child;
  #ended;

  /** @param {{ name: string, folder: string, command: string, args: string[], owner?: object, isUp: () => Promise<boolean> }} about */
  constructor(about) {
    this.about = about;
    this.logFile = join(about.folder, "log");
  }

  /** All that the server has written. */
  log() {
    return readFileSync(this.logFile, "utf8");
  }

  /** Starts the server, or starts it again on its data, and waits until it answers. */
  async start() {
    const { command, args, folder, owner, isUp, name } = this.about;
    const out = openSync(this.logFile, "a");
    // A group of its own: what the server has forked is killed with it.
    this.#child = spawn(command, args, { stdio: ["ignore", out, out], cwd: folder, detached: true, ...owner });
    closeSync(out);
    this.#child.unref();
    left.add(this);
    const child = this.#child;
    this.#ended = new Promise((done) => child.once("exit", done));
    const end = Date.now() + 90_000;
    while (child.exitCode === null && child.signalCode === null && Date.now() < end) {
      if (await isUp().catch(() => false)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`${name} did not start:\n${this.log().slice(-4000)}`);
  }

  /** Ends the process and all that it has forked, as a machine does that loses its power. */
  async kill() {
    // What waits for the end of a process must not end before it.
    this.#child.ref();
    this.#signal("SIGKILL");
    await this.#ended;
  }

  /** Holds the process and all that it has forked: it keeps its connections, and says nothing. */
  pause() {
    this.#signal("SIGSTOP");
  }

  resume() {
    this.#signal("SIGCONT");
  }

  /** Ends it and removes its data. */
  async stop() {
    await this.kill();
    this.endNow();
  }

  endNow() {
    this.#signal("SIGKILL");
    left.delete(this);
    rmSync(this.about.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #signal(signal) {
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // It has ended already.
    }
  }
}
