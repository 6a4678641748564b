// Edit → fresh annotations and warm hovers, measured from outside: the built server in a process of its own, spoken to by
// the protocol, while somebody types ten edits a second.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { root } from "../../scripts/setup.mjs";

const EDITS = 40;
const EVERY = 100;

/** A budget file of about `lines` lines: experiments with the remarks and spare keys that real files have. */
function budget(lines) {
  const parts = [];
  for (let i = 0, count = 0; count < lines; i++) {
    const part = [
      i > 0 ? "---" : "# An experiment file.",
      `name: experiment-${i}`,
      "model: Qwen3-8B",
      "algorithm: grpo",
      "domain: tool-use",
      "design: nested",
      "budget:",
      `  tasks: ${1000 + 10 * i}          # unique tasks`,
      `  environments: ${10 + (i % 30)}`,
      "  trajectories: 32",
      "  reward_scheme: terminal",
      "tokens_per_trajectory: 12000",
      ...Array.from(
        { length: 38 },
        (_, k) => `# remark ${k} about experiment ${i}: what was tried, and what came of it`,
      ),
    ];
    parts.push(...part);
    count += part.length;
  }
  return `${parts.slice(0, lines).join("\n")}\n`;
}

/** A verl config of about `lines` lines: the keys that matter among many that do not. */
function verl(lines) {
  const head = [
    "data:",
    "  train_batch_size: 256",
    "  max_prompt_length: 1024",
    "  max_response_length: 4096",
    "actor_rollout_ref:",
    "  model: { path: Qwen/Qwen3-8B }",
    "  rollout: { n: 8, tensor_model_parallel_size: 2 }",
    "trainer:",
    "  total_epochs: 15",
    "  total_training_steps: 200",
    "  nnodes: 2",
    "  n_gpus_per_node: 8",
    "algorithm: { adv_estimator: grpo }",
    "extra:",
  ];
  for (let i = 0; head.length < lines; i++)
    head.push(i % 3 === 0 ? `  group_${i}:` : `    option_${i}: ${i}   # a setting`);
  return `${head.join("\n")}\n`;
}

