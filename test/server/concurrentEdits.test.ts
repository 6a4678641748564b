import { afterEach, describe, expect, it } from "vitest";
import type { TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { Requests, type EditReply } from "../../server/protocol";
import { applyEdits, TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI, SCALING } from "./runs";

const SCALING_URI = "file:///w/scaling.yaml";
/** What another program, or the person, makes of the file meanwhile: longer and shorter lines, and lines before those that are edited. */
const OTHER = `# Prices of the new cluster, as of today.\n\n${SCALING.replace("gpu: H100", "gpu: H200").replace("fit: fits/app.fit.json\n", "fit:    fits/app.fit.json # the third\n")}`;

let client: TestClient;

afterEach(() => client.stop());

async function ready(text: string): Promise<TestClient> {
  const host = new MemoryHost();
  addProject(host);
  client = await TestClient.start({ host });
  await client.open(BUDGET_URI, text);
  await client.until("a lens", async () => !/Fitting|Loading/.test(await client.lensText(BUDGET_URI)));
  return client;
}

/** An edit as an editor applies it: refused as a whole where the file is open in another version than it names. */
function applied(edit: WorkspaceEdit, text: string | null, version: number | null): string | null {
  let result = text;
  for (const change of (edit.documentChanges ?? []) as readonly (TextDocumentEdit | { kind: string; uri: string })[]) {
    if ("kind" in change) {
      expect(change).toMatchObject({ kind: "create", uri: SCALING_URI, options: { ignoreIfExists: true } });
      result ??= "";
      continue;
    }
    expect(change.textDocument.uri).toBe(SCALING_URI);
    if (change.textDocument.version !== null && change.textDocument.version !== version) return text;
    result = applyEdits(result ?? "", change.edits as Parameters<typeof applyEdits>[1]);
  }
  return result;
}

interface Way {
  readonly name: string;
  readonly text: string;
  /** Asks for the edit; `meanwhile` happens between the menu and the choice. */
  edit(meanwhile: () => unknown): Promise<WorkspaceEdit | null | undefined>;
  /** What the edit adds. */
  readonly adds: RegExp;
}

const chosen = async (title: string, meanwhile: () => unknown) => {
  const diagnostics = await client.diagnostics(BUDGET_URI);
  const found = (await client.actions(BUDGET_URI, "tasks:", diagnostics)).find((one) => one.title === title);
  expect(found, title).toBeDefined();
  await meanwhile();
  return (await client.resolveAction(found!)).edit;
};

const WAYS: readonly Way[] = [
  {
    name: "Pin",
    text: BUDGET,
    edit: (meanwhile) => chosen("Pin tasks in scaling.yaml", meanwhile),
    adds: /^pin: \[tasks\]$/m,
  },
  {
    name: "Add a fact",
    text: BUDGET.replace(/ {2}environments.*\n/, ""),
    edit: (meanwhile) => chosen("Add environments of this file to scaling.yaml", meanwhile),
    adds: /^ *- files: .*app\.budget\.yaml/m,
  },
  {
    name: "a law chosen by a command",
    text: BUDGET,
    async edit(meanwhile) {
      await meanwhile();
      const change = { kind: "law", law: "additive" } as const;
      return (await client.ask<EditReply>(Requests.folderEdit, { uri: BUDGET_URI, change })).edit;
    },
    adds: /^law: additive$/m,
  },
];

/** The old file with one piece more, and nothing of it lost or moved. */
function expectAdded(result: string | null, old: string, { adds }: Way): void {
  expect(result).toMatch(adds);
  const lines = result!.split("\n");
  const kept = old.split("\n").filter((line) => line !== "");
  expect(lines.filter((line) => kept.includes(line))).toEqual(kept);
  expect(result!.match(new RegExp(adds, "gm"))).toHaveLength(1);
}

describe.each(WAYS)("$name, while scaling.yaml changes", (way) => {
  it("is made for the file as another program has just left it", async () => {
    await ready(way.text);
    const edit = await way.edit(() => client.host.set(SCALING_URI, OTHER));
    expectAdded(applied(edit!, OTHER, null), OTHER, way);
  });

  it("is made for the file that came meanwhile", async () => {
    await ready(way.text);
    client.host.files.delete(SCALING_URI);
    const edit = await way.edit(() => client.host.set(SCALING_URI, OTHER));
    expectAdded(applied(edit!, OTHER, null), OTHER, way);
  });

  it("is made for what is open and not saved, whatever the disk has", async () => {
    await ready(way.text);
    await client.open(SCALING_URI, OTHER);
    const edit = await way.edit(() => client.host.set(SCALING_URI, `# Something else.\n${SCALING}`));
    expectAdded(applied(edit!, OTHER, 1), OTHER, way);
  });

  it("is made for the version that the person has typed meanwhile, and refused by a later one", async () => {
    await ready(way.text);
    await client.open(SCALING_URI, SCALING);
    const edit = await way.edit(() => client.change(SCALING_URI, OTHER));
    expectAdded(applied(edit!, OTHER, 2), OTHER, way);
    expect(applied(edit!, "typed: since\n", 3)).toBe("typed: since\n");
  });
});
