import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE } from "../fixtures/hostile";
import { LAUNCH, write, type HostileInput } from "../fixtures/hostile/hostile";
import { buildPrograms, runCli } from "./programs";

// `SCALING_LENS_HOSTILE=all` runs every input (some minutes of processor time); `=TEXT` those with it in `kind: name`. Without it, a few
// of each kind that once hung or filled whoever opened them. `SCALING_LENS_HOSTILE_LOG=FILE` notes what each one took;
// `SCALING_LENS_HOSTILE_PLAIN=1` reads logs without DuckDB, as the universal package does.
const asked = process.env.SCALING_LENS_HOSTILE;
const log = process.env.SCALING_LENS_HOSTILE_LOG;

/** Inputs that the suite always runs: the first of a kind and the worst of it. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  hydra: ["each config names the next one six times"],
  shell: ["a function that calls itself twice with twice its arguments", "an array that doubles in a loop"],
  python: ["f-strings that double", "sums of texts that double"],
  pipes: ["a named pipe among the defaults"],
  patterns: ["files: nested repeats", "files: many stars"],
  fits: ["a million draws of no parameters"],
  logs: ["6 KB of Parquet with five million constant rows", "run.json nested 50,000 deep"],
  texts: ["YAML: aliases of aliases", "YAML: 20,000 errors"],
};

/** Processor time (ms) and memory (bytes) above what the program takes for a healthy config. */
const MOST_CPU = 4000;
const MOST_MEMORY = 300e6;

let programs = "";
let idle = { cpu: 0, memory: 0 };

beforeAll(async () => {
  programs = buildPrograms();
  if (process.env.SCALING_LENS_HOSTILE_PLAIN) rmSync(join(programs, "duckdb.js"), { force: true });
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-healthy-"));
  write(folder, { "run.sh": LAUNCH });
  const { usage } = await runCli(programs, folder, ["inspect", "run.sh"]);
  rmSync(folder, { recursive: true, force: true });
  if (!usage) throw new Error("The program does not start.");
  idle = usage;
}, 300_000);

afterAll(() => rmSync(programs, { recursive: true, force: true }));

const chosen = (kind: string, inputs: readonly HostileInput[]) =>
  inputs.filter(({ name }) =>
    asked ? asked === "all" || `${kind}: ${name}`.includes(asked) : ALWAYS[kind]?.includes(name),
  );

const commandsOf = ({ open, commands = [] }: HostileInput) => [
  ...(open.length > 0 ? [["inspect", ...open]] : []),
  ...(asked ? commands : commands.slice(0, 1)),
];

describe.skipIf(process.platform === "win32")("hostile inputs at the command line", () => {
  for (const [kind, inputs] of Object.entries(HOSTILE)) {
    it.each(chosen(kind, inputs).map((input) => [`${kind}: ${input.name}`, input] as const))(
      "%s",
      async (name, input) => {
        const folder = mkdtempSync(join(tmpdir(), "scaling-lens-hostile-"));
        try {
          await input.make(folder);
          for (const args of commandsOf(input)) {
            const { code, signal, output, usage } = await runCli(programs, folder, args);
            const cpu = usage ? Math.max(0, usage.cpu - idle.cpu) : null;
            const memory = usage ? Math.max(0, usage.memory - idle.memory) : null;
            if (log)
              appendFileSync(
                log,
                `${name}\t${args[0]}\t${code ?? signal}\t${cpu?.toFixed(0)}\t${((memory ?? 0) / 1e6).toFixed(0)}\t${output.length}\n`,
              );
            const what = `${args.join(" ").slice(0, 80)}\n${output.slice(0, 400)}`;
            expect.soft(signal, what).toBeNull();
            // 0 fine, 1 a finding, 2 bad input: whatever it is, it is said.
            expect.soft([0, 1, 2], what).toContain(code);
            expect.soft(output.length, what).toBeGreaterThan(0);
            expect.soft(output, what).not.toMatch(/internal error|RangeError|heap out of memory|Maximum call stack/i);
            expect.soft(cpu ?? Infinity, `processor time in ms: ${what}`).toBeLessThan(MOST_CPU);
            expect.soft(memory ?? Infinity, `memory in bytes: ${what}`).toBeLessThan(MOST_MEMORY);
          }
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
      300_000,
    );
  }
  it("has each input that is always run", () => {
    for (const [kind, names] of Object.entries(ALWAYS))
      expect(HOSTILE[kind].map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  });
});
