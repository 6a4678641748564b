import * as vscode from "vscode";
import { assert, equal, eventually, test } from "./harness";
import { inFolder, lens, lenses, read, show, write } from "./workspace";

const BUDGET =
  "name: commands\nmodel: Qwen3-8B\nalgorithm: grpo\ndomain: tool-use\ndesign: nested\nbudget:\n  tasks: 1_000   # stays\n  environments: 6\n  trajectories: 64\ntokens_per_trajectory: 32_000\n";
const LOGS = 'logs: ["../runs/**"]\nprices: { environment: 25 USD, task: 0.25 USD }\npin: [parameters]\n';

/** A folder of its own, so that tests do not disturb one another. */
async function project(name: string, scaling = LOGS): Promise<vscode.Uri> {
  await write(`${name}/scaling.yaml`, scaling);
  return write(`${name}/commands.budget.yaml`, BUDGET);
}

function virtual(word: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "scaling-lens" && uri.path.includes(word));
}

test("Explain allocation opens one page, which is used again for the next config", async () => {
  const pages = () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith("scalingLens.explain"));
  const uri = await project("explain");
  await show(uri);
  await lens(uri, /% success/);
  await vscode.commands.executeCommand("scalingLens.explain", uri.toString(), "commands");
  await eventually("its tab", () => pages().find(({ label }) => label === "Allocation of commands.budget.yaml"));
  const other = await write("explain/other.budget.yaml", BUDGET.replace("environments: 6", "environments: 7"));
  await show(other);
  await vscode.commands.executeCommand("scalingLens.explain", other.toString(), "commands");
  await eventually("its new title", () => pages().find(({ label }) => label === "Allocation of other.budget.yaml"));
  equal(pages().length, 1, "pages of Explain");
  await vscode.window.tabGroups.close(pages());
});

test("Compare allocations shows the difference with its interval", async () => {
  const first = await project("compare");
  const second = await write(
    "compare/diverse.budget.yaml",
    BUDGET.replace("environments: 6", "environments: 24")
      .replace("trajectories: 64", "trajectories: 24")
      .replace("commands", "diverse"),
  );
  await show(first);
  await lens(first, /% success/);
  await vscode.commands.executeCommand("scalingLens.compare", undefined, [first, second]);
  const document = await eventually("the document", () => virtual("Compared"));
  assert(/Against the first \| — \| \+\d/.test(document.getText()), document.getText());
});

test("a code action sets one value, and Optimise is among the actions", async () => {
  const uri = await project("action");
  const document = await show(uri);
  await lens(uri, /below the best split/);
  const at = document.positionAt(document.getText().indexOf("environments"));
  const actions = await eventually("actions", async () => {
    const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      new vscode.Range(at, at),
      undefined,
      20,
    );
    return found.some(({ title }) => title === "Optimise allocation") ? found : undefined;
  });
  const set = actions.find(({ title }) => title.startsWith("Set budget.environments"));
  assert(set?.edit, `actions: ${actions.map(({ title }) => title).join(", ")}`);
  await vscode.workspace.applyEdit(set.edit);
  const after = document.getText();
  assert(!after.includes("environments: 6\n"), after);
  equal(after.replace(/environments: \d+/, "environments: 6"), BUDGET, "everything else");
});

test("the published recipe, calibrated by one run, marks every figure as prior", async () => {
  const uri = await project("prior", "pin: [parameters]\n");
  await show(uri);
  await lens(uri, /no scaling fit/i);
  await vscode.commands.executeCommand("scalingLens.calibrate", uri.toString(), "commands", 41);
  await lens(uri, /^prior · 41 % success/);
});

