import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error: the build script has no types.
import { bundles } from "../../esbuild.mjs";

// What a start keeps for the next one: compiled code, which must never be that of another engine, nor cost an answer.

let folder: string;
const kept = () => join(folder, "engine.cache");
const run = (...args: string[]) =>
  execFileSync(process.execPath, [join(folder, "cli.js"), ...args], { encoding: "utf8" });
const engine = (says: string, ends = 0) =>
  writeFileSync(
    join(folder, "engine.js"),
    `exports.cli = () => (process.exitCode = ${ends}, console.log(${JSON.stringify(says)}, process.argv[2], require("./part.js"), __dirname === require("path").dirname(__filename)));\n`,
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-start-"));
  const { cli } = bundles as { cli: object };
  await build({ ...cli, outfile: join(folder, "cli.js"), sourcemap: false, logLevel: "silent" });
  writeFileSync(join(folder, "part.js"), "module.exports = 'part';\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a second start takes the code of the first; another engine of the same length is another engine", () => {
  engine("one");
  expect(run("inspect")).toBe("one inspect part true\n");
  const first = readFileSync(kept());
  expect(first.subarray(0, first.indexOf("\n")).toString()).toMatch(/\|inspect$/);
  expect(run("inspect")).toBe("one inspect part true\n");
  expect(readFileSync(kept()).equals(first), "nothing is written twice").toBe(true);
  engine("two");
  expect(run("inspect")).toBe("two inspect part true\n");
  // Each command adds what only it calls.
  expect(run("plan")).toBe("two plan part true\n");
  const both = readFileSync(kept());
  expect(both.subarray(0, both.indexOf("\n")).toString()).toMatch(/\|inspect\|plan$/);
});

test("flipped bits anywhere in the kept code cost no answer, and are mended", () => {
  engine("flipped");
  run("inspect");
  const whole = readFileSync(kept());
  const body = whole.indexOf("\n") + 1;
  for (const part of [0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95]) {
    const damaged = Buffer.from(whole);
    const at = body + Math.floor(part * (whole.length - body));
    for (let i = at; i < Math.min(at + 16, damaged.length); i++) damaged[i] ^= 0xff;
    writeFileSync(kept(), damaged);
    expect(run("inspect"), String(part)).toBe("flipped inspect part true\n");
    const mended = readFileSync(kept());
    const [, sum] = mended.subarray(0, mended.indexOf("\n")).toString().split("|");
    expect(sum).toBe(
      createHash("sha256")
        .update(mended.subarray(mended.indexOf("\n") + 1))
        .digest("hex"),
    );
  }
});

test("what ends as bad input, as a word that is no command does, keeps nothing", () => {
  engine("none", 2);
  rmSync(kept(), { force: true });
  expect(spawnSync(process.execPath, [join(folder, "cli.js"), "wombat"]).status).toBe(2);
  expect(existsSync(kept())).toBe(false);
  // A finding ends with 1.
  engine("some", 1);
  expect(spawnSync(process.execPath, [join(folder, "cli.js"), "check"]).status).toBe(1);
  expect(readFileSync(kept()).toString("latin1").split("\n")[0]).toMatch(/\|check$/);
});

test("a damaged file of code, or a folder in its place, costs no answer", () => {
  engine("three");
  run("inspect");
  const whole = readFileSync(kept());
  for (const damaged of [
    whole.subarray(0, 40),
    whole.subarray(0, whole.length - 9),
    Buffer.from("no line"),
    Buffer.of(),
  ]) {
    writeFileSync(kept(), damaged);
    expect(run("inspect")).toBe("three inspect part true\n");
  }
  // Nothing can be renamed onto a folder: as where nothing may be written.
  rmSync(kept(), { force: true });
  mkdirSync(kept());
  expect(run("inspect")).toBe("three inspect part true\n");
  expect(readdirSync(folder).sort()).toEqual(["cli.js", "engine.cache", "engine.js", "part.js"]);
});
