import { createServer, type Server } from "node:http";
import { createServer as createListener } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { StoreSecrets } from "../../extension/secrets";
import type { RunTable } from "../../server/core/table";
import { createNodeHost } from "../../server/node/host";
import { createRemoteHost } from "../../server/node/remote/host";
import { createStoreQuery } from "../../server/node/stores";
import { memoryCache, runJob, type JobTools } from "../../server/operations/runJob";
import { SecretRequest, type SecretParams } from "../../server/protocol";
import { clientSecrets } from "../../server/session/clientHost";

const SECRET = "geheim-7c1";

/** A SecretStorage that keeps what it is given in memory. */
const kept = new Map<string, string>();
const storage = {
  get: (key: string) => Promise.resolve(kept.get(key)),
  store: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
  delete: (key: string) => Promise.resolve(void kept.delete(key)),
};
const now = { isTrusted: true, isTraced: false };
const secrets = new StoreSecrets(storage, () => now);

/** A server that takes nobody in, repeats what it was sent, and remembers it. */
let server: Server;
let port = 0;
const headers: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    // Whether it is there is asked without a word of who asks.
    if (request.url !== "/ping" || request.headers.authorization) headers.push(request.headers.authorization ?? "");
    const [, password] = Buffer.from(request.headers.authorization?.split(" ")[1] ?? "", "base64")
      .toString()
      .split(":");
    response.writeHead(403).end(`Code: 999. DB::Exception: not with ${password}`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const asked: string[] = [];
/** As the server asks the extension. */
const ask = (method: string, params: unknown) => {
  if (method !== SecretRequest) throw new Error(`nobody answers ${method}`);
  asked.push((params as SecretParams).address);
  return secrets.handed(params as SecretParams);
};
const cache = memoryCache();
const written: string[] = [];
const tools: JobTools = {
  stores: createStoreQuery(clientSecrets(ask)),
  remote: (allows) => createRemoteHost(new Map(), allows, clientSecrets(ask)),
  onlyNamedStores: true,
  cache: { get: cache.get, set: (key, value) => (written.push(key, value), cache.set(key, value)) },
};
const read = async (source: string, named = source): Promise<RunTable> => {
  const job = { kind: "read-runs", folderUri: "file:///w", sources: [source], scalingText: `logs: ["${named}"]\n` };
  return ((await runJob(job as never, createNodeHost(), () => undefined, undefined, tools)) as { table: RunTable })
    .table;
};
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

const VARIABLES = ["CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD", "PGPASSWORD", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL_S3"];
const before = VARIABLES.map((name) => [name, process.env[name]] as const);
beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name];
  kept.clear();
  headers.length = asked.length = written.length = 0;
  Object.assign(now, { isTrusted: true, isTraced: false });
});
afterEach(() => {
  for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
});

test("a secret is kept for one address, and forgotten", async () => {
  await secrets.keep("postgres://lens@a/runs", SECRET);
  expect(await secrets.has("postgres://lens@a/runs")).toBe(true);
  expect(await secrets.handed({ address: "postgres://lens@a/runs" })).toEqual({ secret: SECRET });
  expect(await secrets.handed({ address: "postgres://lens@a/runs?host=b" })).toEqual({ secret: null });
  expect(await secrets.handed({ address: "postgres://lens@b/runs" })).toEqual({ secret: null });
  await secrets.keep("postgres://lens@a/runs", "");
  expect(await secrets.has("postgres://lens@a/runs")).toBe(false);
  expect([...kept]).toEqual([]);
});

test.each([{ isTrusted: false }, { isTraced: true }])("nothing is handed over where it could leak: %o", async (how) => {
  await secrets.keep("s3://bucket", SECRET);
  Object.assign(now, how);
  expect(await secrets.handed({ address: "s3://bucket" })).toEqual({ secret: null });
});

describe("a database", () => {
  const address = () => `clickhouse://lens@127.0.0.1:${port}/default`;

  test("is sent its own secret, which stands in no note and in no cache", async () => {
    await secrets.keep(address(), SECRET);
    const { notes } = await read(`${address()}?runs=metrics`);
    expect(headers).toEqual([basic("lens", SECRET)]);
    expect(notes).toMatchObject([{ code: "store.failed", message: expect.stringContaining("not with …") as string }]);
    expect(JSON.stringify([notes, written])).not.toContain(SECRET);
  });

  test("is not sent that of another", async () => {
    await secrets.keep(`${address()}2`, SECRET);
    await read(`${address()}?runs=metrics`);
    expect(headers).toEqual([basic("lens", "")]);
  });

  test("is sent the password of the environment where there is one; the secret is not asked for", async () => {
    await secrets.keep(address(), SECRET);
    process.env.CLICKHOUSE_PASSWORD = "of-the-environment";
    await read(`${address()}?runs=metrics`);
    expect(headers).toEqual([basic("lens", "of-the-environment")]);
    expect(asked).toEqual([]);
  });

  test("that scaling.yaml does not name is sent nothing, and no secret is asked for", async () => {
    await secrets.keep(address(), SECRET);
    await read(`${address()}?runs=metrics`, "clickhouse://elsewhere.example/default");
    expect([headers, asked]).toEqual([[], []]);
  });

  test("is sent none by an editor that keeps none", async () => {
    const plain = {
      ...tools,
      stores: createStoreQuery(clientSecrets(() => Promise.reject(new Error("no such method")))),
    };
    const source = `${address()}?runs=metrics`;
    const job = { kind: "read-runs", folderUri: "file:///w", sources: [source], scalingText: `logs: ["${source}"]\n` };
    await runJob(job as never, createNodeHost(), () => undefined, undefined, plain);
    expect(headers).toEqual([basic("lens", "")]);
  });
});

test("a bucket is signed with the keys kept for it, which are sent nowhere", async () => {
  process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${port}`;
  await secrets.keep("s3://bucket", `lens:${SECRET}`);
  await read("s3://bucket/runs");
  expect(headers[0]).toMatch(/^AWS4-HMAC-SHA256 Credential=lens\/.*Signature=[0-9a-f]{64}$/);
  expect(headers.join()).not.toContain(SECRET);
  expect(new Set(asked)).toEqual(new Set(["s3://bucket"]));
});

test("Postgres is sent its own secret, which an error of the server that repeats it does not tell", async () => {
  const sent: string[] = [];
  const postgres = createListener((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (data) => {
        // "Give me your password"; then an error that holds it.
        if (data[0] !== 112) return void socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
        sent.push(data.toString("latin1", 5, data.length - 1));
        const fields = Buffer.from(`SFATAL\0C28P01\0Mnot with ${sent[0]}\0\0`);
        const head = Buffer.from([69, 0, 0, 0, 0]);
        head.writeInt32BE(fields.length + 4, 1);
        socket.end(Buffer.concat([head, fields]));
      });
  });
  await new Promise<void>((done) => postgres.listen(0, "127.0.0.1", done));
  const address = `postgres://lens@127.0.0.1:${(postgres.address() as AddressInfo).port}/runs`;
  await secrets.keep(address, SECRET);
  const { notes } = await read(address);
  postgres.close();
  expect(sent).toEqual([SECRET]);
  expect(notes).toMatchObject([{ code: "store.failed", message: expect.stringContaining("not with …") as string }]);
  expect(JSON.stringify(notes)).not.toContain(SECRET);
});
