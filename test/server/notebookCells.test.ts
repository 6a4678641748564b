import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TextDocumentEdit } from "vscode-languageserver-protocol";
import { Requests, type OptimiseReply } from "../../server/protocol";
import { applyEdits, TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, SCALING } from "./runs";

const FILE = "file:///w/grpo/train.ipynb";
const cellUri = (index: number) => `vscode-notebook-cell://server/w/grpo/train.ipynb#W${index}sZmlsZQ%3D%3D`;
const CELLS = [
  '%%capture\n!pip install "trl',
  "from datasets import load_dataset\nfrom trl import GRPOConfig, GRPOTrainer\n\nmax_prompt = 256",
  "%%bash\nnvidia-smi | grep 'unclosed",
  `%matplotlib inline
dataset = load_dataset("acme/orders", split="train[:2500]")
args = GRPOConfig(
    per_device_train_batch_size=8,
    gradient_accumulation_steps=4,
    num_generations=8, # per prompt
    max_prompt_length=max_prompt,
    max_completion_length=1024 - max_prompt,
    num_train_epochs=1,
)`,
  'trainer = GRPOTrainer(model="Qwen/Qwen3-1.7B", reward_funcs=reward, args=args, train_dataset=dataset)\ntrainer.train()',
];
const CONFIG = cellUri(3);

describe("cells of a notebook in the editor", () => {
  let client: TestClient;
  const cell = (index: number) => ({ kind: 2, document: cellUri(index) });

  beforeAll(async () => {
    const host = new MemoryHost();
    addProject(
      host,
      "file:///w",
      `${SCALING.replace("task: 0.5 USD", "task: 5 USD")}facts: [{ files: grpo/train.ipynb, environments: 10, tokens_per_trajectory: 1000 }]\npin: [environments, parameters]\n`,
    );
    client = await TestClient.start({ host });
    await client.connection.sendNotification("notebookDocument/didOpen", {
      notebookDocument: {
        uri: FILE,
        notebookType: "jupyter-notebook",
        version: 1,
        cells: CELLS.map((_, index) => cell(index)),
      },
      cellTextDocuments: CELLS.map((text, index) => ({ uri: cellUri(index), languageId: "python", version: 1, text })),
    });
    await client.until("a fit", async () => /% success/.test(await client.lensText(CONFIG)));
  });

  afterAll(() => client.stop());

  it("the server asks for the cells of notebooks", () => {
    expect(client.capabilities.notebookDocumentSync).toBeDefined();
  });

  it("the cell that holds the config has the lens, with what the other cells say; they have none", async () => {
    const lenses = await client.lenses(CONFIG);
    expect(lenses.map(({ range }) => range.start.line)).toEqual(lenses.map(() => 2));
    for (const other of [0, 1, 2, 4]) expect(await client.lenses(cellUri(other))).toEqual([]);
    const uri = CONFIG;
    const hover = await client.connection.sendRequest<{ contents: { value: string } }>("textDocument/hover", {
      textDocument: { uri },
      position: { line: 5, character: 6 },
    });
    expect(hover.contents.value).toContain("8");
  });

  it("Optimise changes the cell's literals and nothing else", async () => {
    const mode = { kind: "compute" as const, amount: "300 GPU-hours" };
    const reply = await client.ask<OptimiseReply>(Requests.optimise, { uri: CONFIG, mode });
    const changes = reply.edit?.documentChanges as TextDocumentEdit[];
    expect(
      changes.map(({ textDocument }) => textDocument.uri),
      reply.message,
    ).toEqual([CONFIG]);
    const after = applyEdits(CELLS[3], changes[0].edits as never);
    expect(after).not.toBe(CELLS[3]);
    expect(after.replace(/num_train_epochs=\d+/, "num_train_epochs=1").replace(/train\[:\d+\]/, "train[:2500]")).toBe(
      CELLS[3],
    );
  });

  it("hints stand at the cell's values, and plain Optimise moves them to the best split of the same cost", async () => {
    const whole = { start: { line: 0, character: 0 }, end: { line: 10, character: 0 } };
    const hints = await client.hints(CONFIG, whole);
    const shown = hints.map(
      ({ position, label }) => `${CELLS[3].split("\n")[position.line].slice(0, position.character)}${String(label)}`,
    );
    expect(shown).toEqual([
      expect.stringMatching(/num_train_epochs=1 → \d+$/),
      expect.stringMatching(/split="train\[:2500 → 2\.\dk$/),
    ]);
    // Asked of another cell, the notebook's config is meant.
    const reply = await client.ask<OptimiseReply>(Requests.optimise, { uri: cellUri(4) });
    const changes = reply.edit?.documentChanges as TextDocumentEdit[];
    const after = applyEdits(CELLS[3], changes[0].edits as never);
    expect(after).toMatch(/split="train\[:2\d\d\d\]"\)[^]*num_train_epochs=\d+,/);
    expect(after).not.toBe(CELLS[3]);
  });

  it("what another cell says counts anew when it changes, and when it goes", async () => {
    const model = async () => (await client.ask<OptimiseReply>(Requests.optimise, { uri: CONFIG })).message;
    expect(await model()).not.toBe("");
    const prompt = async () => {
      const hover = await client.connection.sendRequest<{ contents: { value: string } } | null>("textDocument/hover", {
        textDocument: { uri: CONFIG },
        position: { line: 7, character: 6 },
      });
      return hover?.contents.value ?? "";
    };
    expect(await prompt()).toContain("768");
    await client.connection.sendNotification("notebookDocument/didChange", {
      notebookDocument: { uri: FILE, version: 2 },
      change: {
        cells: {
          textContent: [
            {
              document: { uri: cellUri(1), version: 2 },
              changes: [{ text: CELLS[1].replace("256", "24") }],
            },
          ],
        },
      },
    });
    await client.until("the new prompt limit", async () => (await prompt()).includes("1k (config"));
    expect(client.refreshes).toContain("workspace/codeLens/refresh");
    await client.connection.sendNotification("notebookDocument/didChange", {
      notebookDocument: { uri: FILE, version: 3 },
      change: { cells: { structure: { array: { start: 1, deleteCount: 1 }, didClose: [{ uri: cellUri(1) }] } } },
    });
    await client.until("no prompt limit", async () => !(await prompt()).includes("1k (config"));
  });
});
