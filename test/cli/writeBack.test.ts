import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NotWritten, replaceFile } from "../../server/node/replace";
import { rewriteNumber } from "../../server/syntax/quantity/rewrite";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-write-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const file = () => join(folder, "a.yaml");
const names = () => readdirSync(folder).sort();

describe("a file is replaced whole or not at all", () => {
  it("keeps its mode, and is reached through links that stay links", async () => {
    writeFileSync(file(), "old\n");
    chmodSync(file(), 0o640);
    const link = join(folder, "link.yaml");
    symlinkSync("a.yaml", link);
    await replaceFile(link, bytes("old\n"), bytes("new and longer\n"));
    expect(readFileSync(file(), "utf8")).toBe("new and longer\n");
    expect(statSync(file()).mode & 0o777).toBe(0o640);
    expect(readlinkSync(link)).toBe("a.yaml");
    expect(names()).toEqual(["a.yaml", "link.yaml"]);
  });

  it("is left alone where somebody saved it meanwhile", async () => {
    writeFileSync(file(), "saved by another\n");
    await expect(replaceFile(file(), bytes("old\n"), bytes("new\n"))).rejects.toThrow(/changed since it was read/);
    expect(readFileSync(file(), "utf8")).toBe("saved by another\n");
    expect(names()).toEqual(["a.yaml"]);
  });

  it("is left alone where it is gone, or no file", async () => {
    await expect(replaceFile(file(), bytes("old\n"), bytes("new\n"))).rejects.toBeInstanceOf(NotWritten);
    await expect(replaceFile(folder, bytes("old\n"), bytes("new\n"))).rejects.toThrow(/no regular file/);
    expect(names()).toEqual([]);
  });

  it("is old or new, byte for byte, whatever happens while others save it too", async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `value: ${i}\n`.repeat(2000));
    writeFileSync(file(), texts[0]);
    const done = await Promise.allSettled(
      texts.slice(1).map((text) => replaceFile(file(), bytes(texts[0]), bytes(text))),
    );
    expect(texts).toContain(readFileSync(file(), "utf8"));
    expect(done.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(names()).toEqual(["a.yaml"]);
  });

  it.skipIf(process.platform === "win32")("past a limit on file sizes says so, and leaves it as it was", async () => {
    const old = `old: ${"x".repeat(100_000)}\n`;
    writeFileSync(file(), old);
    const bundle = join(folder, "replace.cjs");
    const { build } = await import("esbuild");
    await build({
      entryPoints: ["server/node/replace.ts"],
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile: bundle,
    });
    const script = `const { replaceFile } = require(${JSON.stringify(bundle)}); const { readFileSync } = require("node:fs"); const old = readFileSync(${JSON.stringify(file())}); replaceFile(${JSON.stringify(file())}, old, Buffer.from("new: " + "y".repeat(100000))).then(() => process.exit(0), (error) => { process.stderr.write(error.message); process.exit(2); });`;
    const run = await new Promise<{ code: number; told: string }>((resolve) =>
      execFile("bash", ["-c", `ulimit -f 8; exec "$0" -e "$1"`, process.execPath, script], (error, _out, told) =>
        resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, told }),
      ),
    );
    expect(run).toMatchObject({ code: 2, told: expect.stringMatching(/limit on files/) as string });
    expect(readFileSync(file(), "utf8")).toBe(old);
    expect(names()).toEqual(["a.yaml", "replace.cjs"]);
  });
});

it("a number keeps its radix", () => {
  expect(rewriteNumber("0o20", 24).text).toBe("0o30");
  expect(rewriteNumber("0b100", 6).text).toBe("0b110");
  expect(rewriteNumber("0x10", 24).text).toBe("0x18");
  expect(rewriteNumber("0xAB", 171).text).toBe("0xAB");
});
