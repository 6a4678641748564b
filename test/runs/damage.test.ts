import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureRollouts, readRuns } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";

const ROOT = join(__dirname, "../fixtures/runs");

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

const cases = readdirSync(ROOT).filter((name) => statSync(join(ROOT, name)).isDirectory());
const runsPerCase = Number(process.env.DAMAGE_RUNS ?? 60);

/** Each byte flip or cut must end in a table, and every rate in it must be one. */
describe("no damage to a log throws or hangs", () => {
  it.each(cases)("%s", async (name) => {
    const paths = filesBelow(join(ROOT, name));
    const contents = Object.fromEntries(
      paths.map((path) => [relative(join(ROOT, name), path), new Uint8Array(readFileSync(path))]),
    );
    const names = Object.keys(contents);
    const damage = fc.record({
      file: fc.nat(names.length - 1),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      kind: fc.constantFrom("cut", "flip", "zero", "insert"),
      bit: fc.nat(7),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        const broken: Record<string, Uint8Array> = { ...contents };
        for (const { file, at, kind, bit } of damages) {
          const bytes = broken[names[file]].slice();
          const place = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
          if (bytes.length === 0) continue;
          if (kind === "cut") broken[names[file]] = bytes.slice(0, place);
          else if (kind === "insert")
            broken[names[file]] = Uint8Array.from([...bytes.slice(0, place), 255 - bit, ...bytes.slice(place)]);
          else {
            bytes[place] = kind === "flip" ? bytes[place] ^ (1 << bit) : 0;
            broken[names[file]] = bytes;
          }
        }
        const host = memoryHost(
          Object.fromEntries(Object.entries(broken).map(([path, bytes]) => [`top/${path}`, bytes])),
        );
        const { rows, notes } = await readRuns(host, [host.uri("top")]);
        for (const { outcome } of rows) {
          if (outcome.kind === "rate") expect(outcome.rate >= 0 && outcome.rate <= 1).toBe(true);
          if (outcome.kind === "counts") expect(outcome.successes <= outcome.trials).toBe(true);
        }
        expect(rows.length + notes.length).toBeGreaterThan(0);
        await measureRollouts(host, [host.uri("top")]);
      }),
      { numRuns: runsPerCase, interruptAfterTimeLimit: 20_000 },
    );
  });
});
