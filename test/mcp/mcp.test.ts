import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../server/operations";
import { confined } from "../../server/mcp/confined";
import { mcpServer } from "../../server/mcp/serve";
import { offer } from "../../server/mcp/tools";
import { createNodeHost } from "../../server/node/host";
import { inPlaceRunner } from "../../server/operations/runner";
import { runJob } from "../../server/operations/runJob";
import { cli } from "../cli/harness";

/** A laboratory with a small table of runs, so that fits are quick. */
const TABLE = [
  "tasks,environments,trajectories,success_rate,trials",
  ...[100, 400, 1600].flatMap((tasks) =>
    [4, 16].flatMap((environments) =>
      [4, 16].map((trajectories) => {
        const error = 0.05 + 1.2 * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12;
        return [tasks, environments, trajectories, (1 - error).toFixed(4), 500].join(",");
      }),
    ),
  ),
].join("\n");

let base: string;
let root: string;
let client: Client;
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "scaling-lens-mcp-")));
  root = join(base, "lab");
  mkdirSync(root);
  writeFileSync(join(root, "runs.csv"), TABLE);
  writeFileSync(join(root, "scaling.yaml"), "logs: [runs.csv]\nprices: { environment: 40 USD, task: 0.5 USD }\n");
  cpSync("samples/appworld/appworld.budget.yaml", join(root, "a.budget.yaml"));
  cpSync("samples/appworld/appworld.budget.yaml", join(root, "b.budget.yaml"));
  writeFileSync(join(root, "rollouts.jsonl"), '{"task":"a","success":1}\n{"task":"b","success":0}\n');
  writeFileSync(join(base, "secret.budget.yaml"), "budget: { tasks: 1 }\n");
  symlinkSync(join(base, "secret.budget.yaml"), join(root, "link.budget.yaml"));
  symlinkSync(base, join(root, "up"));
  symlinkSync("../made.fit.json", join(root, "leads-out.fit.json"));
  const place = confined(createNodeHost(), root);
  const jobs = inPlaceRunner(place.host, (job, host, onProgress, signal) => runJob(job, host, onProgress, signal));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mcpServer("test", offer(place, { jobs })).connect(ours);
  client = new Client({ name: "test", version: "1" });
  await client.connect(theirs);
});
afterAll(async () => {
  await client.close();
  rmSync(base, { recursive: true, force: true });
});

async function call(name: string, args: Record<string, unknown>): Promise<{ wrong: boolean; text: string }> {
  const answer = (await client.callTool({ name, arguments: args })) as {
    isError?: boolean;
    content: { text: string }[];
  };
  return { wrong: answer.isError === true, text: answer.content[0].text };
}

test("every operation is a tool with a description, a schema that names its fields, and whether it writes", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(OPERATIONS.map(({ name }) => name));
  for (const tool of tools) {
    expect(tool.description).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(tool.inputSchema.properties ?? {}).length).toBeGreaterThan(0);
    expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.annotations?.readOnlyHint).toBe(!OPERATIONS.find(({ name }) => name === tool.name)!.writes);
  }
});

test("each tool answers as the command line does", async () => {
  const fit = ["--bootstrap", "50"];
  await cli(root, "fit", "runs.csv", ...fit, "--out", "lab.fit.json");
  const pairs: [string, Record<string, unknown>, string[]][] = [
    ["inspect", { files: ["a.budget.yaml"], fit: "lab.fit.json" }, ["a.budget.yaml", "--fit", "lab.fit.json"]],
    ["optimise", { file: "a.budget.yaml", fit: "lab.fit.json" }, ["a.budget.yaml", "--fit", "lab.fit.json"]],
    [
      "compare",
      { files: ["a.budget.yaml", "b.budget.yaml"], fit: "lab.fit.json" },
      ["a.budget.yaml", "b.budget.yaml", "--fit", "lab.fit.json"],
    ],
    ["check", { files: ["a.budget.yaml"], fit: "lab.fit.json" }, ["a.budget.yaml", "--fit", "lab.fit.json"]],
    [
      "plan",
      { file: "a.budget.yaml", runs: 4, fit: "lab.fit.json" },
      ["a.budget.yaml", "--runs", "4", "--fit", "lab.fit.json"],
    ],
    ["fit", { sources: ["runs.csv"], bootstrap: 50 }, ["runs.csv", ...fit]],
    ["runs", { sources: ["runs.csv"] }, ["runs.csv"]],
    [
      "predict",
      { fit: "lab.fit.json", levels: { tasks: 800, environments: 8 } },
      ["--fit", "lab.fit.json", "tasks=800", "environments=8"],
    ],
    ["power", { difference: 0.02 }, ["--difference", "2"]],
    ["measure", { sources: ["rollouts.jsonl"] }, ["rollouts.jsonl"]],
  ];
  for (const [name, input, args] of pairs) {
    const { out } = await cli(root, name, ...args, "--json");
    const { wrong, text } = await call(name, input);
    expect(wrong, text).toBe(false);
    expect(JSON.parse(text), name).toEqual(JSON.parse(out));
  }
  const explained = await call("explain", { file: "a.budget.yaml", fit: "lab.fit.json" });
  expect((JSON.parse(explained.text) as { markdown: string }).markdown).toContain("# ");

  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).sort()).toEqual(["scaling-lens://fit/lab.fit.json", "scaling-lens://runs/."]);
  const [fitted, table] = await Promise.all(resources.map(({ uri }) => client.readResource({ uri })));
  expect(JSON.parse((fitted.contents[0] as { text: string }).text)).toHaveProperty("exponents.tasks.estimate");
  expect(JSON.parse((table.contents[0] as { text: string }).text)).toHaveProperty("rows.length", 12);
});

test.each([
  ["inspect", { files: ["../secret.budget.yaml"] }],
  ["inspect", { files: ["link.budget.yaml"] }],
  ["inspect", { files: ["up/secret.budget.yaml"] }],
  ["inspect", { files: ["/etc/hosts"] }],
  ["inspect", { files: ["file:///etc/hosts"] }],
  ["predict", { fit: "../x.fit.json", levels: {} }],
  ["runs", { sources: ["https://example.org/runs.csv"] }],
  ["runs", { sources: ["up"] }],
  ["fit", { sources: ["runs.csv"], bootstrap: 0, out: "../x.fit.json" }],
  ["fit", { sources: ["runs.csv"], bootstrap: 0, out: "up/x.fit.json" }],
  ["fit", { sources: ["runs.csv"], bootstrap: 0, out: "leads-out.fit.json" }],
])("%s refuses %j: outside of the folder nothing is read or written", async (name, input) => {
  const { wrong, text } = await call(name, input);
  expect(wrong, text).toBe(true);
  expect(text).toMatch(/outside the folder|no such file/);
});

test("wrong input names its field; an unknown tool is told", async () => {
  expect((await call("optimise", { file: "a.budget.yaml", tasks: 3 })).text).toContain("tasks");
  expect((await call("wombat", {})).text).toContain("wombat");
});
