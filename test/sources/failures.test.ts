import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startClickhouse, type Clickhouse } from "../../scripts/services.mjs";
import { createNodeHost } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { memoryCache } from "../../server/operations/runJob";
import { readRuns } from "../../server/sources/read";
import { clickhouseStatements, sampleRuns } from "./sampleRuns";

/** A line to a server that can be cut, and cut after so many bytes of an answer. */
class Line {
  cutAfter = Infinity;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  constructor(readonly target: number) {}

  async open(): Promise<number> {
    this.#server = createServer((near) => {
      if (this.cutAfter <= 0) return void near.destroy();
      const far = connect(this.target, "127.0.0.1");
      let passed = 0;
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => (near.destroy(), far.destroy()));
      }
      near.pipe(far);
      far.on("data", (chunk: Buffer) => {
        passed += chunk.length;
        if (passed <= this.cutAfter) near.write(chunk);
        else near.destroy();
      });
    });
    await new Promise<void>((done) => this.#server!.listen(0, "127.0.0.1", done));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }
}

let clickhouse: Clickhouse | null = null;
let line: Line;
let uri = "";
beforeAll(async () => {
  clickhouse = await startClickhouse();
  if (!clickhouse) return;
  process.env.CLICKHOUSE_USER = clickhouse.user;
  process.env.CLICKHOUSE_PASSWORD = clickhouse.password;
  for (const statement of clickhouseStatements(sampleRuns())) await clickhouse.run(statement);
  line = new Line(clickhouse.port);
  uri = `clickhouse://127.0.0.1:${await line.open()}/default?runs=metrics`;
}, 60_000);
afterAll(async () => {
  line?.close();
  await clickhouse?.stop();
});

const cache = memoryCache();
const read = () => readRuns(createNodeHost(), [uri], { stores: storeQuery, cache });

test.for<[string, () => unknown]>([
  ["gone", () => (line.cutAfter = 0)],
  ["cut in the middle of a result", () => (line.cutAfter = 1500)],
  ["refusing the password", () => (process.env.CLICKHOUSE_PASSWORD = "geheim-falsch")],
])(
  "a server that is %s leaves the last good table, marked, and recovers by itself",
  { timeout: 30_000 },
  async ([, fail], { skip }) => {
    if (!clickhouse) return skip("There is no ClickHouse on this machine.");
    const good = await read();
    expect(good.rows).toHaveLength(9);
    fail();
    const start = Date.now();
    const stale = await read();
    const took = Date.now() - start;
    line.cutAfter = Infinity;
    process.env.CLICKHOUSE_PASSWORD = clickhouse.password;
    expect(stale.rows).toEqual(good.rows);
    const codes = stale.notes.map(({ code }) => code);
    expect(codes).toContain("store.failed");
    expect(codes).toContain("store.stale");
    expect(stale.notes.find(({ code }) => code === "store.stale")?.message).toMatch(
      / those of \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    );
    expect(JSON.stringify(stale.notes)).not.toContain("geheim");
    expect(took).toBeLessThan(2000);
    const again = await read();
    expect(again.rows).toEqual(good.rows);
    expect(again.notes.map(({ code }) => code)).not.toContain("store.stale");
  },
);

test("a table whose column was renamed is told, and its last table stays", async ({ skip }) => {
  if (!clickhouse) return skip("There is no ClickHouse on this machine.");
  const good = await read();
  await clickhouse.run("RENAME TABLE metrics TO metrics_old");
  await clickhouse.run("CREATE TABLE metrics (name String, at UInt32, value Float64) ENGINE = Memory");
  const stale = await read();
  await clickhouse.run("DROP TABLE metrics");
  await clickhouse.run("RENAME TABLE metrics_old TO metrics");
  expect(stale.notes.map(({ code }) => code)).toEqual(expect.arrayContaining(["store.no-column", "store.stale"]));
  expect(stale.rows).toEqual(good.rows);
});
