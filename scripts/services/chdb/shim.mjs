// A current ClickHouse (chdb, the engine as a library) behind the part of ClickHouse's HTTP protocol that reading needs.
// Usage: node shim.mjs PORT FOLDER USER PASSWORD. What the user sends is kept in FOLDER/sent, and the milliseconds that it took in
// FOLDER/took. The engine has a process of its own: it keeps its thread while it works, and a server answers pings all the same.
import { fork } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [port, folder, user, password] = process.argv.slice(2);

/** Answers statements, one after the other. */
function engine() {
  const { Session } = createRequire(import.meta.url)("chdb");
  const session = new Session(join(folder, "data"));
  session.query("CREATE DATABASE IF NOT EXISTS lens");
  session.query("USE lens");
  process.on("message", ({ id, settings, sql, isUser }) => {
    try {
      for (const setting of settings) session.query(setting);
      const start = performance.now();
      const result = session.query(sql);
      if (isUser) appendFileSync(join(folder, "took"), `${performance.now() - start}\n`);
      process.send({ id, answer: [200, result] });
    } catch (error) {
      process.send({ id, answer: [500, String(error.message ?? error)] });
    }
  });
  process.on("disconnect", () => process.exit());
  process.send({ id: 0 });
}

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

async function serve() {
  const child = fork(import.meta.filename, process.argv.slice(2), { env: { ...process.env, CHDB_ENGINE: "1" } });
  child.on("exit", () => process.exit(1));
  const waiting = new Map();
  let last = 0;
  await new Promise(
    (ready) => waiting.set(0, ready) && child.on("message", ({ id, answer }) => waiting.get(id)(answer)),
  );
  const answer = async (request) => {
    const url = new URL(request.url, "http://localhost");
    if (url.pathname === "/ping") return [200, "Ok.\n"];
    let sql = url.searchParams.get("query") ?? "";
    for await (const chunk of request) sql += chunk;
    const [name, key] = who(request);
    if (name !== "" && (name !== user || key !== password))
      return [403, `Code: 516. DB::Exception: ${name}: Authentication failed. (AUTHENTICATION_FAILED)`];
    if (name !== "") appendFileSync(join(folder, "sent"), `${JSON.stringify(sql)}\n`);
    const settings = [...url.searchParams]
      .filter(([setting]) => !NO_SETTINGS.has(setting) && /^\w+$/.test(setting))
      .map(([setting, value]) => `SET ${setting} = '${value.replaceAll("'", "")}'`);
    const id = ++last;
    const given = new Promise((done) => waiting.set(id, done));
    child.send({ id, settings, sql, isUser: name !== "" });
    return given.finally(() => waiting.delete(id));
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(body));
  });
  // A statement holds the whole process: a connection must not be found idle, and closed, for the time that it took.
  server.keepAliveTimeout = 0;
  server.listen(Number(port), "127.0.0.1");
}

if (process.env.CHDB_ENGINE) engine();
else await serve();