test("run logs are fitted, saved and named in scaling.yaml, and the table says what was found", async () => {
  const uri = await project("fitting", "prices: { environment: 25 USD, task: 0.25 USD }\n");
  await show(uri);
  await lens(uri, /no scaling fit/i);
  await vscode.commands.executeCommand("scalingLens.fitLogs", uri.toString(), {
    sources: ["../runs/**"],
    out: "fits/mine.fit.json",
    use: true,
  });
  const fit = JSON.parse(await read(inFolder("fitting/fits/mine.fit.json"))) as { format: string; rows: number };
  equal(fit.format, "scaling-lens.fit", "format");
  assert(fit.rows >= 40, `rows: ${fit.rows}`);
  equal(
    await read(inFolder("fitting/scaling.yaml")),
    "prices: { environment: 25 USD, task: 0.25 USD }\nfit: fits/mine.fit.json\n",
    "scaling.yaml",
  );
  const table = await eventually("the run table", () => virtual("Run table"));
  assert(/Skipped and doubted/.test(table.getText()), table.getText().slice(0, 300));
  await lens(uri, /% success/);
});

test("Plan next runs proposes a small design", async () => {
  const uri = await project("plan");
  await show(uri);
  await lens(uri, /% success/);
  await vscode.commands.executeCommand("scalingLens.planNextRuns", uri.toString());
  const document = await eventually("the document", () => virtual("Next runs"));
  assert(/design of \d+ runs/.test(document.getText()), document.getText());
});

test("Write next runs shows new configs to look at, and makes them", async () => {
  const rate = (tasks: number, environments: number, rollouts: number) =>
    1 - 0.2 - 0.5 * (tasks / 400) ** -0.25 * (environments / 8) ** -0.3 * (rollouts / 16) ** -0.12;
  const rows = [300, 1200].flatMap((tasks) =>
    [4, 16].flatMap((environments) =>
      [8, 32].map(
        (rollouts, i) =>
          `${tasks},${environments},${rollouts},${(rate(tasks, environments, rollouts) + 0.02 * Math.sin(7 * i + tasks + environments)).toFixed(3)},100`,
      ),
    ),
  );
  await write("few/runs.csv", ["tasks,environments,trajectories,success_rate,trials", ...rows].join("\n"));
  const uri = await project("few", LOGS.replace("../runs/**", "runs.csv"));
  await show(uri);
  await lens(uri, /% success|can't tell/);
  const done = vscode.commands.executeCommand<boolean>("scalingLens.writeNextRuns", uri.toString(), "commands");
  const first = inFolder("few/next/commands-1/commands.budget.yaml");
  await eventually(
    "the first config",
    async () => {
      await vscode.commands.executeCommand("refactorPreview.apply");
      return vscode.workspace.fs.stat(first).then(
        () => true,
        () => undefined,
      );
    },
    60_000,
  );
  assert(await done, "the preview was applied");
  const run = JSON.parse(await read(inFolder("few/next/commands-1/run.json"))) as { axes: Record<string, number> };
  const text = await read(first);
  assert(text.includes("# stays") && text.includes("name: commands-1"), text);
  assert(text.includes(`environments: ${run.axes.environments}\n`), `${JSON.stringify(run)} is in ${text}`);
});

test("an untitled budget is annotated and edited directly", async () => {
  const document = await vscode.workspace.openTextDocument(inFolder("new.budget.yaml").with({ scheme: "untitled" }));
  await vscode.window.showTextDocument(document);
  const insert = new vscode.WorkspaceEdit();
  insert.insert(document.uri, new vscode.Position(0, 0), BUDGET);
  await vscode.workspace.applyEdit(insert);
  await lens(document.uri, /% success/);
  await vscode.commands.executeCommand("scalingLens.optimise", document.uri.toString());
  await eventually("the edit", () => (document.getText() !== BUDGET ? true : undefined));
  assert(document.getText().includes("# stays"), document.getText());
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
});

test("settings act without a reload", async () => {
  const uri = await project("settings");
  await show(uri);
  await lens(uri, /% success/);
  const settings = vscode.workspace.getConfiguration("scalingLens", uri);
  await settings.update("codeLens.enabled", false, vscode.ConfigurationTarget.Workspace);
  await eventually("no lens", async () =>
    (await lenses(uri)).some((title) => /success/.test(title)) ? undefined : true,
  );
  await settings.update("codeLens.enabled", undefined, vscode.ConfigurationTarget.Workspace);
  await lens(uri, /% success/);
});

test("Select law fits again with the law that was chosen", async () => {
  const uri = await project("law");
  await show(uri);
  await lens(uri, /% success/);
  await vscode.commands.executeCommand("scalingLens.selectLaw", uri.toString(), "additive");
  const hover = async () => {
    const document = await vscode.workspace.openTextDocument(uri);
    const found = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      uri,
      document.positionAt(document.getText().indexOf("tasks") + 1),
    );
    return found
      .flatMap(({ contents }) => contents)
      .map((content) => (typeof content === "string" ? content : content.value))
      .join("\n");
  };
  await eventually(
    "the additive law in the hover",
    async () => (/additive law/.test(await hover()) ? true : undefined),
    60_000,
  );
  await vscode.commands.executeCommand("scalingLens.selectLaw", uri.toString(), "auto");
  equal(vscode.workspace.getConfiguration("scalingLens", uri).get("fit.law"), "auto", "the setting");
});

