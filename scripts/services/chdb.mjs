// A current ClickHouse for tests: chdb of its own lock file, behind HTTP.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, freePort, Server } from "./server.mjs";

const home = join(import.meta.dirname, "chdb");
/** Whether it is installed. */
export const hasChdb = () => existsSync(join(home, "node_modules", "chdb", "package.json"));

/** Installs chdb (half a gigabyte) where that can be done. Returns whether it is there. */
export function ensureChdb() {
  if (hasChdb()) return true;
  if (process.platform !== "linux" || process.arch !== "x64") return false;
  console.log("Installing chdb (npm install in scripts/services/chdb, by its lock file) …");
  // Not `npm ci`: it wants the libraries of other platforms to be in the lock file.
  spawnSync("npm", ["install", "--no-save", "--ignore-scripts", "--loglevel=error"], {
    cwd: home,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return hasChdb();
}

/** Starts a current ClickHouse with an empty database `lens`. Null where there is none. */
export async function startChdb() {
  if (!hasChdb()) return null;
  const folder = dataFolder("chdb");
  const port = await freePort();
  const [user, password, url] = ["lens", "lens-test", `http://127.0.0.1:${port}`];
  const server = new Server({
    name: "chdb",
    folder,
    command: process.execPath,
    args: [join(home, "shim.mjs"), String(port), folder, user, password],
    isUp: async () => (await fetch(`${url}/ping`)).ok,
  });
  await server.start();
  const lines = (name) => {
    const path = join(folder, name);
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line));
  };
  return {
    port,
    tcp: 0,
    uri: `clickhouse://127.0.0.1:${port}/lens`,
    user,
    password,
    /** The answer to one statement as a user who may write. */
    async run(sql) {
      const answer = await fetch(url, { method: "POST", body: sql });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text;
    },
    log: () => server.log(),
    /** Statements that a user has sent. */
    statements: () => Promise.resolve(lines("sent")),
    /** Milliseconds that the engine took for them. */
    took: () => Promise.resolve(lines("took").reduce((sum, ms) => sum + ms, 0)),
    pause: () => server.pause(),
    resume: () => server.resume(),
    kill: () => server.kill(),
    start: () => server.start(),
    stop: () => server.stop(),
  };
}
