import { connect } from "node:net";
import { Client } from "pg";
import Cursor from "pg-cursor";
import { whileThere } from "./alive";
import type { Asked } from "./asked";

type Row = Readonly<Record<string, unknown>>;

const ROWS = 5000;
const CONNECT_MS = 5000;

/**
 * Rows of a Postgres database, through a cursor, in a session that can only read. The user comes from the address, or PGUSER.
 */
export async function* postgresRows(
  uri: string,
  sql: string,
  { limitMs, password, signal }: Asked,
): AsyncGenerator<Row> {
  const client = new Client({
    connectionString: readOnly(uri, limitMs),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "scaling-lens",
  });
  // What an address says, and be it nothing, comes before what the driver is given beside it.
  if (password !== undefined) client.password = password;
  // A connection that breaks is told by the query that it breaks; the event must not end the process.
  let broken: Error | undefined;
  client.on("error", (error: Error) => (broken = error));
  const stop = () => void client.end().catch(() => {});
  await client.connect();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const cursor = client.query(new Cursor<Row>(sql));
    for (;;) {
      signal?.throwIfAborted();
      if (broken) throw broken;
      const rows = await whileThere(cursor.read(ROWS), (withinMs) => ping(client, withinMs));
      if (rows.length === 0) return;
      yield* rows;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}

/** An address whose session can only read; of options that it has itself, ours come last and so hold. */
function readOnly(uri: string, limitMs: number): string {
  const own = new URLSearchParams(uri.split("?")[1]).get("options") ?? "";
  const ours = `-c default_transaction_read_only=on -c statement_timeout=${Math.round(limitMs)}`;
  return `${uri}${uri.includes("?") ? "&" : "?"}options=${encodeURIComponent(`${own} ${ours}`.trim())}`;
}

/** "Do you speak TLS?", which a server answers before it asks who is there. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Rejects where the server of a client does not answer in that time. */
function ping({ host, port }: Client, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const timer = setTimeout(() => socket.destroy(new Error("no answer")), withinMs);
    socket.once("connect", () => socket.write(TLS_REQUEST));
    socket.once("data", () => {
      resolve();
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(timer);
      reject(new Error("no answer"));
    });
  });
}
