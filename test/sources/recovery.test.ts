import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNodeHost, toUri } from "../../server/node/host";
import { storeQuery } from "../../server/node/stores";
import { memoryCache, runJob } from "../../server/operations/runJob";
import { inPlaceRunner } from "../../server/operations/runner";
import { readScaling } from "../../server/operations/scaling";
import type { Settings } from "../../server/protocol";
import { Project } from "../../server/session/project";
import { mlflowStatements, sampleRuns } from "./sampleRuns";
import { writeSqlite } from "./sqlite";

const top = mkdtempSync(join(tmpdir(), "scaling-lens-recovery-"));
const store = join(top, "mlflow.db");
const settings: Settings = {
  codeLens: { enabled: true },
  inlayHints: { enabled: true },
  hover: { enabled: true },
  diagnostics: { enabled: true, suboptimalThreshold: 1, limit: 3, levels: {} },
  recommendation: "optimum",
  fit: { law: "auto", refitOnChange: true, bootstrap: 0 },
};
const warnings: string[] = [];
let project: Project;
let jobs = 0;

beforeAll(async () => {
  mkdirSync(top, { recursive: true });
  writeFileSync(join(top, "scaling.yaml"), "logs: [sqlite:mlflow.db]\n");
  const host = createNodeHost();
  const cache = memoryCache();
  const take = (message: string) => void warnings.push(message);
  project = new Project(toUri(top), await readScaling(host, toUri(top)), {
    host,
    jobs: inPlaceRunner(host, (job, files, onProgress, signal) => {
      if (job.kind === "fit") jobs++;
      return runJob(job, files, onProgress, signal, { cache, stores: storeQuery, onlyNamedStores: true });
    }),
    log: { error: take, warn: take, info: () => undefined, debug: () => undefined } as never,
    changed: () => undefined,
    progressed: () => undefined,
  });
});
afterAll(() => {
  project.dispose();
  rmSync(top, { recursive: true, force: true });
});

test("a store that is gone is read by itself once it is there, and again when it grows", async () => {
  const ask = async () => {
    await project.askStores(settings);
    return project.settled();
  };
  project.refit(settings);
  expect((await project.settled()).kind).toBe("failed");
  expect((await ask()).kind).toBe("failed");
  expect(jobs).toBe(1);

  writeSqlite(store, mlflowStatements(sampleRuns(), "sqlite"));
  const first = await ask();
  expect(first).toMatchObject({ kind: "ready" });
  // Nothing new is no reason for another fit.
  const fits = jobs;
  await ask();
  expect(jobs).toBe(fits);

  // Gone again: the fit of the last good table stays, and says so.
  renameSync(store, `${store}.away`);
  const stale = await ask();
  expect(stale.kind === "ready" && stale.fit.notes.map(({ code }) => code)).toEqual(
    expect.arrayContaining(["store.failed", "store.stale"]),
  );
  renameSync(`${store}.away`, store);
  const back = await ask();
  expect(back.kind === "ready" && back.fit.notes.map(({ code }) => code)).not.toContain("store.stale");
  expect(back.kind === "ready" && first.kind === "ready" && back.fit.id).toBe(first.kind === "ready" && first.fit.id);

  writeSqlite(store, [
    `INSERT INTO metrics VALUES ('eval/success_rate', 0.9, 1790000000999, '${"0".repeat(32)}', 120, 0)`,
  ]);
  const grown = await ask();
  expect(grown.kind === "ready" && back.kind === "ready" && grown.fit.id !== back.fit.id).toBe(true);
});
