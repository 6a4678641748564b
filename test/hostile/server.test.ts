import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hover } from "vscode-languageserver-protocol/node";
import { HOSTILE } from "../fixtures/hostile";
import { BUDGET, write } from "../fixtures/hostile/hostile";
import { RunningServer } from "./lsp";
import { buildPrograms } from "./programs";

/** Documents that hold up whoever reads them on the thread that answers, one of a kind. */
const ALWAYS: readonly (readonly [kind: string, name: string])[] = [
  ["hydra", "each config names the next one six times"],
  ["shell", "a function that calls itself twice with twice its arguments"],
  ["python", "f-strings that double"],
  ["pipes", "a named pipe among the defaults"],
  ["patterns", "files: nested repeats"],
  ["texts", "YAML: 20,000 errors"],
];

// As in hostile.test.ts: `SCALING_LENS_HOSTILE=all` opens every input, `SCALING_LENS_HOSTILE_LOG=FILE` notes the latencies.
const asked = process.env.SCALING_LENS_HOSTILE;
const log = process.env.SCALING_LENS_HOSTILE_LOG;
const HOVERS = 20;

const opened = Object.entries(HOSTILE).flatMap(([kind, inputs]) =>
  inputs
    .filter(
      ({ name, open }) =>
        open.length > 0 &&
        (asked === "all" ||
          (asked && `${kind}: ${name}`.includes(asked)) ||
          (!asked && ALWAYS.some(([k, n]) => k === kind && n === name))),
    )
    .map((input, index) => ({ folder: `${kind}-${index}`, kind, input })),
);

let programs = "";
let root = "";
let server: RunningServer;

beforeAll(async () => {
  programs = buildPrograms();
  root = mkdtempSync(join(tmpdir(), "scaling-lens-server-"));
  for (const { folder, input } of opened) {
    mkdirSync(join(root, folder));
    await input.make(join(root, folder));
  }
  write(root, Object.fromEntries(opened.map(({ folder }) => [`healthy/${folder}.budget.yaml`, BUDGET])));
  server = await RunningServer.start(programs, root, [...opened.map(({ folder }) => folder), "healthy"]);
}, 300_000);

afterAll(() => {
  server.end();
  rmSync(programs, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

const line = BUDGET.split("\n").findIndex((text) => text.startsWith("budget:"));
const position = { line, character: BUDGET.split("\n")[line].indexOf("tasks") + 1 };

describe.skipIf(process.platform === "win32")("a server with hostile documents open", () => {
  it.each(opened.map((one) => [`${one.kind}: ${one.input.name}`, one] as const))(
    "shows the lens of a healthy document and answers its hovers, beside %s",
    async (name, { folder, input }) => {
      for (const file of input.open) {
        await server.open(`${folder}/${file}`);
        // Its own lenses are asked for, and not waited for.
        void server.lenses(`${folder}/${file}`).catch(() => undefined);
      }
      const healthy = `healthy/${folder}.budget.yaml`;
      await server.open(healthy);
      const started = performance.now();
      const lenses = await server.lenses(healthy);
      const lensAfter = performance.now() - started;
      expect(lenses?.length).toBeGreaterThan(0);
      const took: number[] = [];
      for (let round = 0; round < HOVERS; round++) {
        const before = performance.now();
        const textDocument = { uri: server.uri(healthy) };
        const hover = await server.connection.sendRequest<Hover | null>("textDocument/hover", {
          textDocument,
          position,
        });
        took.push(performance.now() - before);
        expect(hover).not.toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      took.sort((a, b) => a - b);
      if (log)
        appendFileSync(
          log,
          `beside ${name}\tlens ${lensAfter.toFixed(0)} ms\thover median ${took[HOVERS / 2].toFixed(1)} ms, most ${took[HOVERS - 1].toFixed(0)} ms\n`,
        );
      expect(server.process.exitCode).toBeNull();
    },
    60_000,
  );

  it("is alive when all are read, and each of them has an answer", async () => {
    for (const { folder, input } of opened)
      for (const file of input.open) {
        const lenses = await server.lenses(`${folder}/${file}`);
        expect(lenses, `${folder}/${file}`).toBeInstanceOf(Array);
      }
    expect(server.process.exitCode).toBeNull();
  }, 300_000);
});
