import { createServer as createHttp } from "node:http";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holdsSecret, shownSource } from "../../server/host";
import { secretAddress } from "../../server/sources/secret";
import { createNodeHost } from "../../server/node/host";
import { createRemoteHost } from "../../server/node/remote/host";
import { storeQuery } from "../../server/node/stores";
import type { Job } from "../../server/operations/jobs";
import { runJob, type JobTools } from "../../server/operations/runJob";
import type { RunTable } from "../../server/core/table";

/** A listener that counts who comes. */
let server: Server;
let contacts = 0;
let port = 0;
let uri = "";
beforeAll(async () => {
  server = createServer((socket) => {
    contacts++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
  uri = `clickhouse://127.0.0.1:${port}/default`;
});
afterAll(() => new Promise((done) => server.close(done)));

const tools: JobTools = {
  stores: storeQuery,
  remote: (allows) => createRemoteHost(new Map(), allows),
  onlyNamedStores: true,
};
const run = async (job: Partial<Job>) => {
  const before = contacts;
  const asked = { kind: "read-runs", folderUri: "file:///w", sources: [`${uri}?runs=metrics`], ...job } as Job;
  const result = (await runJob(asked, createNodeHost(), () => undefined, undefined, tools)) as {
    table?: RunTable;
    measure?: RunTable;
  };
  return { contacts: contacts - before, notes: (result.table ?? result.measure)!.notes };
};

/** An address of every kind that leads to the listener. */
const KINDS: readonly (readonly [kind: string, address: () => string, elsewhere: string])[] = [
  ["ClickHouse", () => `${uri}?runs=metrics`, "clickhouse://elsewhere.example:8123/default"],
  ["Postgres", () => `postgres://lens@127.0.0.1:${port}/runs`, "postgres://lens@elsewhere.example/runs"],
  ["files on a server", () => `http://127.0.0.1:${port}/runs.jsonl`, "https://elsewhere.example/runs.jsonl"],
  ["a bucket", () => "s3://bucket/runs", "s3://another/runs"],
];
const endpoint = process.env.AWS_ENDPOINT_URL_S3;
beforeAll(() => void (process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${port}`));
afterAll(() => {
  if (endpoint === undefined) delete process.env.AWS_ENDPOINT_URL_S3;
  else process.env.AWS_ENDPOINT_URL_S3 = endpoint;
});

describe.each(KINDS)("%s", (_, address, elsewhere) => {
  const asked = (more: Partial<Job>) => run({ sources: [address()], ...more } as Partial<Job>);

  test("that scaling.yaml names is asked in a trusted workspace", async () => {
    const { contacts: met, notes } = await asked({ scalingText: `logs: ["${address()}"]\n` });
    expect(met).toBeGreaterThan(0);
    expect(notes).toMatchObject([{ code: "store.failed" }]);
  });

  test("in one that is not trusted it is not, and that is said", async () => {
    const { contacts: met, notes } = await asked({ scalingText: `logs: ["${address()}"]\n`, within: ["file:///w"] });
    expect(met).toBe(0);
    expect(notes).toMatchObject([{ code: "store.not-here" }]);
    expect(notes[0].message).toContain("trusted workspace");
  });

  test.each([undefined, `logs: ["${elsewhere}"]\n`])("nor is one that nobody named: %s", async (scalingText) => {
    const { contacts: met, notes } = await asked({ ...(scalingText !== undefined && { scalingText }) });
    expect(met).toBe(0);
    expect(notes).toMatchObject([{ code: "store.failed" }]);
    expect(notes[0].message).toContain("does not name it");
  });
});

/** Addresses of a cell or an agent that begin as what scaling.yaml names, and lead elsewhere. */
test.each([
  ["http://127.0.0.1:PORT/runs", "http://127.0.0.1:PORT/runs/../secrets.jsonl"],
  ["http://127.0.0.1:PORT/runs", "http://127.0.0.1:PORT/runs/%2e%2E/secrets.jsonl"],
  ["http://127.0.0.1:PORT/runs", "http://127.0.0.1:PORT/runs/a/..?x"],
  ["http://127.0.0.1:PORT/runs", "http://127.0.0.1:PORT/runs-of-others/a.jsonl"],
  ["https://elsewhere.example/runs", "https://elsewhere.example/runs@127.0.0.1:PORT/a.jsonl"],
  ["s3://bucket/runs", "s3://bucket/runs/../../another/a.jsonl"],
  ["clickhouse://elsewhere.example/default", "clickhouse://elsewhere.example@127.0.0.1:PORT/default"],
  ["postgres://lens@elsewhere.example/runs", "postgres://lens@elsewhere.example/runs?host=127.0.0.1&port=PORT"],
])("%s is named: %s is not asked", async (...both) => {
  const [named, source] = both.map((each) => each.replace("PORT", String(port)));
  expect((await run({ sources: [source], scalingText: `logs: ["${named}"]\n` } as Partial<Job>)).contacts).toBe(0);
});

test.each([
  "s3://127.0.0.1:PORT?/a.jsonl",
  "s3://127.0.0.1:PORT#/a.jsonl",
  "s3://bucket/../another/a.jsonl",
  "s3://../a",
])("%s is no address of a bucket", async (address) => {
  const source = address.replace("PORT", String(port));
  const { contacts: met, notes } = await run({ sources: [source], scalingText: `logs: ["${source}"]\n` });
  expect(met).toBe(0);
  expect(notes).toMatchObject([{ code: "store.failed", message: expect.stringContaining("no address") as string }]);
});

test.each(["clickhouse://127.0.0.1:PORT/default?runs=metrics", "http://127.0.0.1:PORT/runs.jsonl", "s3://bucket/runs"])(
  "%s sends the reader elsewhere, which is not followed",
  async (address) => {
    const before = contacts;
    const asked: string[] = [];
    const mover = createHttp((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    });
    await new Promise<void>((done) => mover.listen(0, "127.0.0.1", done));
    const own = (mover.address() as AddressInfo).port;
    process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${own}`;
    const source = address.replace("PORT", String(own));
    const { notes } = await run({ sources: [source], scalingText: `logs: ["${source}", "${uri}"]\n` } as Partial<Job>);
    process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${port}`;
    mover.close();
    expect(asked.length).toBeGreaterThan(0);
    expect(contacts).toBe(before);
    expect(notes.map(({ code }) => code)).toContain("store.failed");
  },
);

test("rollouts are measured in a named store, and in no other", async () => {
  const measure = { kind: "measure", uris: [`${uri}?rollouts=t`], folderUri: "file:///w" } as const;
  expect((await run(measure)).contacts).toBe(0);
  expect(
    (await run({ ...measure, scalingText: `logs: ["${uri}?runs=metrics"]\n` } as Partial<Job>)).contacts,
  ).toBeGreaterThan(0);
});

/** Secrets where an address may hold one: what is of them holds HUNTER, and of a password also what separates the parts of an address. */
const PASSWORDS = [
  "HUNTER",
  "a/HUNTER",
  "a?HUNTER",
  "a#HUNTER",
  "a@HUNTER/b",
  "/HUNTER",
  "a:HUNTER/",
  "[@HUNTER]/",
  "a&pass=HUNTER",
];
const NAMES = [
  ...["password", "sslpassword", "passwd", "pass", "pwd", "auth", "key", "api_key", "apikey", "access_key", "secret"],
  ...["secret_key", "client_secret", "token", "access_token", "sig", "signature", "credential", "credentials"],
  ...[
    "X-Amz-Security-Token",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "AWSAccessKeyId",
    "p%61ssword",
    "%54oken",
    "to%4Ben",
  ],
];
const WITH_SECRETS = [
  ...["postgres", "postgresql", "clickhouse", "http", "s3"].flatMap((scheme) =>
    PASSWORDS.map((password) => `${scheme}://lens:${password}@127.0.0.1:PORT/db`),
  ),
  ...NAMES.flatMap((name) => [
    `postgres://lens@127.0.0.1:PORT/db?${name}=a&HUNTER`,
    `http://127.0.0.1:PORT/db?x=1&${name}=HUNTER`,
  ]),
  ...["?", "?x=1;", "#", ";"].map((before) => `http://127.0.0.1:PORT/a.csv${before}token=HUNTER#HUNTER`),
  "clickhouse://127.0.0.1:PORT/db?runs=t&password=a;HUNTER?HUNTER",
  "sqlite:runs.db?runs=t&password=HUNTER",
  "postgres://lens%3AHUNTER@127.0.0.1:PORT/db",
  "postgres://lens:1/HUNTER@127.0.0.1:PORT/db",
  "postgres:lens:HUNTER@127.0.0.1:PORT/db",
  "postgres://a@b:c/HUNTER@127.0.0.1:PORT/db",
  "http://lens:a@127.0.0.1:PORT/db?token=HUNTER@HUNTER",
  "s3://AKIA:1/HUNTER@bucket/prefix",
];

test("an address that holds a secret is not asked, and is shown without it", async () => {
  for (const each of WITH_SECRETS) {
    const source = each.replace("PORT", String(port));
    const { contacts: met, notes } = await run({
      sources: [source],
      scalingText: `logs: [${JSON.stringify(source)}]\n`,
    });
    expect(met, source).toBe(0);
    expect(notes, source).toMatchObject([
      { code: "store.password", message: expect.stringMatching(/^A password.* stands in this address/) as string },
    ]);
    expect(JSON.stringify(notes) + shownSource(source), source).not.toContain("HUNTER");
    expect(holdsSecret(source), source).toBe(true);
    expect(secretAddress(source), source).toBeNull();
  }
});

test.each([
  "https://host/a@b/c",
  "https://host:8080/a@b",
  "https://host/a:b@c",
  "https://host/runs?monkey=1&tasks=2&sort=key#part",
  "https://[::1]:8080/a@b",
  "s3://bucket/a@b/c:d@e",
  "clickhouse://host:8123/default?runs=metrics&x=a@b",
  "postgres://host:5432,other:5432/db?runs=metrics",
  "postgres://[::1]:5432/db",
  "sqlite:runs;key=3/a:b@c.db?runs=metrics",
  "sqlite:file:///w/a@b.db",
  "file:///runs/key=3&token=4/a:b@c",
  "runs/lens:a@b/**",
  "C:/runs/a@b?key=1",
])("%s holds no secret and is shown as it is", (source) => {
  expect(shownSource(source)).toBe(source);
  expect(holdsSecret(source)).toBe(false);
});

test("what is no secret of an address is shown", () => {
  expect(shownSource("postgres://lens@host:5432/db?runs=a@b")).toBe("postgres://…@host:5432/db?runs=a@b");
  expect(shownSource("postgres://lens:a/b@host:5432/db?runs=m&pwd=a")).toBe("postgres://…@host:5432/db?runs=m&pwd=…");
  expect(shownSource("https://host/a.csv?x=1&token=a&b")).toBe("https://host/a.csv?x=1&token=…");
});
