import * as vscode from "vscode";
import { assert, equal, eventually, test } from "./harness";
import { inFolder } from "./workspace";

const MIME = "application/vnd.scaling-lens.fit.v1+json";

test("a fit cell of a plain notebook runs: our figure, a picture and a sentence in one output", async () => {
  const notebook = await vscode.workspace.openNotebookDocument(inFolder("fits.ipynb"));
  await vscode.window.showNotebookDocument(notebook);
  const index = notebook.getCells().findIndex((cell) => cell.document.languageId === "scaling-query");
  assert(index >= 0, "the notebook has a fit cell");
  const cell = notebook.cellAt(index);
  const before = cell.executionSummary?.timing?.endTime;
  await vscode.commands.executeCommand("notebook.cell.execute", {
    ranges: [{ start: index, end: index + 1 }],
    document: notebook.uri,
  });
  await eventually(
    "the cell has run",
    () =>
      cell.executionSummary?.success === true && cell.executionSummary.timing?.endTime !== before ? true : undefined,
    60_000,
  );
  const figures = cell.outputs.filter((output) => output.items.some(({ mime }) => mime === MIME));
  assert(figures.length > 0, "a figure");
  for (const { items } of figures) {
    const payload = JSON.parse(new TextDecoder().decode(items.find(({ mime }) => mime === MIME)?.data)) as Record<
      string,
      unknown
    >;
    equal(Array.isArray(payload), false, "the payload is an object");
    const sentence = new TextDecoder().decode(items.find(({ mime }) => mime === "text/plain")?.data);
    assert(sentence.length > 20, `the sentence: ${sentence}`);
    assert(
      items.some(({ mime }) => mime === "image/png"),
      `a picture beside it: ${items.map(({ mime }) => mime).join(", ")}`,
    );
  }
  assert(
    JSON.stringify(figures.map(({ items }) => new TextDecoder().decode(items[0].data))).includes("imulated"),
    "the figure says that the runs are simulated",
  );
});
