import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { buildPrograms } from "./programs";

const SAMPLE = join(__dirname, "../../samples/appworld");
const NAME = "appworld.budget.yaml";
const isRoot = process.getuid?.() === 0;

let programs = "";
let folder = "";
/** As it stands, and as an undisturbed `--write` leaves it. */
let old = "";
let optimised = "";
let round = 0;

interface Options {
  readonly in?: string;
  readonly limit?: number;
  readonly asNobody?: boolean;
  readonly meddle?: "save" | "kill";
}

/** `optimise --write`, as a person runs it. */
function optimise(options: Options = {}): { readonly code: number | null; readonly said: string } {
  const where = options.in ?? folder;
  const before = options.meddle ? ["--import", pathToFileURL(join(__dirname, "meddle.mjs")).href] : [];
  const limit = options.limit === undefined ? "" : `ulimit -f ${options.limit}; `;
  const command = [process.execPath, ...before, join(programs, "cli.js"), "optimise", NAME, "--fit", "f.fit.json"];
  const { status, stderr } = spawnSync("bash", ["-c", `${limit}exec "$@" --write >/dev/null`, "bash", ...command], {
    cwd: where,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", MEDDLE: options.meddle ?? "", MEDDLE_FILE: join(where, NAME) },
    ...(options.asNobody && isRoot && { uid: 65_534, gid: 65_534 }),
  });
  return { code: status, said: stderr };
}

const file = () => readFileSync(join(folder, NAME), "utf8");
const strays = () => readdirSync(folder).filter((name) => name.endsWith(".tmp"));

beforeAll(() => {
  programs = buildPrograms();
  // Another user runs them too, where the suite is root.
  chmodSync(programs, 0o755);
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-write-"));
  chmodSync(folder, 0o755);
  cpSync(SAMPLE, folder, { recursive: true });
  const fitted = spawnSync(process.execPath, [join(programs, "cli.js"), "fit", "runs", "--out", "f.fit.json"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (fitted.status !== 0) throw new Error(fitted.stderr);
  old = file();
  expect(optimise().code).toBe(0);
  optimised = file();
}, 300_000);

afterAll(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
  rmSync(programs, { recursive: true, force: true });
});

beforeEach(() => {
  chmodSync(folder, 0o755);
  copyFileSync(join(SAMPLE, NAME), join(folder, NAME));
  // Each round writes something else, so that nothing is taken from a reading before.
  old = `${readFileSync(join(SAMPLE, NAME), "utf8")}# round ${++round}\n`;
  writeFileSync(join(folder, NAME), old);
});

/** A small disk of its own with the sample's files; not every machine lets a test have one. */
function onSmallDisk(context: TestContext, work: (disk: string) => void): void {
  const disk = mkdtempSync(join(tmpdir(), "scaling-lens-disk-"));
  if (!isRoot || spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]).status !== 0) {
    rmSync(disk, { recursive: true });
    context.skip("needs the right to mount a small disk");
  }
  try {
    for (const name of [NAME, "scaling.yaml", "f.fit.json"]) copyFileSync(join(folder, name), join(disk, name));
    work(disk);
  } finally {
    spawnSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

describe.skipIf(process.platform === "win32")("optimise --write leaves the old file or the new one", () => {
  it("undisturbed: the new one", () => {
    expect(optimised).not.toBe(readFileSync(join(SAMPLE, NAME), "utf8"));
    const { code, said } = optimise();
    expect(code).toBe(0);
    expect(said).toMatch(/values? changed/);
    expect(file()).toBe(`${optimised}# round ${round}\n`);
  }, 60_000);

  it("past the shell's limit on file sizes: the old one, and says so", () => {
    old += `# ${"x".repeat(60_000)}\n`;
    writeFileSync(join(folder, NAME), old);
    const { code, said } = optimise({ limit: 8 });
    expect(code).toBe(2);
    expect(said).toMatch(/nothing was written: .*limit on files/);
    expect(file()).toBe(old);
    expect(strays()).toEqual([]);
  }, 60_000);

  it("in a folder that cannot be written: the old one, and says so", () => {
    chmodSync(join(folder, NAME), 0o444);
    chmodSync(folder, 0o555);
    const { code, said } = optimise({ asNobody: true });
    chmodSync(folder, 0o755);
    expect(code).toBe(2);
    expect(said).toMatch(/nothing was written: .*cannot be written/);
    expect(file()).toBe(old);
    expect(strays()).toEqual([]);
  }, 60_000);

  it("on a full disk: the old one, and says so", (context) => {
    onSmallDisk(context, (disk) => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(join(disk, "filler"), Buffer.alloc(Number(bavail) * Number(bsize)));
      const { code, said } = optimise({ in: disk });
      expect(code).toBe(2);
      expect(said).toMatch(/nothing was written: there is no space left on the disk/);
      expect(readFileSync(join(disk, NAME), "utf8")).toBe(old);
      expect(readdirSync(disk).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    });
  }, 60_000);

  it("on a disk that is mounted for reading only: the old one, and says so", (context) => {
    onSmallDisk(context, (disk) => {
      spawnSync("mount", ["-o", "remount,ro", disk]);
      const { code, said } = optimise({ in: disk });
      expect(code).toBe(2);
      expect(said).toMatch(/nothing was written: its folder cannot be written \(EROFS\)/);
      expect(readFileSync(join(disk, NAME), "utf8")).toBe(old);
    });
  }, 60_000);

  it("saved by another program meanwhile: what that one saved, and says so", () => {
    const { code, said } = optimise({ meddle: "save" });
    expect(code).toBe(2);
    expect(said).toMatch(/nothing was written: it has been changed since it was read/);
    expect(file()).toBe("saved: by another\n");
    expect(strays()).toEqual([]);
  }, 60_000);

  it("killed in the middle: the old one", () => {
    const { code } = optimise({ meddle: "kill" });
    expect(code).not.toBe(0);
    expect(file()).toBe(old);
    for (const stray of strays()) rmSync(join(folder, stray));
  }, 60_000);

  it("where the file has errors: the old one, and says so", () => {
    old += "budget: [\n";
    writeFileSync(join(folder, NAME), old);
    const { code } = optimise();
    expect(code).toBe(2);
    expect(file()).toBe(old);
  }, 60_000);
});
