// The database servers that tests read from: Debian's postgresql and clickhouse-server on free loopback ports, in folders of
// their own. `node scripts/services.mjs` starts both and prints where they are; they end with it.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const isRoot = process.getuid?.() === 0;

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

/** Installs Debian packages where this may be done; false where it may not, or fails. */
function install(packages) {
  if (!isRoot || !existsSync("/usr/bin/apt-get")) return false;
  console.log(`Installing ${packages.join(" and ")} by apt …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env });
  return (
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { stdio: "ignore", env })
      .status === 0
  );
}

function postgresPrograms() {
  const top = "/usr/lib/postgresql";
  const versions = existsSync(top)
    ? readdirSync(top).filter((name) => existsSync(join(top, name, "bin", "initdb")))
    : [];
  return versions.length > 0 ? join(top, versions.sort((a, b) => Number(b) - Number(a))[0], "bin") : undefined;
}

const CLICKHOUSE = ["/usr/sbin/clickhouse-server", "/usr/bin/clickhouse-server"];
const clickhouseProgram = () => CLICKHOUSE.find((path) => existsSync(path));

/** Makes sure of both servers where that can be done. Returns which are there. */
export function ensureServices() {
  if (!postgresPrograms()) install(["postgresql"]);
  if (!clickhouseProgram()) install(["clickhouse-server"]);
  return { postgres: postgresPrograms() !== undefined, clickhouse: clickhouseProgram() !== undefined };
}

/** Waits until `ready()` resolves to true. */
async function until(ready, what, log) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    if (await ready().catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${what} did not start:\n${log()}`);
}

function collected(child) {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (text = (text + data).slice(-4000)));
  return () => text;
}

/**
 * Starts a Postgres with an empty database `scaling` and user `lens` (password in `password`). Null where there is none.
 */
export async function startPostgres() {
  const programs = postgresPrograms();
  if (!programs) return null;
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-postgres-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  const password = "lens-test";
  writeFileSync(join(folder, "password"), password, { mode: 0o644 });
  // Postgres refuses to run as root.
  const as = (command, args) => (isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args]);
  const [init, initArguments] = as(join(programs, "initdb"), [
    "-D",
    data,
    "-U",
    "lens",
    `--pwfile=${join(folder, "password")}`,
    "-A",
    "md5",
    "-E",
    "UTF8",
    "--locale=C",
    "-N",
  ]);
  const made = spawnSync(init, initArguments, { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`);
  const port = await freePort();
  const [command, args] = as(join(programs, "postgres"), [
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    folder,
    "-c",
    "fsync=off",
    "-c",
    "log_statement=all",
  ]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const log = collected(child);
  const { default: pg } = await import("pg");
  const connection = { host: "127.0.0.1", port, user: "lens", password };
  await until(
    async () => {
      const client = new pg.Client({ ...connection, database: "postgres" });
      await client.connect();
      await client.query("CREATE DATABASE scaling");
      await client.end();
      return true;
    },
    "Postgres",
    log,
  );
  return {
    port,
    connection: { ...connection, database: "scaling" },
    uri: `postgres://lens@127.0.0.1:${port}/scaling`,
    password,
    log,
    stop: (signal = "SIGINT") => stopped(child, signal, folder),
  };
}

/**
 * Starts a ClickHouse with an empty database `default`. Null where there is none.
 * @param {{ tcp?: number, shards?: readonly number[] }} options its own TCP port, and those of the shards of a cluster `both`
 */
export async function startClickhouse({ tcp: asked, shards = [] } = {}) {
  const program = clickhouseProgram();
  if (!program) return null;
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-clickhouse-"));
  const [http, tcp] = [await freePort(), asked ?? (await freePort())];
  for (const name of ["data", "tmp", "format", "files"]) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, "config.xml"),
    `<yandex><logger><level>warning</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<format_schema_path>${folder}/format/</format_schema_path><user_files_path>${folder}/files/</user_files_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<remote_servers><both>${shards.map((port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`).join("")}</both></remote_servers><mark_cache_size>268435456</mark_cache_size><timezone>UTC</timezone><query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>200</flush_interval_milliseconds></query_log></yandex>`,
  );
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage><log_queries>1</log_queries></default><reading><readonly>2</readonly><log_queries>1</log_queries></reading></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<lens><password>lens-test</password><networks><ip>127.0.0.1</ip></networks><profile>reading</profile><quota>default</quota></lens></users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas></yandex>`,
  );
  const child = spawn(program, [`--config-file=${join(folder, "config.xml")}`], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: folder,
  });
  const log = collected(child);
  const url = `http://127.0.0.1:${http}`;
  await until(async () => (await fetch(`${url}/ping`)).ok, "ClickHouse", log);
  /** One statement as the user who may write. */
  const run = async (sql) => {
    const answer = await fetch(url, { method: "POST", body: sql });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
  return {
    port: http,
    tcp,
    uri: `clickhouse://127.0.0.1:${http}/default`,
    user: "lens",
    password: "lens-test",
    run,
    log,
    stop: (signal = "SIGTERM") => stopped(child, signal, folder),
  };
}

function stopped(child, signal, folder) {
  return new Promise((done) => {
    const end = () => {
      rmSync(folder, { recursive: true, force: true });
      done();
    };
    if (child.exitCode !== null) return end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
    child.once("exit", () => {
      clearTimeout(timer);
      end();
    });
    child.kill(signal);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const there = ensureServices();
  const [postgres, clickhouse] = [await startPostgres(), await startClickhouse()];
  if (postgres) console.log(`Postgres: ${postgres.uri} (PGPASSWORD=${postgres.password})`);
  if (clickhouse)
    console.log(
      `ClickHouse: ${clickhouse.uri} (CLICKHOUSE_USER=${clickhouse.user} CLICKHOUSE_PASSWORD=${clickhouse.password})`,
    );
  for (const [name, ok] of Object.entries(there))
    if (!ok) console.log(`${name}: not here, and not installed (Debian's package by apt, as root)`);
  process.on("SIGINT", () => void Promise.all([postgres?.stop(), clickhouse?.stop()]).then(() => process.exit(0)));
}
