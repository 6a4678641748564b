// Debian's clickhouse-server on free loopback ports.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, freePort, Server } from "./server.mjs";

const CLICKHOUSE = ["/usr/sbin/clickhouse-server", "/usr/bin/clickhouse-server"];
export const clickhouseProgram = () => CLICKHOUSE.find((path) => existsSync(path));

/**
 * Starts a ClickHouse with an empty database `default`. Null where there is none.
 * @param {{ tcp?: number, shards?: readonly number[] }} options its own TCP port, and those of the shards of a cluster `both`
 */
export async function startClickhouse({ tcp: asked, shards = [] } = {}) {
  const command = clickhouseProgram();
  if (!command) return null;
  const folder = dataFolder("clickhouse");
  const [http, tcp] = [await freePort(), asked ?? (await freePort())];
  for (const name of ["data", "tmp", "format", "files"]) mkdirSync(join(folder, name));
  const replicas = shards.map((port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`);
  writeFileSync(
    join(folder, "config.xml"),
    `<yandex><logger><level>warning</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<format_schema_path>${folder}/format/</format_schema_path><user_files_path>${folder}/files/</user_files_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<remote_servers><both>${replicas.join("")}</both></remote_servers><mark_cache_size>268435456</mark_cache_size><timezone>UTC</timezone>
<query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>200</flush_interval_milliseconds></query_log></yandex>`,
  );
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex><profiles><default><max_memory_usage>4000000000</max_memory_usage><log_queries>1</log_queries></default><reading><max_memory_usage>4000000000</max_memory_usage><readonly>2</readonly><log_queries>1</log_queries></reading></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<lens><password>lens-test</password><networks><ip>127.0.0.1</ip></networks><profile>reading</profile><quota>default</quota></lens></users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas></yandex>`,
  );
  const url = `http://127.0.0.1:${http}`;
  const server = new Server({
    name: "ClickHouse",
    folder,
    command,
    args: [`--config-file=${join(folder, "config.xml")}`],
    isUp: async () => (await fetch(`${url}/ping`)).ok,
  });
  await server.start();
  /** The answer to one statement as the user who may write. */
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
    log: () => server.log(),
    /** Statements that a user has sent, by the server's own log. */
    async statements(user) {
      await run("SYSTEM FLUSH LOGS");
      const text = await run(
        `SELECT query FROM system.query_log WHERE user = '${user}' AND type = 1 FORMAT JSONEachRow`,
      );
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).query]));
    },
    /** Milliseconds that statements of a user took, by the server's own log. */
    async took(user) {
      await new Promise((done) => setTimeout(done, 700));
      return Number(
        await run(`SELECT sum(query_duration_ms) FROM system.query_log WHERE user = '${user}' AND type = 2`),
      );
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    kill: () => server.kill(),
    start: () => server.start(),
    stop: () => server.stop(),
  };
}
