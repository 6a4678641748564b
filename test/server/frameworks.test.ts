import { afterEach, describe, expect, it } from "vitest";
import type { AnnotatedTextEdit, CodeAction, TextDocumentEdit } from "vscode-languageserver-protocol";
import { Requests, type DocumentReply, type OptimiseReply } from "../../server/protocol";
import { applyEdits, TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, SCALING, simulatedFit } from "./runs";

const clients: TestClient[] = [];

async function open(
  uri: string,
  text: string,
  scaling = SCALING,
  files: Readonly<Record<string, string>> = {},
): Promise<TestClient> {
  const host = new MemoryHost();
  addProject(host, "file:///w", scaling);
  for (const [name, content] of Object.entries(files)) host.set(name, content);
  const client = await TestClient.start({ host });
  clients.push(client);
  await client.open(uri, text);
  await client.until("a fit", async () => !(await client.lensText(uri)).includes("Fitting"));
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

const VERL = `data:
  train_max_samples: 2048
  train_batch_size: 256
  max_prompt_length: 1024
  max_response_length: 4096
actor_rollout_ref:
  model:
    path: Qwen/Qwen3-8B
  rollout:
    n: 8
    multi_turn: { tool_config_path: tools.yaml }
algorithm:
  adv_estimator: grpo
trainer:
  total_epochs: 4
  nnodes: 1
  n_gpus_per_node: 8
`;

/** What makes the verdict of VERL a better split. */
const FACTS = `${SCALING}facts: [{ files: verl.yaml, environments: 4, tokens_per_trajectory: 5000 }]\n`;

const edited = (text: string, action: CodeAction) => {
  const change = action.edit?.documentChanges?.find((one) => "edits" in one) as TextDocumentEdit;
  return applyEdits(text, change.edits as AnnotatedTextEdit[]);
};

describe("a framework's config", () => {
  it("moves the group size only when asked for by name", async () => {
    const uri = "file:///w/verl.yaml";
    const client = await open(uri, VERL, FACTS);
    const elsewhere = await client.actions(uri, "total_epochs");
    expect(elsewhere.map(({ title }) => title)).not.toContain("Optimise group size");
    const optimise = await client.resolveAction(elsewhere.find(({ title }) => title === "Optimise allocation")!);
    expect(edited(VERL, optimise)).toContain("    n: 8\n");
    const here = await client.actions(uri, "n: 8");
    const group = await client.resolveAction(here.find(({ title }) => title === "Optimise group size")!);
    const after = edited(VERL, group);
    expect(after).not.toContain("    n: 8\n");
    expect(after.replace(/n: \d+\n/, "n: 8\n")).toBe(VERL);
  });

  it("offers no edit where no better split is claimed: the environments are unknown", async () => {
    const uri = "file:///w/verl.yaml";
    const client = await open(uri, VERL);
    for (const place of ["total_epochs", "n: 8"]) {
      const titles = (await client.actions(uri, place)).map(({ title }) => title);
      expect(titles).not.toContain("Optimise allocation");
      expect(titles).not.toContain("Optimise group size");
    }
  });

  it("writes edits that stand by themselves where an axis cannot be written, and says what the whole best split needs beside", async () => {
    const uri = "file:///w/verl.yaml";
    const client = await open(uri, VERL, FACTS);
    const reply = await client.ask<OptimiseReply>(Requests.optimise, { uri });
    expect(reply.message).toMatch(
      /^This file alone: \+\d+(\.\d)? points\. Whole best split: \+\d+(\.\d)? points, partly by hand \(Explain\)\.$/,
    );
    expect(reply.remainder).toEqual([expect.stringMatching(/^environments 4 → \d+: /)]);
    const { markdown } = await client.ask<DocumentReply>(Requests.explain, { uri });
    expect(markdown).toMatch(/This file alone comes to \d+ % \[\d+–\d+\] success \(\+\d/);
    expect(markdown).toMatch(
      /### What the whole best split needs beside\n\nIt comes to \d+ % \[.*\n\n- By hand: environments 4 → \d+\. .*\n- Then in this file: `data\.train_max_samples`: `2048` → /,
    );
    expect(markdown).toContain("**Scaling Lens: Show allocation charts**");
    const text = applyEdits(
      VERL,
      (reply.edit?.documentChanges?.find((one) => "edits" in one) as TextDocumentEdit).edits as AnnotatedTextEdit[],
    );
    const success = (lens: string) => Number(/^(\d+) %/.exec(lens)?.[1]);
    const before = success(await client.lensText(uri));
    expect(await client.hoverText(uri, "total_epochs")).toMatch(/\| Best split \|.*in this file alone/);
    await client.change(uri, text);
    expect(success(await client.lensText(uri))).toBeGreaterThan(before);
    const again = await client.ask<OptimiseReply>(Requests.optimise, { uri });
    expect(again.edit).toBeNull();
    expect(again.message).toMatch(
      /^Nothing to gain in this file alone\. Whole best split: \+\d+(\.\d)? points, by hand \(Explain\)\.$/,
    );
    expect((await client.actions(uri, "total_epochs")).map(({ title }) => title)).not.toContain("Optimise allocation");
    expect(await client.rendered(uri)).toMatch(/train_max_samples: \d+⟦ ✓⟧/);
  });

  it("without absolute amounts answers relatively, from the run's own last success", async () => {
    // The fit knows a run in the folder where this config stands; the tasks are in an environment, so their number is unknown.
    const fit = simulatedFit();
    const withRun = { ...fit, runs: [{ ...fit.runs[0], id: "mine", rate: 0.52 }, ...fit.runs] };
    const text = VERL.replace("  train_max_samples: 2048\n", "").replace(
      "  total_epochs: 4\n",
      "  total_training_steps: 300\n",
    );
    const uri = "file:///w/runs/mine/config.yaml";
    const client = await open(uri, text, "fit: fits/known.fit.json\n", {
      "file:///w/fits/known.fit.json": JSON.stringify(withRun),
    });
    const lens = await client.lensText(uri);
    expect(lens).toMatch(/^2× rollouts \+\d+(\.\d)? points \[\d+(\.\d)?–\d+(\.\d)?\] · 2× tasks \+\d/);
    expect(lens).not.toMatch(/% success|optimum/);
    expect((await client.diagnostics(uri)).map(({ code }) => code)).toContain("budget.unknown");
  });

  it("is read again when a base file that it builds on is saved", async () => {
    const uri = "file:///w/child.yaml";
    const base = "file:///w/base.yaml";
    const child = VERL.replace("  total_epochs: 4\n", "").replace(/^/, "defaults:\n  - base\n  - _self_\n");
    const client = await open(uri, child, SCALING, { [base]: "trainer:\n  total_epochs: 4\n" });
    const before = await client.lensText(uri);
    client.host.set(base, "trainer:\n  total_epochs: 40\n");
    await client.open(base, "trainer:\n  total_epochs: 40\n");
    await client.connection.sendNotification("textDocument/didSave", { textDocument: { uri: base } });
    await client.until("another lens", async () => (await client.lensText(uri)) !== before);
  });
});

describe("one value that feeds several fields", () => {
  it("is explained as the field that it states", async () => {
    const uri = "file:///w/grpo.py";
    const client = await open(
      uri,
      'from trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(per_device_train_batch_size=16, num_generations=8, max_steps=500)\nGRPOTrainer(model="Qwen/Qwen3-8B", args=args)\n',
    );
    expect(await client.hoverText(uri, "max_steps")).toMatch(/^\*\*[\w.\\]*max\\_steps\*\* — .*step/);
  });
});
