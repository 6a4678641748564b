import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeHost, toUri } from "../../server/node/host";

const host = createNodeHost();
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

describe("the Node host", () => {
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
    await host.writeFile?.(at("new", "x.json"), new TextEncoder().encode("{}"));
    expect(readFileSync(join(folder, "new", "x.json"), "utf8")).toBe("{}");
    expect(readdirSync(join(folder, "new"))).toEqual(["x.json"]);
    mkdirSync(join(folder, "taken.json"));
    await expect(host.writeFile?.(at("taken.json"), new Uint8Array([1]))).rejects.toThrow();
    expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});