function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)];
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Editor {
  constructor(folder) {
    this.folder = folder;
    this.process = spawn(process.execPath, [join(root, "dist", "server.js"), "--stdio"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.process.stdout),
      new StreamMessageWriter(this.process.stdin),
    );
    this.connection.onRequest("workspace/configuration", ({ items }) => items.map(() => ({})));
    for (const method of [
      "client/registerCapability",
      "workspace/codeLens/refresh",
      "workspace/inlayHint/refresh",
      "workspace/diagnostic/refresh",
    ])
      this.connection.onRequest(method, () => null);
    this.connection.listen();
    this.version = 0;
  }

  async start() {
    const uri = pathToFileURL(this.folder).href;
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri, name: "bench" }],
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: { diagnostic: {}, inlayHint: {}, codeLens: {} },
      },
    });
    await this.connection.sendNotification("initialized", {});
  }

  async open(name, text) {
    this.uri = pathToFileURL(join(this.folder, name)).href;
    this.lines = text.split("\n");
    this.version = 1;
    await this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri: this.uri, languageId: "yaml", version: 1, text },
    });
  }

  lenses() {
    return this.connection.sendRequest("textDocument/codeLens", { textDocument: { uri: this.uri } });
  }

  /** What an editor asks for after an edit, all at once. The visible range is a screen of 60 lines. */
  annotations() {
    const textDocument = { uri: this.uri };
    const range = { start: { line: 0, character: 0 }, end: { line: 60, character: 0 } };
    return Promise.all([
      this.lenses(),
      this.connection.sendRequest("textDocument/inlayHint", { textDocument, range }),
      this.connection.sendRequest("textDocument/diagnostic", { textDocument }),
    ]);
  }

  async ready() {
    for (let i = 0; i < 600; i++) {
      const lenses = await this.lenses();
      if (lenses.length > 0 && !lenses.some(({ command }) => command?.title.startsWith("Fitting")))
        return lenses[0].command.title;
      await pause(50);
    }
    throw new Error("The server never showed a lens.");
  }

  /** Types one character at a time into a value, ten times a second; milliseconds from each edit to its annotations. */
  async type(line) {
    const end = this.lines[line].length;
    const times = [];
    const waiting = [];
    for (let i = 0; i < EDITS; i++) {
      const begin = performance.now();
      const on = i % 2 === 0;
      const range = { start: { line, character: end }, end: { line, character: on ? end : end + 1 } };
      await this.connection.sendNotification("textDocument/didChange", {
        textDocument: { uri: this.uri, version: ++this.version },
        contentChanges: [{ range, text: on ? "5" : "" }],
      });
      waiting.push(this.annotations().then(() => times.push(performance.now() - begin)));
      await pause(Math.max(0, EVERY - (performance.now() - begin)));
    }
    await Promise.all(waiting);
    return times;
  }

  async hovers(line, character) {
    const times = [];
    for (let i = -50; i < 200; i++) {
      const begin = performance.now();
      const hover = await this.connection.sendRequest("textDocument/hover", {
        textDocument: { uri: this.uri },
        position: { line, character },
      });
      // The first ones warm up.
      if (i >= 0) times.push(performance.now() - begin);
      if (!hover) throw new Error("The hover is empty.");
    }
    return times;
  }

  /** CPU time that the server takes while nobody does anything, in ms a second; null where the system does not tell. */
  async idle(seconds = 3) {
    const used = () => {
      try {
        // utime and stime, in ticks of 10 ms, follow the name in brackets.
        const fields = readFileSync(`/proc/${this.process.pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        return 10 * (Number(fields[11]) + Number(fields[12]));
      } catch {
        return null;
      }
    };
    await pause(500);
    const before = used();
    await pause(1000 * seconds);
    const after = used();
    return before === null || after === null ? null : (after - before) / seconds;
  }

  async stop() {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    this.connection.dispose();
  }
}

export default async function bench() {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-bench-"));
  const rows = [];
  try {
    cpSync(join(root, "samples", "appworld", "runs"), join(folder, "runs"), { recursive: true });
    writeFileSync(join(folder, "scaling.yaml"), readFileSync(join(root, "samples", "appworld", "scaling.yaml")));
    for (const [kind, make, name, lines, limit, needle] of [
      ["budget", budget, "a.budget.yaml", 1000, 20, "  environments:"],
      ["budget", budget, "b.budget.yaml", 5000, 60, "  environments:"],
      ["verl config", verl, "c.yaml", 1000, 20, "  total_training_steps:"],
      ["verl config", verl, "d.yaml", 5000, 60, "  total_training_steps:"],
    ]) {
      const editor = new Editor(folder);
      await editor.start();
      const text = make(lines);
      await editor.open(name, text);
      const begin = performance.now();
      await editor.ready();
      const first = performance.now() - begin;
      const line = editor.lines.findIndex((one) => one.startsWith(needle));
      await editor.annotations();
      const hovers = await editor.hovers(line, 4);
      const times = await editor.type(line);
      rows.push({
        name: `edit → annotations, ${kind} of ${lines} lines, p95`,
        value: percentile(times, 0.95),
        unit: "ms",
        limit: { max: limit },
      });
      rows.push({
        name: `warm hover, ${kind} of ${lines} lines, p95`,
        value: percentile(hovers, 0.95),
        unit: "ms",
        limit: { max: 5 },
      });
      if (lines === 1000 && kind === "budget") {
        const idle = await editor.idle();
        rows.push({
          name: "server at rest, CPU time",
          value: idle ?? NaN,
          unit: "ms/s",
          limit: { max: 10 },
          ...(idle === null && { skipped: "no /proc here" }),
        });
      }
      if (lines === 1000 && kind === "budget")
        rows.push({ name: "open → first lens, fit of the sample logs included", value: first, unit: "ms" });
      await editor.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}
