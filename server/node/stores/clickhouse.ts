import { connect } from "node:net";
import { createClient } from "@clickhouse/client";
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
  await reached(`${protocol}//${host}`, signal);
  const client = createClient({
    url: `${protocol}//${host}`,
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
    const result = await client.query({ query: sql, format: "JSONEachRow", abort_signal: signal });
    for await (const rows of result.stream<Row>()) for (const row of rows) yield row.json();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(explained(error));
  } finally {
    await client.close();
  }
}

const CONNECT_MS = 5000;

/** Rejects soon where no server listens: a statement may take long, a connection may not. */
function reached(server: string, signal?: AbortSignal): Promise<void> {
  const { hostname, port, protocol } = new URL(server);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || (protocol === "https:" ? 443 : 80),
      ...(signal && { signal }),
    });
    const settle = (finish: () => void) => {
      socket.destroy();
      finish();
    };
    socket.setTimeout(CONNECT_MS, () =>
      settle(() => reject(new Error(`no server answered within ${CONNECT_MS / 1000} s`))),
    );
    socket.once("connect", () => settle(resolve));
    socket.once("error", (error) => settle(() => reject(error)));
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
