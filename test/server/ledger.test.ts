import { afterEach, expect, test } from "vitest";
import { Requests, type DocumentReply } from "../../server/protocol";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI } from "./runs";

let client: TestClient | undefined;
afterEach(() => client?.stop());

const LEDGER = "file:///w/.scaling-lens/predictions.jsonl";
const at = "2026-01-01T00:00:00.000Z";

/** 30 predicted runs, of which 27 end inside their interval of ±10 points and three 12 points below. */
const lines = Array.from({ length: 30 }, (_, i) => [
  {
    kind: "prediction",
    run: `r${i}`,
    at,
    success: { estimate: 0.5, low: 0.4, high: 0.6 },
    gpuHours: null,
    verdict: null,
    by: "law",
  },
  { kind: "outturn", run: `r${i}`, at, success: i < 3 ? 0.38 : 0.5, gpuHours: null },
])
  .flat()
  .map((line) => JSON.stringify(line));

async function explained(ledger: string | null): Promise<string> {
  const host = new MemoryHost();
  addProject(host, "file:///w");
  if (ledger !== null) host.set(LEDGER, ledger);
  client = await TestClient.start({ host });
  await client.open(BUDGET_URI, BUDGET);
  return (await client.ask<DocumentReply>(Requests.explain, { uri: BUDGET_URI })).markdown;
}

test("Explain shows how far this team's own predictions held", async () => {
  const markdown = await explained(`${lines.join("\n")}\n`);
  expect(markdown).toContain("## What earlier predictions were worth");
  expect(markdown).toMatch(/- 90 % of your 95 % intervals held \\?\[\d+ % to \d+ %\\?\], in 30 runs/);
  expect(markdown).toMatch(/- Runs end 1\.2 points below the prediction on average/);
});

test("without a ledger nothing is said of it; a damaged one is named, and the rest stays", async () => {
  expect(await explained(null)).not.toMatch(/predictions? were worth|ledger/);
  await client?.stop();
  const damaged = await explained(`${lines[0]}\n{"kind": "outt\n`);
  expect(damaged).toContain("The ledger of predictions was not read: line 2 is no line of a ledger.");
  expect(damaged).toContain("# appworld");
});
