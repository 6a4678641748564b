import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileCache } from "../../server/node/cache";
import { readRuns } from "../../server/runs";
import { memoryHost } from "./memoryHost";

describe("the cache on disk", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "scaling-lens-cache-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("keeps texts by key across instances, and nothing half-written", async () => {
    await createFileCache(join(folder, "c")).set("a\nb", "value ✓");
    expect(await createFileCache(join(folder, "c")).get("a\nb")).toBe("value ✓");
    expect(await createFileCache(join(folder, "c")).get("a")).toBeUndefined();
    expect(readdirSync(join(folder, "c")).every((name) => /^[0-9a-f]{64}\.json$/.test(name))).toBe(true);
  });

  it("lets go of what was used longest ago", async () => {
    const cache = createFileCache(folder, 3000);
    for (let i = 0; i < 201; i++) await cache.set(`key ${i}`, "x".repeat(100));
    expect(readdirSync(folder).length).toBeLessThanOrEqual(30);
    expect(await cache.get("key 200")).toBeDefined();
    expect(await cache.get("key 0")).toBeUndefined();
  });

  it("spares a second reading; where it cannot write, the figures are the same and one note says so", async () => {
    const host = memoryHost({ "a/metrics.jsonl": `{"step":1,"success_rate":0.5}\n`, "b/metrics.jsonl": `{"step":1,"success_rate":0.6}\n` });
    const sources = [host.uri("a"), host.uri("b")];
    const first = await readRuns(host, sources, { cache: createFileCache(folder) });
    expect(await readRuns({ ...host, readChunks: () => { throw new Error("read again"); } }, sources, { cache: createFileCache(folder) })).toEqual(first);
    writeFileSync(join(folder, "file"), "");
    const blocked = await readRuns(host, sources, { cache: createFileCache(join(folder, "file", "below")) });
    expect(blocked.rows).toEqual(first.rows);
    expect(blocked.notes.filter(({ code }) => code === "run.cache")).toHaveLength(1);
  });
});
