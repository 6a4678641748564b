// Debian's postgresql on a free loopback port.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, freePort, isRoot, Server, userIds } from "./server.mjs";

const PASSWORD = "lens-test";

/** The folder of Postgres's programs, the newest version's; undefined where there is none. */
export function postgresPrograms() {
  const top = "/usr/lib/postgresql";
  const versions = existsSync(top)
    ? readdirSync(top).filter((name) => existsSync(join(top, name, "bin", "initdb")))
    : [];
  return versions.length > 0 ? join(top, versions.sort((a, b) => Number(b) - Number(a))[0], "bin") : undefined;
}

/** Starts a Postgres with an empty database `scaling` and user `lens` (password in `password`). Null where there is none. */
export async function startPostgres() {
  const programs = postgresPrograms();
  // Postgres refuses to run as root.
  const owner = isRoot ? userIds("postgres") : undefined;
  if (!programs || (isRoot && !owner)) return null;
  const folder = dataFolder("postgres", owner);
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  writeFileSync(passwordFile, PASSWORD);
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "lens", `--pwfile=${passwordFile}`, "-A", "md5", "-E", "UTF8", "--locale=C", "-N"],
    { encoding: "utf8", cwd: folder, ...owner },
  );
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`);
  const port = await freePort();
  const { default: pg } = await import("pg");
  const connection = { host: "127.0.0.1", port, user: "lens", password: PASSWORD };
  /** Rows of one statement as the user who may write. */
  const run = async (sql, database = "scaling") => {
    const client = new pg.Client({ ...connection, database, application_name: "test" });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const settings = ["fsync=off", "log_statement=all", "log_duration=on", "log_line_prefix=%a: ", "max_connections=20"];
  const server = new Server({
    name: "Postgres",
    folder,
    owner,
    command: join(programs, "postgres"),
    args: ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", folder, ...settings.flatMap((one) => ["-c", one])],
    isUp: () => run("SELECT 1", "postgres").then(() => true),
  });
  await server.start();
  await run("CREATE DATABASE scaling", "postgres");
  return {
    port,
    uri: `postgres://lens@127.0.0.1:${port}/scaling`,
    password: PASSWORD,
    run,
    log: () => server.log(),
    /** Statements that a program has sent, by the server's own log. */
    statements: (application) =>
      server
        .log()
        .split("\n")
        .flatMap((line) => {
          const [, from, sql] = /^(.*?): LOG: {2}(?:statement|execute [^:]*): (.*)$/.exec(line) ?? [];
          return from === application ? [sql] : [];
        }),
    /** Milliseconds that statements of a program took, by the server's own log. */
    took: (application) =>
      Promise.resolve(
        server
          .log()
          .split("\n")
          .reduce((sum, line) => {
            const [, from, ms] = /^(.*?): LOG: {2}duration: ([\d.]+) ms$/.exec(line) ?? [];
            return from === application ? sum + Number(ms) : sum;
          }, 0),
      ),
    pause: () => server.pause(),
    resume: () => server.resume(),
    kill: () => server.kill(),
    start: () => server.start(),
    stop: () => server.stop(),
  };
}
