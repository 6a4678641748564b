import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUDGET, LAUNCH, RUNS, VERL, write } from "../fixtures/hostile/hostile";
import { RunningServer } from "./lsp";
import { buildPrograms } from "./programs";

/** A number that stands only outside the workspace: it may show up nowhere. */
const CANARY = "31337";
const ROOT = join(__dirname, "../..");

let programs = "";
let base = "";
let scratch = "";
let server: Server;
let hits = 0;
/** What was sent along to be let in. */
const sent: string[] = [];
let port = 0;

/** A workspace that asks for what lies outside in every way there is, and an outside that would answer. */
function make(): void {
  const outside = join(scratch, "outside");
  const there = pathToFileURL(outside).href;
  write(outside, {
    "base.yaml": VERL.replace("256", CANARY),
    "env.sh": `export STEPS=${CANARY}\n`,
    "other.sh": LAUNCH.replace("256", CANARY),
    "train.py": `from trl import GRPOConfig\nGRPOConfig(max_steps=${CANARY})\n`,
    "rl.toml": `max_steps = ${CANARY}\n[orchestrator]\nrollouts_per_example = 8\n`,
    "runs/t.csv": RUNS.replaceAll("2000", CANARY),
    "runs/metrics.jsonl": `{"step":${CANARY},"success_rate":0.5}\n`,
    "t.jsonl": '{"prompt":"a"}\n'.repeat(31337),
    "f.fit.json": "{}",
    "mlflow.db": "SQLite format 3\u0000",
    "fragment.json": `{"budget":{"tasks":${CANARY}}}`,
  });
  const sources = [
    "../outside/**",
    "../../**",
    `${outside}/runs/**`,
    `${there}/runs/t.csv`,
    "link/**",
    "runs/**",
    `http://127.0.0.1:${port}/t.csv`,
    `https://127.0.0.1:${port}/t.csv`,
    `s3://127.0.0.1:${port}/t.csv`,
    `clickhouse://127.0.0.1:${port}/db?runs=x`,
    `postgres://127.0.0.1:${port}/mlflow`,
    "sqlite:../outside/mlflow.db",
    `sqlite:${outside}/mlflow.db`,
    "vscode-vfs://github/a/b/t.csv",
    "file://127.0.0.1/share/t.csv",
    "~/t.csv",
    "/etc/passwd",
  ];
  write(join(scratch, "w"), {
    "scaling.yaml": `fit: ../outside/f.fit.json\nlogs: ${JSON.stringify(sources)}\n`,
    "x.budget.yaml": BUDGET,
    "runs/t.csv": RUNS,
    "a.yaml": `defaults: [base, ../outside/base, ${outside}/base, link/base, _self_]\nhydra: { searchpath: ["${there}", "file://../outside"] }\n${VERL.replace("data: {", `data: { train_files: [${outside}/t.jsonl, ../outside/t.jsonl, link/t.jsonl, "${there}/t.jsonl", ~/t.jsonl],`)}`,
    "run.sh": `source ../outside/env.sh\n. ${outside}/env.sh\nsource link/env.sh\nbash ../outside/other.sh\n${LAUNCH.trim()} data.train_files=${outside}/t.jsonl --config-path ../outside --config-name base trainer.total_training_steps=$STEPS\n`,
    "train.sh": `python3 ../outside/train.py\npython3 ${outside}/train.py\npython3 link/train.py\nuv run rl @ ../outside/rl.toml\nuv run rl @ ${outside}/rl.toml\n`,
    "rl.toml": `toml_files = ["../outside/rl.toml", "${outside}/rl.toml"]\n[orchestrator]\nrollouts_per_example = 8\nbatch_size = 128\n`,
    "train.py": `from trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(max_steps=100, num_generations=8)\nGRPOTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=load_dataset("json", data_files="${outside}/t.jsonl"))\n`,
  });
  for (const [name, target] of [
    ["link", outside],
    ["base.yaml", join(outside, "base.yaml")],
    ["runs/linked.csv", join(outside, "runs/t.csv")],
  ])
    symlinkSync(target, join(scratch, "w", name));
}

/** Runs everything that an editor can ask for; what came back, and the trace. */
async function everything(canWrite: boolean): Promise<{ readonly answers: string; readonly trace: readonly string[] }> {
  const trace = join(scratch, `trace-${canWrite}.txt`);
  const { connection, ...running } = await RunningServer.start(programs, scratch, ["w"], {
    preload: [join(__dirname, "trace.mjs")],
    env: { TRACE_FILE: trace },
    initialisation: { canWrite },
  }).then((one) => ({
    connection: one.connection,
    uri: (path: string) => one.uri(path),
    open: (path: string) => one.open(path),
    lenses: (path: string) => one.lenses(path),
    end: () => one.end(),
  }));
  const answers: unknown[] = [];
  const ask = (method: string, params: unknown) =>
    connection.sendRequest(method, params).then(
      (answer) => answers.push(answer),
      (error: unknown) => answers.push(String(error)),
    );
  try {
    for (const file of ["x.budget.yaml", "a.yaml", "run.sh", "train.sh", "rl.toml", "train.py", "scaling.yaml"]) {
      await running.open(`w/${file}`);
      const textDocument = { uri: running.uri(`w/${file}`) };
      await ask("textDocument/codeLens", { textDocument });
      await ask("textDocument/hover", { textDocument, position: { line: 0, character: 3 } });
      await ask("textDocument/diagnostic", { textDocument });
      const range = { start: { line: 0, character: 0 }, end: { line: 50, character: 0 } };
      await ask("textDocument/inlayHint", { textDocument, range });
      await ask("textDocument/codeAction", { textDocument, range, context: { diagnostics: [] } });
      await ask("scalingLens/explain", { uri: textDocument.uri });
    }
    const uri = running.uri("w");
    await ask("scalingLens/scanLogs", { uri });
    await ask("scalingLens/scanLogs", { uri, sources: ["../outside/**", join(scratch, "outside")] });
    await ask("scalingLens/fitLogs", { uri });
    await ask("scalingLens/measure", { uris: [running.uri("outside/t.jsonl"), running.uri("w/link/t.jsonl")] });
    const notebookUri = running.uri("w/a.ipynb");
    for (const text of ["fit: ../outside/runs/**", "fit: runs/**", "measure: ../outside/t.jsonl", "fit: link/runs/*"])
      await ask("scalingLens/runQuery", { notebookUri, text, above: [], vegaLite: false, token: text });
    for (const [name, input] of [
      ["inspect", { files: [join(scratch, "outside/base.yaml")] }],
      ["fit", { sources: [join(scratch, "outside/runs")] }],
    ] as const)
      await ask("scalingLens/operation", { name, input });
  } finally {
    running.end();
  }
  return { answers: JSON.stringify(answers), trace: readFileSync(trace, "utf8").split("\n").filter(Boolean) };
}

beforeAll(async () => {
  programs = buildPrograms();
  // Two folders deep, so that `../../**` finds nothing of other programs.
  base = realpathSync(mkdtempSync(join(tmpdir(), "scaling-lens-trust-")));
  scratch = join(base, "deep");
  server = createServer((request, response) => {
    hits++;
    if (request.headers.authorization) sent.push(request.headers.authorization);
    response.end(RUNS);
  });
  server.on("connection", () => hits++);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
  make();
}, 300_000);

afterAll(() => {
  server.close();
  rmSync(programs, { recursive: true, force: true });
  rmSync(base, { recursive: true, force: true });
});

const opened = (trace: readonly string[]) =>
  trace.flatMap((line) => {
    const [what, where] = line.split("\t");
    return what === "open" || what === "list" ? [JSON.parse(where) as string] : [];
  });
const within = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

describe.skipIf(process.platform === "win32")("a workspace that is not trusted", () => {
  it("has nothing read that lies outside its folders, no connection made and nothing started", async () => {
    const { answers, trace } = await everything(false);
    // The server and at least one worker were traced, and what is inside was read.
    expect(trace.filter((line) => line.startsWith("loaded")).length).toBeGreaterThan(1);
    const paths = opened(trace);
    expect(paths).toContain(join(scratch, "w/runs/t.csv"));
    const outside = paths.filter((path) => !within(join(scratch, "w"), path) && !within(ROOT, path));
    expect(outside).toEqual([]);
    expect(trace.filter((line) => /^(?:connect|start)\t/.test(line))).toEqual([]);
    expect(hits).toBe(0);
    expect(answers).not.toContain(CANARY);
    expect(answers).toContain("healthy");
  }, 120_000);

  it("the same asks reach outside where the workspace is trusted", async () => {
    const { answers, trace } = await everything(true);
    expect(opened(trace)).toContain(join(scratch, "outside/env.sh"));
    expect(answers).toContain(CANARY);
  }, 120_000);
});

it("a secret that the editor keeps goes to the store that scaling.yaml names, and into no file and no log", async () => {
  const address = `clickhouse://lens@127.0.0.1:${port}/db`;
  write(join(scratch, "s"), { "scaling.yaml": `logs: ["${address}?runs=x"]\n` });
  const cache = join(scratch, "cache");
  const running = await RunningServer.start(programs, scratch, ["s"], {
    env: { CLICKHOUSE_PASSWORD: "" },
    initialisation: { cacheUri: pathToFileURL(cache).href },
  });
  const said: unknown[] = [];
  const asked: unknown[] = [];
  try {
    running.connection.onNotification("window/logMessage", (message) => void said.push(message));
    running.connection.onRequest("scalingLens/secret", (params) => (asked.push(params), { secret: "geheim-7c1" }));
    const uri = running.uri("s");
    expect(await running.connection.sendRequest("scalingLens/secretAddresses", { uri })).toEqual({
      addresses: [address],
    });
    sent.length = 0;
    said.push(await running.connection.sendRequest("scalingLens/scanLogs", { uri }));
  } finally {
    running.end();
  }
  expect(asked).toContainEqual({ address });
  expect(new Set(sent)).toEqual(new Set([`Basic ${Buffer.from("lens:geheim-7c1").toString("base64")}`]));
  const files = (existsSync(cache) ? readdirSync(cache, { recursive: true, withFileTypes: true }) : []).filter(
    (entry) => entry.isFile(),
  );
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(JSON.stringify([said, texts])).not.toContain("geheim");
}, 120_000);
