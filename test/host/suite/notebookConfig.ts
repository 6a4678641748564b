import * as vscode from "vscode";
import { assert, equal, eventually, test } from "./harness";
import { hints, lens, lenses, read, write } from "./workspace";

const CONFIG = `args = GRPOConfig(
    output_dir="out",
    per_device_train_batch_size=8,
    gradient_accumulation_steps=4,
    num_generations=8, # per prompt
    max_prompt_length=max_prompt,
    max_completion_length=1024 - max_prompt,
    num_train_epochs=1,
)`;
const CELLS = [
  "%%capture\n!pip install trl",
  "from datasets import load_dataset\nfrom trl import GRPOConfig, GRPOTrainer\n\nmax_prompt = 256",
  `dataset = load_dataset("acme/orders", split="train[:2500]")\n${CONFIG}`,
  'trainer = GRPOTrainer(model="Qwen/Qwen3-8B", reward_funcs=reward, args=args, train_dataset=dataset)\ntrainer.train()',
];

function notebookFile(cells: readonly string[]): string {
  const lines = (text: string) => text.split("\n").map((line, i, all) => (i < all.length - 1 ? `${line}\n` : line));
  const code = cells.map((text) => ({
    cell_type: "code",
    metadata: {},
    source: lines(text),
    outputs: [],
    execution_count: null,
  }));
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  return `${JSON.stringify({ cells: code, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

test("a GRPOConfig cell has its lens and hints in the notebook editor, and Optimise edits the cell alone", async () => {
  await write(
    "grpo/scaling.yaml",
    'logs: ["../runs/**"]\nhardware: { gpu: H100, count: 8, price: 2.5 USD/h }\nprices: { environment: 25 USD, task: 5 USD }\npin: [parameters, environments]\n' +
      "facts: [{ files: train.ipynb, environments: 10, tokens_per_trajectory: 8000, domain: tool-use }]\n",
  );
  const uri = await write("grpo/train.ipynb", notebookFile(CELLS));
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  await vscode.window.showNotebookDocument(notebook);
  const cells = notebook.getCells().map(({ document }) => document);
  const [, imports, config, trainer] = cells;
  await lens(config.uri, /success/);
  for (const other of [imports, trainer]) equal((await lenses(other.uri)).length, 0, "lenses of another cell");
  const shown = await eventually("hints in the cell", async () => {
    const found = await hints(config);
    return found.length > 0 ? found : undefined;
  });
  assert(
    shown.some((hint) => /^0: → [\d.]+k?( \?)?$/.test(hint)) && shown.some((hint) => /^8: → \d+( \?)?$/.test(hint)),
    `hints at the rows and the epochs: ${shown.join(", ")}`,
  );
  for (const other of [imports, trainer]) equal((await hints(other)).length, 0, "hints of another cell");
  await optimised("more compute", config, cells, [
    "scalingLens.optimiseAtCompute",
    config.uri.toString(),
    undefined,
    "300 GPU-hours",
  ]);
  // As from the palette: nothing is named, and another cell of the notebook is selected.
  const after = await optimised("the best split of the same cost", config, cells, ["scalingLens.optimise"]);
  await notebook.save();
  const saved = (JSON.parse(await read(uri)) as { cells: { source: string[] }[] }).cells;
  equal(
    saved.map(({ source }) => source.join("")).join("\n\n"),
    [...CELLS.slice(0, 2), after, CELLS[3]].join("\n\n"),
    "the file",
  );
});

/** Runs a command about the cell, waits for the edit, and sees that nothing but the rows and the epochs changed. */
async function optimised(
  what: string,
  config: vscode.TextDocument,
  cells: readonly vscode.TextDocument[],
  [command, ...rest]: readonly [string, ...unknown[]],
): Promise<string> {
  const before = config.getText();
  await vscode.commands.executeCommand(command, ...rest);
  const after = await eventually(`${what}: the cell is edited`, () =>
    config.getText() === before ? undefined : config.getText(),
  );
  equal(
    after.replace(/train\[:\d+\]/, "train[:2500]").replace(/num_train_epochs=\d+/, "num_train_epochs=1"),
    CELLS[2],
    `${what}: everything else of the cell`,
  );
  cells.forEach((cell, index) => {
    if (cell !== config) equal(cell.getText(), CELLS[index], `${what}: cell ${index}`);
  });
  return after;
}
