import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasDuckdb } from "../../scripts/native.mjs";
import { hostTarget, nativePackages, NATIVE_TARGETS } from "../../scripts/targets.mjs";
import { NATIVE_FOLDER } from "../../scripts/vsix.mjs";
import { layOut } from "./installed.mjs";

const target = hostTarget();

interface Note {
  readonly code: string;
  readonly message: string;
}

describe.skipIf(!hasDuckdb || !NATIVE_TARGETS.includes(target))(
  "the accelerator of a platform package (skipped where the optional package is not installed)",
  () => {
    let folder: string;
    let installed: string;
    let work: string;
    let bindings: string;
    let plain: unknown[];

    /** Runs the packed command line on a large log, far from this checkout and its packages. */
    function read(): { rows: unknown[]; notes: readonly Note[]; chunks: number } {
      const trace = join(folder, "trace");
      rmSync(trace, { force: true });
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--require", eightCores(), join(installed, "dist/cli.js"), "runs", "long.jsonl", "--json"],
        {
          cwd: work,
          encoding: "utf8",
          env: { ...process.env, NODE_PATH: "", SCALING_LENS_TRACE: trace },
        },
      );
      expect({ status, stderr: stderr.replace(/^.*: information .*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
      const { rows, notes } = JSON.parse(stdout) as { rows: unknown[]; notes: Note[] };
      return {
        rows,
        notes: notes.filter(({ code }) => code === "log.accelerator"),
        chunks: existsSync(trace) ? readFileSync(trace, "utf8").length : 0,
      };
    }

    /** DuckDB is asked only where there are several cores; this machine then has them. */
    function eightCores(): string {
      const preload = join(folder, "cores.cjs");
      writeFileSync(preload, 'require("node:os").availableParallelism = () => 8;\n');
      return preload;
    }

    /** Takes a file or folder away, or puts a changed copy of the file in its place, while `during` runs. */
    function without(path: string, during: () => void, change?: (path: string) => void): void {
      const kept = join(folder, "kept");
      renameSync(path, kept);
      try {
        if (change) {
          copyFileSync(kept, path);
          change(path);
        }
        during();
      } finally {
        rmSync(path, { recursive: true, force: true });
        renameSync(kept, path);
      }
    }

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "scaling-lens-installed-"));
      installed = join(folder, "installed");
      work = join(folder, "work");
      mkdirSync(work);
      await layOut(installed, target);
      const native = join(installed, NATIVE_FOLDER);
      bindings = join(native, nativePackages(target).at(-1) ?? "");
      // The loader is made to tell of every piece of a result that comes out of the native code.
      const loader = join(native, "@duckdb/node-bindings/duckdb.js");
      appendFileSync(
        loader,
        `
      const bindings = module.exports;
      module.exports = Object.create(bindings, { fetch_chunk: { value: async (...asked) => {
        const chunk = await bindings.fetch_chunk(...asked);
        require("node:fs").appendFileSync(process.env.SCALING_LENS_TRACE, ".");
        return chunk;
      } } });`,
      );
      const pad = "x".repeat(20_000);
      const rows = Array.from({ length: 3500 }, (_, i) =>
        JSON.stringify({
          run: `r${i % 4}`,
          tasks: 100 * (1 + (i % 4)),
          step: Math.floor(i / 4),
          "val/success_rate": ((i * 7919) % 1000) / 1001,
          pad,
        }),
      );
      writeFileSync(join(work, "long.jsonl"), `${rows.join("\n")}\n`);
      without(join(installed, "dist/native"), () => {
        const found = read();
        expect(found.rows).toHaveLength(4);
        expect(found).toMatchObject({ notes: [], chunks: 0 });
        plain = found.rows;
      });
    }, 120_000);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it("is found beside the bundles and reads the log", () => {
      const { rows, notes, chunks } = read();
      expect(notes).toEqual([]);
      expect(chunks).toBeGreaterThan(1);
      expect(rows).toEqual(plain);
    });

    it("is never taken from the folder in which the work is done", () => {
      const stranger = join(work, "node_modules/@duckdb/node-bindings");
      mkdirSync(stranger, { recursive: true });
      writeFileSync(
        join(stranger, "index.js"),
        'require("node:fs").appendFileSync(process.env.SCALING_LENS_TRACE, "!");\n',
      );
      try {
        without(join(installed, "dist/native"), () => expect(read()).toEqual({ rows: plain, notes: [], chunks: 0 }));
      } finally {
        rmSync(join(work, "node_modules"), { recursive: true });
      }
    });

    const damages: readonly { what: string; file?: string; change?: (path: string) => void }[] = [
      { what: "the package for this platform is missing" },
      { what: "the binding is deleted", file: "duckdb.node" },
      { what: "the binding is cut short", file: "duckdb.node", change: (path) => truncateSync(path, 100_000) },
      { what: "the binding is empty", file: "duckdb.node", change: (path) => truncateSync(path) },
      {
        what: "the binding is something else",
        file: "duckdb.node",
        change: (path) => writeFileSync(path, "nothing of the kind\n".repeat(1000)),
      },
      { what: "the binding is for another machine", file: "duckdb.node", change: otherMachine },
      { what: "the library is deleted", file: "libduckdb.so" },
      { what: "the library is cut short", file: "libduckdb.so", change: (path) => truncateSync(path, 30_000_000) },
      { what: "the library is for another machine", file: "libduckdb.so", change: otherMachine },
      {
        what: "the loader throws",
        file: "../node-bindings/duckdb.js",
        change: (path) => writeFileSync(path, "throw new Error('no');\n"),
      },
    ];
    for (const { what, file, change } of damages) {
      it.skipIf(file === "libduckdb.so" && process.platform !== "linux")(
        `leaves its work to the plain reader, with a note, where ${what}`,
        () => {
          without(
            file ? join(bindings, file) : bindings,
            () => {
              const { rows, notes, chunks } = read();
              expect(chunks).toBe(0);
              expect(notes.map(({ message }) => message)).toEqual([
                expect.stringMatching(/^DuckDB .*\. The file was read again without DuckDB\.$/),
              ]);
              expect(rows).toEqual(plain);
            },
            change,
          );
        },
      );
    }
  },
);

/** Says that native code is for an Itanium, in the header of each of the three formats. */
function otherMachine(path: string): void {
  const bytes = readFileSync(path);
  if (process.platform === "win32") bytes.writeUInt16LE(0x0200, bytes.readUInt32LE(0x3c) + 4);
  else if (process.platform === "darwin") bytes.writeUInt32LE(0x0100_0012, 4);
  else bytes.writeUInt16LE(0x32, 18);
  writeFileSync(path, bytes);
}
