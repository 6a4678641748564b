// A current ClickHouse (chdb, the engine as a library) behind the part of ClickHouse's HTTP protocol that reading needs.
// Usage: node shim.mjs PORT FOLDER USER PASSWORD. What the user sends is kept in FOLDER/sent,
// and the milliseconds that it took in FOLDER/took.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [port, folder, user, password] = process.argv.slice(2);
const { Session } = createRequire(import.meta.url)("chdb");
const session = new Session(join(folder, "data"));
session.query("CREATE DATABASE IF NOT EXISTS lens");
session.query("USE lens");

/** Parameters of a request that are no settings. */
const NO_SETTINGS = new Set([
  "query",
  "query_id",
  "database",
  "default_format",
  "session_id",
  "role",
  "wait_end_of_query",
]);

function who(request) {
  const [scheme, coded] = (request.headers.authorization ?? "").split(" ");
  if (scheme === "Basic") return Buffer.from(coded, "base64").toString().split(":");
  return [request.headers["x-clickhouse-user"] ?? "", request.headers["x-clickhouse-key"] ?? ""];
}

async function answer(request) {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/ping") return [200, "Ok.\n"];
  let sql = url.searchParams.get("query") ?? "";
  for await (const chunk of request) sql += chunk;
  const [name, key] = who(request);
  if (name !== "" && (name !== user || key !== password))
    return [403, `Code: 516. DB::Exception: ${name}: Authentication failed. (AUTHENTICATION_FAILED)`];
  if (name !== "") appendFileSync(join(folder, "sent"), `${JSON.stringify(sql)}\n`);
  try {
    for (const [setting, value] of url.searchParams)
      if (!NO_SETTINGS.has(setting) && /^\w+$/.test(setting))
        session.query(`SET ${setting} = '${value.replaceAll("'", "")}'`);
    const start = performance.now();
    const result = session.query(sql);
    if (name !== "") appendFileSync(join(folder, "took"), `${performance.now() - start}\n`);
    return [200, result];
  } catch (error) {
    return [500, String(error.message ?? error)];
  }
}

const server = createServer((request, response) => {
  void answer(request).then(([status, body]) => response.writeHead(status).end(body));
});
// A statement may keep the thread for longer than connections are kept by default.
server.keepAliveTimeout = 600_000;
server.listen(Number(port), "127.0.0.1");
