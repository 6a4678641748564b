import { afterEach, describe, expect, it } from "vitest";
import { CancellationTokenSource, type CompletionItem, type Hover } from "vscode-languageserver-protocol/node";
import { FIGURE_MIME } from "../../../server/report/figures";
import {
  Notifications,
  Requests,
  type QueryProgressParams,
  type RunQueryParams,
  type RunQueryReply,
} from "../../../server/protocol";
import { TestClient } from "../client";
import { MemoryHost } from "../memoryHost";
import { addProject, BUDGET, SCALING_WITH_LOGS } from "../runs";

const CELL = "vscode-notebook-cell:///w/fits.ipynb#W0";
const clients: TestClient[] = [];

async function start(): Promise<TestClient> {
  const host = new MemoryHost();
  addProject(host, "file:///w", SCALING_WITH_LOGS);
  host.set("file:///w/a.budget.yaml", BUDGET);
  const client = await TestClient.start({ host, settings: () => ({ fit: { bootstrap: 40, law: "multiplicative" } }) });
  clients.push(client);
  return client;
}

const ask = (text: string, extra: Partial<RunQueryParams> = {}): RunQueryParams => ({
  notebookUri: "file:///w/fits.ipynb",
  text,
  above: [],
  vegaLite: false,
  token: "t",
  ...extra,
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

describe("fit cells through the protocol", () => {
  it("are completed, explained and checked as documents of their own", async () => {
    const client = await start();
    await client.connection.sendNotification("textDocument/didOpen", {
      textDocument: {
        uri: CELL,
        languageId: "scaling-query",
        version: 1,
        text: "fit:\n  logs: runs.csv\n  lwa: auto\n",
      },
    });
    const items = await client.connection.sendRequest<CompletionItem[]>("textDocument/completion", {
      textDocument: { uri: CELL },
      position: { line: 3, character: 0 },
    });
    expect(items.map(({ label }) => label)).toContain("show");
    const hover = await client.connection.sendRequest<Hover>("textDocument/hover", {
      textDocument: { uri: CELL },
      position: { line: 1, character: 3 },
    });
    expect(JSON.stringify(hover.contents)).toContain("run logs");
    const report = await client.connection.sendRequest<{
      items: { code: string; range: { start: { line: number } } }[];
    }>("textDocument/diagnostic", { textDocument: { uri: CELL } });
    expect(report.items.map(({ code, range }) => [code, range.start.line])).toEqual([["query.unknown", 2]]);
  });

  it("run, tell how far they are, and are answered from memory the second time", async () => {
    const client = await start();
    const progress: QueryProgressParams[] = [];
    client.connection.onNotification(Notifications.queryProgress, (each: QueryProgressParams) => {
      progress.push(each);
    });
    const text = "fit: { logs: runs.csv, law: multiplicative, bootstrap: 60 }\nshow: [axes]";
    const first = await client.ask<RunQueryReply>(Requests.runQuery, ask(text));
    expect(first.error).toBeUndefined();
    expect(first.outputs[0].items.map(({ mime }) => mime)).toEqual([FIGURE_MIME, "text/plain"]);
    expect(progress.every(({ token }) => token === "t")).toBe(true);
    expect(progress.length).toBeGreaterThan(0);
    expect((await client.ask<RunQueryReply>(Requests.runQuery, ask(text))).cached).toBe(true);
    client.host.set(
      "file:///w/runs.csv",
      `${new TextDecoder().decode(await client.host.readFile("file:///w/runs.csv"))}\n`,
    );
    expect((await client.ask<RunQueryReply>(Requests.runQuery, ask(text))).cached).toBe(false);
  });

  it("without a fit of their own wait for that of scaling.yaml", async () => {
    const client = await start();
    const reply = await client.ask<RunQueryReply>(Requests.runQuery, ask("allocate: a.budget.yaml\nshow: [split]"));
    expect(reply.error).toBeUndefined();
    expect(reply.outputs[0].items[0].mime).toBe(FIGURE_MIME);
  });

  it("stop when they are cancelled", async () => {
    const client = await start();
    const source = new CancellationTokenSource();
    const pending = client.connection.sendRequest<RunQueryReply>(
      Requests.runQuery,
      ask("fit: { logs: runs.csv, bootstrap: 50000 }"),
      source.token,
    );
    // At once: the fit of this test runs on the server's own thread, which hears nothing while it works.
    source.cancel();
    await expect(pending).rejects.toThrow();
  });

  it("name the line of their error", async () => {
    const client = await start();
    expect(
      (await client.ask<RunQueryReply>(Requests.runQuery, ask("show: [axes]\nfit: nowhere.csv\n"))).error,
    ).toMatchObject({ line: 1, character: 0 });
  });
});
