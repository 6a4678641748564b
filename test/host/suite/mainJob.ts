import * as vscode from "vscode";
import { assert, equal, eventually, test } from "./harness";
import { diagnostic, hints, hoverOn, inFolder, lens, lenses, read, show, write } from "./workspace";

const SUCCESS = /\d+(\.\d)? % success \[\d+(\.\d)?–\d+(\.\d)?\] · \d+(\.\d)? points below the best split/;

test("the lens says success with its interval, and the regret", async () => {
  const document = await show(inFolder("appworld.budget.yaml"));
  const title = await lens(document.uri, SUCCESS);
  assert(/simulated/i.test(title), `the lens says that the runs are simulated: ${title}`);
  const all = await lenses(document.uri);
  assert(all.includes("Optimise") && all.includes("Explain"), `lenses: ${all.join(" | ")}`);
});

test("hints stand beside the values, at most 20 characters", async () => {
  const document = await show(inFolder("appworld.budget.yaml"));
  const found = await eventually("hints", async () => {
    const some = await hints(document);
    return some.length > 0 ? some : undefined;
  });
  for (const hint of found) assert(hint.slice(hint.indexOf(":") + 1).length <= 20, `hint too long: ${hint}`);
  assert(
    found.some((hint) => hint.includes("→")),
    `hints: ${found.join(" | ")}`,
  );
});

test("hover on trajectories names unit, optimum, range and source", async () => {
  const document = await show(inFolder("appworld.budget.yaml"));
  const text = await hoverOn(document, "trajectories");
  for (const part of [/rollouts/i, /Best split/, /fitted range/, /config/, /multiplicative/])
    assert(part.test(text), `${String(part)} is missing in: ${text}`);
});

test("Optimise changes only the budget values, and one undo restores every byte", async () => {
  const uri = inFolder("appworld.budget.yaml");
  const document = await show(uri);
  await lens(uri, SUCCESS);
  const before = document.getText();
  const done = vscode.commands.executeCommand("scalingLens.optimise", uri.toString());
  await eventually("the preview applied", async () => {
    await vscode.commands.executeCommand("refactorPreview.apply");
    return document.getText() !== before ? true : undefined;
  });
  await done;
  const after = document.getText();
  // The same text once every budget value is masked, with the blanks that keep its comment in its column.
  const mask = (text: string) => text.replace(/^(\s+(?:tasks|environments|trajectories): )[\d_]+ +/gm, "$1… ");
  equal(mask(after), mask(before), "the text outside the values");
  const columns = (text: string) =>
    text
      .split("\n")
      .map((line) => line.indexOf("#"))
      .join(" ");
  equal(columns(after), columns(before), "the columns of the comments");
  assert(after !== before, "values changed");
  await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  await vscode.commands.executeCommand("undo");
  await eventually("one undo restores the text", () => (document.getText() === before ? true : undefined));
  equal(await read(uri), before, "the file on disk");
});

test("without a fit there is no success rate and no best split anywhere", async () => {
  const text = (await read(inFolder("appworld.budget.yaml"))).replace("appworld-8b", "lonely");
  const uri = await write("alone/lonely.budget.yaml", text);
  await write("alone/scaling.yaml", "pin: [parameters]\n");
  const document = await show(uri);
  await lens(uri, /no scaling fit/i);
  const all = (await lenses(uri)).join(" ");
  assert(!/% success|optimum/.test(all), `lenses: ${all}`);
  assert(!(await hints(document)).some((hint) => hint.includes("→")), "no best split in the hints");
  const hover = await hoverOn(document, "trajectories");
  assert(!/Best split|% success/.test(hover), `hover: ${hover}`);
  assert(/FLOPs/.test(hover) && /rollouts/i.test(hover), `compute and rollouts are still there: ${hover}`);
});

const BROKEN: readonly { readonly name: string; readonly line: string; readonly at: string }[] = [
  { name: "negative", line: "  tasks: -5", at: "-5" },
  { name: "overflow", line: "  tasks: 1e400", at: "1e400" },
  { name: "unknown-key", line: "  taks: 100", at: "taks" },
];

for (const { name, line, at } of BROKEN) {
  test(`a budget with a fault (${name}) has a diagnostic on its exact range, and the rest is annotated`, async () => {
    const uri = await write(
      `broken-${name}.budget.yaml`,
      `name: ${name}\nmodel: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget:\n${line}\n  environments: 12\n  trajectories: 8\ntokens_per_trajectory: 12000\n`,
    );
    const document = await show(uri);
    const found = await eventually(
      `a diagnostic on ${at}`,
      () => vscode.languages.getDiagnostics(uri).find((one) => document.getText(one.range) === at),
      60_000,
    );
    assert(found.message.length > 10, found.message);
    const hover = await hoverOn(document, "environments");
    assert(/12/.test(hover), `the rest is still explained: ${hover}`);
  });
}

test("a syntax error has a diagnostic, and the rest is annotated", async () => {
  const uri = await write(
    "syntax.budget.yaml",
    "name: syntax\nmodel: Qwen3-8B\nbudget:\n  tasks: 100\n  environments: [12\n  trajectories: 8\n",
  );
  const document = await show(uri);
  await diagnostic(uri, "config.parse");
  const hover = await hoverOn(document, "tasks");
  assert(/100/.test(hover), hover);
});
