import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import {
  createProtocolConnection,
  type CodeLens,
  type Hover,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import { HOSTILE } from "../fixtures/hostile";
import { BUDGET, write } from "../fixtures/hostile/hostile";
import { buildPrograms } from "./programs";

/** Documents that hold up whoever reads them on the thread that answers, one of a kind. */
const OPENED: readonly (readonly [kind: string, name: string])[] = [
  ["hydra", "each config names the next one six times"],
  ["shell", "a function that calls itself twice with twice its arguments"],
  ["python", "f-strings that double"],
  ["pipes", "a named pipe among the defaults"],
  ["patterns", "files: nested repeats"],
  ["texts", "YAML: 20,000 errors"],
];

let programs = "";
let folder = "";
let server: ChildProcess;
let connection: ProtocolConnection;

const uriOf = (path: string) => pathToFileURL(join(folder, path)).href;
const open = (path: string) =>
  connection.sendNotification("textDocument/didOpen", {
    textDocument: {
      uri: uriOf(path),
      languageId: path.endsWith(".sh") ? "shellscript" : path.endsWith(".py") ? "python" : "yaml",
      version: 1,
      text: readFileSync(join(folder, path), "utf8"),
    },
  });

beforeAll(async () => {
  programs = buildPrograms();
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-server-"));
  const hostile = OPENED.map(([kind, name]) => {
    const input = HOSTILE[kind].find((one) => one.name === name);
    if (!input) throw new Error(`There is no ${kind}: ${name}`);
    return { kind, input };
  });
  for (const { kind, input } of hostile) {
    mkdirSync(join(folder, kind));
    await input.make(join(folder, kind));
  }
  write(folder, { "healthy/x.budget.yaml": BUDGET });
  server = spawn(process.execPath, [join(programs, "server.js"), "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  if (!server.stdout || !server.stdin) throw new Error("The server has no streams.");
  connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.onRequest("workspace/configuration", ({ items }: { items: unknown[] }) => items.map(() => ({})));
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [...hostile.map(({ kind }) => kind), "healthy"].map((name) => ({ uri: uriOf(name), name })),
    capabilities: { workspace: { configuration: true, workspaceFolders: true }, textDocument: { codeLens: {} } },
  });
  await connection.sendNotification("initialized", {});
  for (const { kind, input } of hostile) for (const file of input.open) await open(`${kind}/${file}`);
  // Lenses of the hostile documents are asked for, and not waited for.
  for (const { kind, input } of hostile)
    for (const file of input.open)
      void connection
        .sendRequest("textDocument/codeLens", { textDocument: { uri: uriOf(`${kind}/${file}`) } })
        .catch(() => undefined);
}, 300_000);

afterAll(() => {
  connection.dispose();
  server.kill("SIGKILL");
  rmSync(programs, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === "win32")("a server with hostile documents open", () => {
  it("shows the lens of a healthy document, and answers its hovers", async () => {
    const textDocument = { uri: uriOf("healthy/x.budget.yaml") };
    await open("healthy/x.budget.yaml");
    const started = performance.now();
    const lenses = await connection.sendRequest<CodeLens[]>("textDocument/codeLens", { textDocument });
    const lensAfter = performance.now() - started;
    expect(lenses.length).toBeGreaterThan(0);
    const line = BUDGET.split("\n").findIndex((text) => text.startsWith("budget:"));
    const position = { line, character: BUDGET.split("\n")[line].indexOf("tasks") + 1 };
    const asked = performance.now();
    const hover = await connection.sendRequest<Hover | null>("textDocument/hover", { textDocument, position });
    expect(hover).not.toBeNull();
    if (process.env.SCALING_LENS_HOSTILE_LOG)
      console.log(`lens ${lensAfter.toFixed(0)} ms, hover ${(performance.now() - asked).toFixed(0)} ms`);
    expect(server.exitCode).toBeNull();
  }, 30_000);

  it("is alive when all are read, and each of them has an answer", async () => {
    for (const [kind, name] of OPENED) {
      const input = HOSTILE[kind].find((one) => one.name === name);
      for (const file of input?.open ?? []) {
        const lenses = await connection.sendRequest<CodeLens[] | null>("textDocument/codeLens", {
          textDocument: { uri: uriOf(`${kind}/${file}`) },
        });
        expect(lenses, `${kind}/${file}`).toBeInstanceOf(Array);
      }
    }
    expect(server.exitCode).toBeNull();
  }, 120_000);
});
