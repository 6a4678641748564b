import http from "node:http";
import https from "node:https";
import { createClient } from "@clickhouse/client";
import { AT_FIRST, whileThere } from "./alive";
import type { Asked } from "./asked";

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows of a ClickHouse database over HTTP. The user comes from the address, or CLICKHOUSE_USER. 64-bit integers come as texts (a
 * double would lose digits); an error that the server meets late comes as an error, not inside the rows.
 */
export async function* clickhouseRows(
  uri: string,
  sql: string,
  { limitMs, password = "", signal }: Asked,
): AsyncGenerator<Row> {
  const { host, pathname, protocol, username } = new URL(uri.replace(/^clickhouse/i, "http"));
  const server = `${protocol}//${host}`;
  const there = <Value>(work: Promise<Value>, first?: typeof AT_FIRST) =>
    whileThere(work, (withinMs) => ping(server, withinMs, signal), first);
  const stop = new AbortController();
  const client = createClient({
    url: server,
    database: decodeURIComponent(pathname.slice(1)) || "default",
    username: decodeURIComponent(username) || (process.env.CLICKHOUSE_USER ?? "default"),
    password,
    application: "scaling-lens",
    request_timeout: limitMs,
    compression: { response: false, request: false },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 1,
      // Else what is not finite comes as null, which is absent.
      output_format_json_quote_denormals: 1,
      wait_end_of_query: 1,
      max_execution_time: Math.round(limitMs / 1000),
    },
    log: { level: 127 as never },
  });
  try {
    const abort_signal = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const result = await there(client.query({ query: sql, format: "JSONEachRow", abort_signal }), AT_FIRST);
    const parts = result.stream<Row>()[Symbol.asyncIterator]();
    for (let part = await there(parts.next()); !part.done; part = await there(parts.next()))
      for (const row of part.value) yield row.json();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(explained(error));
  } finally {
    stop.abort();
    await client.close();
  }
}

/** Rejects where no server answers in that time; anything that it says will do. */
function ping(server: string, withinMs: number, signal?: AbortSignal): Promise<void> {
  const { get } = server.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const asking = get(`${server}/ping`, { agent: false, ...(signal && { signal }) }, (answer) => {
      answer.destroy();
      settle(resolve);
    });
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    const timer = setTimeout(() => {
      asking.destroy(new Error("no answer"));
    }, withinMs);
    asking.once("error", (error) => settle(() => reject(error)));
  });
}

/** Old servers give their code in the text alone. */
function explained(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = /Code: (\d+)/.exec(text)?.[1];
  if (code === "516" || code === "193" || code === "192")
    return "the server refuses this user or password (CLICKHOUSE_USER, CLICKHOUSE_PASSWORD)";
  return text.split("\n")[0].slice(0, 300) || "the server gave no reason";
}
