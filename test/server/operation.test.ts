import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../server/operations";
import { Requests, type OperationReply } from "../../server/protocol";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";

interface Tool {
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> };
}

test("every operation is contributed as a language-model tool with its schema", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    contributes: { languageModelTools: Tool[] };
  };
  const { languageModelTools: tools } = manifest.contributes;
  expect(tools.map(({ name }) => name)).toEqual(OPERATIONS.map(({ name }) => `scaling_lens_${name}`));
  for (const { inputSchema, modelDescription } of tools) {
    expect(Object.keys(inputSchema.properties).length).toBeGreaterThan(0);
    expect(modelDescription).toContain("unknown, which is not approval");
  }
});

test("a tool reads what is open as it stands in the editor, and nothing outside of the workspace", async () => {
  const host = new MemoryHost();
  const budget = (tasks: number) => `name: lab\nbudget: { tasks: ${tasks}, environments: 4, trajectories: 8 }\n`;
  host.set("file:///lab/a.budget.yaml", budget(100));
  host.set("file:///other/b.budget.yaml", budget(100));
  const client = await TestClient.start({ host, folders: ["file:///lab"] });
  await client.open("file:///lab/a.budget.yaml", budget(250));
  const call = (name: string, input: unknown): Promise<OperationReply> =>
    client.connection.sendRequest<OperationReply>(Requests.operation, { name, input });
  const inspected = await call("inspect", { files: ["a.budget.yaml"] });
  expect(inspected).toMatchObject({
    ok: true,
    value: { file: "a.budget.yaml", experiments: [{ axes: { tasks: { value: 250, source: "config" } } }] },
  });
  for (const path of ["../other/b.budget.yaml", "/other/b.budget.yaml", "file:///other/b.budget.yaml"])
    expect(await call("inspect", { files: [path] })).toMatchObject({
      ok: false,
      message: expect.stringContaining("outside the workspace") as string,
    });
  expect(await call("inspect", { files: [] })).toMatchObject({ ok: false });
  await client.stop();
});
