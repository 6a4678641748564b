/** The editor's plan: the next runs as new files of one edit, which say what was planned when they are read again. */
import { afterEach, expect, test } from "vitest";
import type { CreateFile, TextDocumentEdit, TextEdit } from "vscode-languageserver-types";
import { Requests, type OptimiseReply } from "../../server/protocol";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI } from "./runs";

const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

/** Eight runs with noise: the next one is worth its cost. */
const FEW = [
  "name,tasks,environments,trajectories,success_rate,trials",
  ...[300, 1200].flatMap((tasks) =>
    [4, 16].flatMap((environments) =>
      [8, 32].map((trajectories, i) => {
        const rate = 1 - 0.2 - 0.5 * (tasks / 400) ** -0.25 * (environments / 8) ** -0.3 * (trajectories / 16) ** -0.12;
        return `${tasks}-${environments}-${trajectories},${tasks},${environments},${trajectories},${(rate + 0.02 * Math.sin(7 * i + tasks + environments)).toFixed(3)},100`;
      }),
    ),
  ),
].join("\n");

function lab(): MemoryHost {
  const host = new MemoryHost();
  addProject(
    host,
    "file:///w",
    'logs: ["few.csv"]\nhardware: { gpu: H100, count: 16, price: 2.5 USD/h }\nprices: { environment: 40 USD, task: 0.5 USD }\n',
  );
  host.set("file:///w/few.csv", FEW);
  return host;
}

async function planned(host: MemoryHost): Promise<{ client: TestClient; reply: OptimiseReply }> {
  const client = await TestClient.start({ host });
  clients.push(client);
  await client.open(BUDGET_URI, BUDGET);
  await client.until("a fit", async () => /% success|tell/.test(await client.lensText(BUDGET_URI)));
  const reply = await client.ask<OptimiseReply>(Requests.planFiles, { uri: BUDGET_URI, into: "file:///w/next" });
  return { client, reply };
}

test("each run is a config and a run.json, ticked; a look at them comes first", async () => {
  const { reply } = await planned(lab());
  expect(reply.message).toMatch(/^\d runs?, \$\S+ in all\.$/);
  const changes = reply.edit!.documentChanges!;
  const made = changes.filter((one): one is CreateFile => "kind" in one && one.kind === "create");
  const texts = changes.filter((one): one is TextDocumentEdit => "edits" in one);
  expect(made.map(({ uri }) => uri)).toEqual([...texts.map(({ textDocument }) => textDocument.uri), BUDGET_URI]);
  expect(made.at(-1)).toMatchObject({ options: { ignoreIfExists: true }, annotationId: "look" });
  expect(reply.edit!.changeAnnotations).toMatchObject({
    look: { needsConfirmation: true },
    runs: { needsConfirmation: false },
  });
  const of = (name: string) =>
    texts
      .filter(({ textDocument }) => textDocument.uri.endsWith(name))
      .map(({ edits }) => (edits[0] as TextEdit).newText);
  const configs = of("app.budget.yaml");
  const runs = of("run.json").map((text) => JSON.parse(text) as { axes: Record<string, number> });
  expect(configs.length).toBeGreaterThan(0);
  expect(runs).toHaveLength(configs.length);
  configs.forEach((text, i) => {
    for (const [axis, value] of Object.entries(runs[i].axes))
      expect(Number(new RegExp(`${axis}: ([\\d_]+)`).exec(text)?.[1].replaceAll("_", ""))).toBe(value);
  });
});

test("nothing is made where runs are already", async () => {
  const host = lab();
  host.set("file:///w/next/appworld-8b-1/app.budget.yaml", BUDGET);
  const { reply } = await planned(host);
  expect(reply).toEqual({
    edit: null,
    message: "There are runs in this folder already: choose another.",
    remainder: [],
  });
});
