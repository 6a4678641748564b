// The database servers that tests read from: Debian's postgresql and clickhouse-server on free loopback ports, in folders of
// their own. `npm run services` starts both and prints where they are; they end with it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureChdb, hasChdb } from "./services/chdb.mjs";
import { clickhouseProgram, startClickhouse } from "./services/clickhouse.mjs";
import { postgresPrograms, startPostgres } from "./services/postgres.mjs";
import { isRoot } from "./services/server.mjs";

export { startChdb } from "./services/chdb.mjs";
export { startClickhouse } from "./services/clickhouse.mjs";
export { startPostgres } from "./services/postgres.mjs";
export { freePort } from "./services/server.mjs";

/** Installs Debian packages where this may be done. */
function install(packages) {
  if (!isRoot || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Installing ${packages.join(" and ")} by apt …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { stdio: "ignore", env });
}

/**
 * Makes sure of the servers where that can be done. Returns those that cannot be had, for people. A current ClickHouse is half a
 * gigabyte of one package, so it is fetched only by `npm run services`.
 */
export function ensureServices({ current = false } = {}) {
  if (!postgresPrograms()) install(["postgresql"]);
  if (!clickhouseProgram()) install(["clickhouse-server"]);
  const there = [
    ["postgresql (Debian's package by apt, as root)", postgresPrograms()],
    ["clickhouse-server (Debian's package by apt, as root)", clickhouseProgram()],
    ["a current ClickHouse (chdb: `npm run services` installs it, Linux on x64)", current ? ensureChdb() : hasChdb()],
  ];
  return there.flatMap(([name, found]) => (found ? [] : [name]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const absent = ensureServices({ current: true });
  const [postgres, clickhouse] = [await startPostgres(), await startClickhouse()];
  if (postgres) console.log(`Postgres: ${postgres.uri} (PGPASSWORD=${postgres.password})`);
  if (clickhouse)
    console.log(
      `ClickHouse: ${clickhouse.uri} (CLICKHOUSE_USER=${clickhouse.user} CLICKHOUSE_PASSWORD=${clickhouse.password})`,
    );
  for (const name of absent) console.log(`Not here, and could not be installed: ${name}`);
  const waiting = setInterval(() => undefined, 60_000);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      clearInterval(waiting);
      void Promise.all([postgres?.stop(), clickhouse?.stop()]).then(() => process.exit(0));
    });
}
