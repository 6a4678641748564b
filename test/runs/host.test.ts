import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeHost, createWorkerHost, toUri } from "../../server/node/host";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-host-"));
  mkdirSync(join(folder, "a b", "deep"), { recursive: true });
  writeFileSync(join(folder, "a b", "größe %20.txt"), "0123456789");
  symlinkSync("..", join(folder, "a b", "up"));
  symlinkSync("/nowhere/at/all", join(folder, "a b", "dangling"));
  symlinkSync("größe %20.txt", join(folder, "a b", "link.txt"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ["the Node host", createNodeHost()],
  ["the host of a worker", createWorkerHost()],
])("%s", (_name, host) => {
  const at = (...parts: string[]) => toUri(join(folder, ...parts));

  it("lists files and folders, follows links to files, and no link upwards or to nowhere", async () => {
    const names = (await host.list(at("a b"))).map(({ name, kind }) => `${kind} ${name}`).sort();
    expect(names).toEqual(["directory deep", "file größe %20.txt", "file link.txt"]);
  });

  it("reads whole files, ranges and pieces", async () => {
    const uri = at("a b", "größe %20.txt");
    const text = (bytes?: Uint8Array) => bytes && new TextDecoder().decode(bytes);
    expect(text(await host.readFile(uri))).toBe("0123456789");
    expect(text(await host.readFile(uri, { start: 3, end: 5 }))).toBe("34");
    expect(text(await host.readFile(uri, { start: 8, end: 99 }))).toBe("89");
    const pieces: string[] = [];
    for await (const piece of host.readChunks(uri, 4)) pieces.push(new TextDecoder().decode(piece));
    expect(pieces).toEqual(["0123", "4567", "89"]);
  });

  it("gives nothing for what is not there", async () => {
    for (const uri of [at("absent"), "memory:///x", "not a uri"]) {
      expect(await host.readFile(uri)).toBeUndefined();
      expect(await host.stat(uri)).toBeUndefined();
      expect(await host.list(uri)).toEqual([]);
      for await (const _ of host.readChunks(uri)) throw new Error("a piece of nothing");
    }
    expect(await host.readFile(at("a b"))).toBeUndefined();
  });

  it("closes a file whose reading is left early", async () => {
    const before = readdirSync("/proc/self/fd").length;
    for (let i = 0; i < 20; i++) for await (const _ of host.readChunks(at("a b", "größe %20.txt"), 1)) break;
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
  });

  it("writes whole files or none", async () => {
    rmSync(join(folder, "taken.json"), { recursive: true, force: true });
    await host.writeFile?.(at("new", "x.json"), new TextEncoder().encode("{}"));
    expect(readFileSync(join(folder, "new", "x.json"), "utf8")).toBe("{}");
    expect(readdirSync(join(folder, "new"))).toEqual(["x.json"]);
    mkdirSync(join(folder, "taken.json"));
    await expect(host.writeFile?.(at("taken.json"), new Uint8Array([1]))).rejects.toThrow();
    expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});

describe("the host of a worker", () => {
  it("gives large files in pieces, and a pipe not at all", async () => {
    const host = createWorkerHost();
    writeFileSync(join(folder, "large.bin"), new Uint8Array(600_000).fill(7));
    let size = 0;
    for await (const piece of host.readChunks(toUri(join(folder, "large.bin")), 100_000)) size += piece.length;
    expect(size).toBe(600_000);
    expect((await host.readFile(toUri(join(folder, "large.bin"))))?.length).toBe(600_000);
    execFileSync("mkfifo", [join(folder, "pipe.log")]);
    expect(await host.readFile(toUri(join(folder, "pipe.log")))).toBeUndefined();
  });

  it("lets other work of its thread have its turn while thousands of files are read", async () => {
    const host = createWorkerHost();
    const uri = toUri(join(folder, "large.bin"));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const until = performance.now() + 200;
    while (performance.now() < until) await host.readFile(uri, { end: 100 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it("says once when very many files were asked for", async () => {
    let told = 0;
    const host = createWorkerHost(() => told++);
    const uri = toUri(join(folder, "large.bin"));
    for (let i = 0; i < 4_100; i++) await host.readFile(uri, { end: 1 });
    expect(told).toBe(1);
  });
});
