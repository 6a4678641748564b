// Faults that were found in a real workbench, each as it was met.
import * as vscode from "vscode";
import { assert, equal, eventually, test } from "./harness";
import { diagnostic, hints, lens, read, show, write } from "./workspace";

const LOGS = 'logs: ["../runs/**"]\nprices: { environment: 25 USD, task: 0.25 USD }\npin: [parameters]\n';
const HEAD = "name: fault\nmodel: Qwen3-8B\nalgorithm: grpo\ndomain: tool-use\ndesign: nested\n";

async function actionsAt(document: vscode.TextDocument, word: string): Promise<vscode.CodeAction[]> {
  const at = document.positionAt(document.getText().indexOf(word) + 1);
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    document.uri,
    new vscode.Range(at, at),
    undefined,
    20,
  );
}

const rate = (title: string): number => Number(/(\d+(\.\d)?) % success/.exec(title)?.[1]);

test("a misspelt key is renamed, and no fact is added for it", async () => {
  await write("fault-key/scaling.yaml", LOGS);
  const text = `${HEAD}budget:\n  tasks: 1000\n  environments: 6\n  trajectory: 64   # stays\ntokens_per_trajectory: 32000\n`;
  const document = await show(await write("fault-key/a.budget.yaml", text));
  await diagnostic(document.uri, "budget.unknown");
  const actions = await eventually("the fix", async () => {
    const found = await actionsAt(document, "trajectory: 64");
    return found.some(({ title }) => title === "Rename to trajectories") ? found : undefined;
  });
  const titles = actions.map(({ title }) => title).join(", ");
  assert(!/Add trajectories/.test(titles), titles);
  const fix = actions.find(({ title }) => title === "Rename to trajectories");
  assert(fix?.edit, titles);
  await vscode.workspace.applyEdit(fix.edit);
  equal(document.getText(), text.replace("trajectory: 64", "trajectories: 64"), "the text");
});

test("setting values one after another ends where the first offer said, and never lowers the success", async () => {
  await write("fault-set/scaling.yaml", LOGS);
  const document = await show(
    await write(
      "fault-set/a.budget.yaml",
      `${HEAD}budget:\n  tasks: 1000\n  environments: 6\n  trajectories: 64\ntokens_per_trajectory: 32000\n`,
    ),
  );
  let success = rate(await lens(document.uri, /% success/));
  for (let round = 0; round < 4; round++) {
    let set: vscode.CodeAction | undefined;
    for (const axis of ["tasks", "environments", "trajectories"])
      set ??= (await actionsAt(document, `${axis}:`)).find(({ title }) => title.startsWith("Set budget."));
    if (!set) break;
    assert(set.edit, `${set.title} has its edit`);
    const before = document.getText();
    const shown = await lens(document.uri, /% success/);
    await vscode.workspace.applyEdit(set.edit);
    assert(document.getText() !== before, `${set.title} changes the text`);
    const after = await eventually("the new success", async () => {
      const title = await lens(document.uri, /% success/);
      return title !== shown ? title : undefined;
    });
    assert(rate(after) >= success, `${set.title}: ${success} % → ${after}`);
    success = rate(after);
  }
});

test("a key that several experiments share is marked with no single one's best value", async () => {
  await write("fault-shared/scaling.yaml", LOGS);
  const one = (name: string, trajectories: number) =>
    `  - name: ${name}\n    model: Qwen3-8B\n    algorithm: grpo\n    domain: tool-use\n    design: nested\n    budget: { <<: *shared, trajectories: ${trajectories} }\n    tokens_per_trajectory: 32000\n`;
  const text = `shared: &shared\n  tasks: 1000\n  environments: 6\nexperiments:\n${one("few", 8)}${one("many", 128)}`;
  const document = await show(await write("fault-shared/a.budget.yaml", text));
  await eventually("both lenses", async () => {
    const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
      50,
    );
    return found.filter(({ command }) => /success|tell/.test(command?.title ?? "")).length >= 2 ? true : undefined;
  });
  const shared = (await hints(document)).filter((hint) => /^[12]:/.test(hint) && hint.includes("→"));
  equal(shared.join(" | "), "", "hints on the shared keys");
});

test("amounts of money and hours are taken as people write them", async () => {
  await write("fault-amount/scaling.yaml", LOGS);
  const uri = await write(
    "fault-amount/a.budget.yaml",
    `${HEAD}budget:\n  tasks: 1000\n  environments: 6\n  trajectories: 64\ntokens_per_trajectory: 32000\n`,
  );
  const document = await show(uri);
  await lens(uri, /% success/);
  for (const amount of ["$500", "5 gpu-hours"]) {
    const before = document.getText();
    const done = vscode.commands.executeCommand("scalingLens.optimiseAtCompute", uri.toString(), "fault", amount);
    await eventually(
      `a split for ${amount}`,
      async () => {
        await vscode.commands.executeCommand("refactorPreview.apply");
        return document.getText() === before ? undefined : true;
      },
      60_000,
    );
    await done;
    await document.save();
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(before));
    await eventually("the file as it was", () => (document.getText() === before ? true : undefined));
  }
  assert((await read(uri)).includes("tasks: 1000"), "the file as it was");
});
