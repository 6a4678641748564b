import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNodeHost } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import type { Job } from "../../server/operations/jobs";
import { runJob, type JobTools } from "../../server/operations/runJob";
import type { RunTable } from "../../server/core/table";

/** A listener that counts who comes. */
let server: Server;
let contacts = 0;
let uri = "";
beforeAll(async () => {
  server = createServer((socket) => {
    contacts++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  uri = `clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}/default`;
});
afterAll(() => new Promise((done) => server.close(done)));

const tools: JobTools = { stores: storeQuery, onlyNamedStores: true };
const run = async (job: Partial<Job>) => {
  const before = contacts;
  const asked = { kind: "read-runs", folderUri: "file:///w", sources: [`${uri}?runs=metrics`], ...job } as Job;
  const result = (await runJob(asked, createNodeHost(), () => undefined, undefined, tools)) as {
    table?: RunTable;
    measure?: RunTable;
  };
  return { contacts: contacts - before, notes: (result.table ?? result.measure)!.notes };
};

test("a store that scaling.yaml names is asked in a trusted workspace", async () => {
  const { contacts: met, notes } = await run({ scalingText: `logs: ["${uri}?runs=metrics"]\n` });
  expect(met).toBeGreaterThan(0);
  expect(notes).toMatchObject([{ code: "store.failed" }]);
});

test("in one that is not trusted it is not, and that is said", async () => {
  const { contacts: met, notes } = await run({ scalingText: `logs: ["${uri}?runs=metrics"]\n`, within: ["file:///w"] });
  expect(met).toBe(0);
  expect(notes).toMatchObject([{ code: "store.not-here" }]);
  expect(notes[0].message).toContain("trusted workspace");
});

test.each([
  ["no scaling.yaml", undefined],
  ["another store", "logs: [clickhouse://elsewhere.example:8123/default]\n"],
])("nor one that nobody named: %s", async (_, scalingText) => {
  const { contacts: met, notes } = await run({ ...(scalingText !== undefined && { scalingText }) });
  expect(met).toBe(0);
  expect(notes).toMatchObject([{ code: "store.failed" }]);
  expect(notes[0].message).toContain("does not name it");
});

test("a driver's own parameters make another address", async () => {
  const { contacts: met } = await run({
    sources: [`postgres://db.example/runs?host=127.0.0.1&port=${new URL(uri.replace("clickhouse", "http")).port}`],
    scalingText: "logs: [postgres://db.example/runs]\n",
  });
  expect(met).toBe(0);
});

test("rollouts are measured in a named store, and in no other", async () => {
  const measure = { kind: "measure", uris: [`${uri}?rollouts=t`], folderUri: "file:///w" } as const;
  expect((await run(measure)).contacts).toBe(0);
  expect(
    (await run({ ...measure, scalingText: `logs: ["${uri}?runs=metrics"]\n` } as Partial<Job>)).contacts,
  ).toBeGreaterThan(0);
});
