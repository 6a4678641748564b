import { afterEach, describe, expect, it } from "vitest";
import { WorkDoneProgress, CancellationTokenSource } from "vscode-languageserver-protocol/node";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import {
  Requests,
  type DocumentReply,
  type EditReply,
  type FitReply,
  type LawsReply,
  type ScanReply,
} from "../../server/protocol";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI, SCALING_WITH_LOGS } from "./runs";

const clients: TestClient[] = [];

async function start(scaling: string): Promise<TestClient> {
  const host = new MemoryHost();
  addProject(host, "file:///w", scaling);
  const client = await TestClient.start({ host, settings: () => ({ fit: { bootstrap: 50, law: "multiplicative" } }) });
  clients.push(client);
  await client.open(BUDGET_URI, BUDGET);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

describe("Fit scaling laws from run logs", () => {
  it("shows what was found and what was skipped, before anything is fitted", async () => {
    const client = await start("pin: [parameters]\n");
    client.host.set("file:///w/more/notes.txt", "not a run");
    const scan = await client.ask<ScanReply>(Requests.scanLogs, {
      uri: BUDGET_URI,
      sources: ["runs.csv", "missing.csv"],
    });
    expect(scan.found).toHaveLength(54);
    expect(scan.found[0].successRate).toBeGreaterThan(0);
    expect(scan.skipped.map(({ code }) => code)).toContain("run.no-source");
    expect(scan.document.markdown).toContain("## Skipped and doubted");
    expect(await client.lensText(BUDGET_URI)).toMatch(/no scaling fit/i);
  });

  it("is in force without being saved, then saved and named where asked", async () => {
    const client = await start("pin: [parameters] # held\n");
    const shares: number[] = [];
    client.connection.onProgress(WorkDoneProgress.type, "p", (value) => {
      if (value.kind === "report") shares.push(value.percentage ?? NaN);
    });
    const tried = await client.ask<FitReply>(Requests.fitLogs, {
      uri: BUDGET_URI,
      sources: ["runs.csv"],
      workDoneToken: "p",
    });
    expect(tried.ok, tried.message).toBe(true);
    expect(client.host.written).toEqual([]);
    expect(Math.max(...shares)).toBeGreaterThanOrEqual(30);
    expect(await client.lensText(BUDGET_URI)).toMatch(/% success/);

    const saved = await client.ask<FitReply>(Requests.fitLogs, {
      uri: BUDGET_URI,
      sources: ["runs.csv"],
      out: "fits/new.fit.json",
      use: true,
    });
    expect(client.host.written).toEqual(["file:///w/fits/new.fit.json"]);
    expect(JSON.stringify(saved.edit)).toContain("fit: fits/new.fit.json");
    client.host.set("file:///w/scaling.yaml", "pin: [parameters] # held\nfit: fits/new.fit.json\n");
    await client.filesChanged("file:///w/scaling.yaml", "file:///w/fits/new.fit.json");
    await client.until("the saved fit", async () =>
      (await client.hoverText(BUDGET_URI, "tasks:")).includes("fits/new.fit.json"),
    );
  });

  it("is in force but not saved where nothing may be written", async () => {
    const client = await start("pin: [parameters]\n");
    Object.defineProperty(client.host, "writeFile", { value: undefined });
    const reply = await client.ask<FitReply>(Requests.fitLogs, {
      uri: BUDGET_URI,
      sources: ["runs.csv"],
      out: "fits/new.fit.json",
      use: true,
    });
    expect(reply.message).toContain("nothing may be written here");
    expect(reply.edit).toBeUndefined();
    expect(await client.lensText(BUDGET_URI)).toMatch(/% success/);
  });

  it("can be cancelled", async () => {
    const client = await start("pin: [parameters]\n");
    const source = new CancellationTokenSource();
    const asked = client.connection.sendRequest(
      Requests.fitLogs,
      { uri: BUDGET_URI, sources: ["runs.csv"] },
      source.token,
    );
    source.cancel();
    await expect(asked).rejects.toThrow();
    expect(await client.lensText(BUDGET_URI)).toMatch(/no scaling fit/i);
  });

  it("says why there is no fit", async () => {
    const client = await start("pin: [parameters]\n");
    client.host.set("file:///w/empty.csv", "tasks,environments,trajectories\n");
    const reply = await client.ask<FitReply>(Requests.fitLogs, { uri: BUDGET_URI, sources: ["empty.csv"] });
    expect(reply.ok).toBe(false);
    expect(reply.message).toMatch(/^No fit: .+/);
    expect(await client.lensText(BUDGET_URI)).toMatch(/no scaling fit/i);
  });
});

describe("Measure dataset", () => {
  it("says what the rollouts hold, and the group size then knows its share without signal", async () => {
    const client = await start("pin: [parameters]\n");
    const rows: string[] = [];
    for (let task = 0; task < 40; task++) {
      // Half of the tasks are always solved, half now and then.
      for (let i = 0; i < 8; i++)
        rows.push(
          JSON.stringify({
            task: `Book flight number ${task} to ${["Rome", "Oslo", "Lima"][task % 3]}`,
            env: `app-${task % 4}`,
            reward: task % 2 === 0 || i < 2 ? 1 : 0,
            step: 1,
          }),
        );
    }
    client.host.set("file:///w/rollouts/1.jsonl", rows.join("\n"));
    const { markdown } = await client.ask<DocumentReply>(Requests.measure, { uris: ["file:///w/rollouts/1.jsonl"] });
    expect(markdown).toMatch(/^# 320 rollouts/);
    expect(markdown).toContain("## Pass rates");
    await client.change(BUDGET_URI, BUDGET.replace("  trajectories: 64", "  group_size: 8\n  trajectories: 64"));
    const hover = await client.hoverText(BUDGET_URI, "group_size");
    expect(hover).toMatch(
      /Groups without signal \| 5\d(\.\d)? %.*\(from the rollouts' pass rates\); dynamic sampling takes 2\.\d+×/,
    );
  });
});

describe("folder commands", () => {
  it("lists the laws, with the one in force", async () => {
    const client = await start(SCALING_WITH_LOGS);
    await client.until("a fit", async () => (await client.lensText(BUDGET_URI)).includes("success"));
    const reply = await client.ask<LawsReply>(Requests.laws, { uri: BUDGET_URI });
    expect(reply.current).toBe("multiplicative");
    expect(reply.laws.map(({ name }) => name)).toEqual(expect.arrayContaining(["auto", "additive", "nested"]));
    expect(reply.laws.find(({ name }) => name === "additive")?.form).toContain("Σ");
  });

  it("makes a scaling.yaml where there is none", async () => {
    const client = await start("");
    client.host.files.delete("file:///w/scaling.yaml");
    await client.filesChanged("file:///w/scaling.yaml");
    client.host.set("file:///w/runs/a/run.json", "{}");
    const reply = await client.ask<EditReply>(Requests.scaffold, { uri: BUDGET_URI });
    const [create, insert] = reply.edit!.documentChanges!;
    expect(create).toMatchObject({ kind: "create", uri: "file:///w/scaling.yaml" });
    const text = (insert as { edits: { newText: string }[] }).edits[0].newText;
    expect(readScalingFile("file:///w/scaling.yaml", text).logs[0].value).toBe("runs/**");
  });
});