test("Create scaling.yaml makes a commented file, and never replaces one", async () => {
  const uri = await write("scaffold/deep/x.budget.yaml", BUDGET);
  await show(uri);
  await vscode.commands.executeCommand("scalingLens.createScalingFile", uri.toString());
  const active = await eventually("an editor on scaling.yaml", () =>
    vscode.window.activeTextEditor?.document.uri.path.endsWith("scaling.yaml")
      ? vscode.window.activeTextEditor.document
      : undefined,
  );
  assert(active.getText().includes("logs"), active.getText());
});

test("completion offers keys of a budget", async () => {
  const uri = await write("complete.budget.yaml", "name: x\nbudget:\n  \n");
  await show(uri);
  const list = await eventually("completions", async () => {
    const found = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      uri,
      new vscode.Position(2, 2),
    );
    return found.items.some(({ label }) => label === "environments") ? found : undefined;
  });
  assert(
    list.items.some(({ label }) => label === "trajectories"),
    list.items.map(({ label }) => String(label)).join(", "),
  );
});

test("language-model tools answer as the command line does, and refuse what lies outside the workspace", async () => {
  const uri = await project("tools");
  await show(uri);
  await lens(uri, /% success/);
  const ours = vscode.lm.tools.filter(({ name }) => name.startsWith("scaling_lens_")).map(({ name }) => name);
  for (const name of ["inspect", "explain", "optimise", "plan", "fit", "forecast", "diagnostic"])
    assert(ours.includes(`scaling_lens_${name}`), `${name} is missing in ${ours.join(", ")}`);
  const call = async (name: string, input: object): Promise<string> => {
    const { content } = await vscode.lm.invokeTool(`scaling_lens_${name}`, { input, toolInvocationToken: undefined });
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  };
  const file = vscode.workspace.asRelativePath(uri, false);
  const inspected = JSON.parse(await call("inspect", { files: [file] })) as {
    experiments: { axes: { tasks: { value: number } }; verdict: { kind: string } }[];
  };
  equal(inspected.experiments[0].axes.tasks.value, 1000, "tasks");
  assert(typeof inspected.experiments[0].verdict.kind === "string", "no verdict");
  const before = await read(uri);
  assert((await call("optimise", { file })).includes('"edits"'), "no edits");
  equal(await read(uri), before, "the file");
  assert((await call("diagnostic", { code: "batch.indivisible" })).includes("batch"), "no explanation");
  const refused = await call("inspect", { files: ["../outside.yaml"] }).catch((error: unknown) => String(error));
  assert(refused.includes("outside the workspace"), refused);
});
