import type { QueryAnswer } from "./run";
import type { Output } from "./types";

/** A notebook file, as far as running it goes. What is not named here stays as it is. */
export interface NotebookFile {
  cells: NotebookCell[];
  metadata: Record<string, unknown>;
  nbformat: number;
  nbformat_minor: number;
}

interface NotebookCell {
  cell_type: string;
  id?: string;
  metadata: Record<string, unknown>;
  source: string | string[];
  outputs?: unknown[];
  execution_count?: number | null;
}

/** The language of a code cell as VS Code stores it: its own, or the notebook's. */
function languageOf(cell: NotebookCell, notebook: NotebookFile): string | undefined {
  const own = (cell.metadata.vscode as { languageId?: unknown } | undefined)?.languageId;
  if (typeof own === "string") return own;
  const info = notebook.metadata.language_info as { name?: unknown } | undefined;
  return typeof info?.name === "string" ? info.name : undefined;
}

const sourceOf = (cell: NotebookCell): string => (Array.isArray(cell.source) ? cell.source.join("") : cell.source);

/** Runs the cells of one language in order and puts their outputs in place; stops at the first error. */
export async function runNotebook(
  notebook: NotebookFile,
  language: string,
  run: (text: string, above: readonly string[]) => Promise<QueryAnswer>,
): Promise<{ readonly ran: number; readonly error?: string }> {
  const above: string[] = [];
  let ran = 0;
  for (const cell of notebook.cells) {
    if (cell.cell_type !== "code" || languageOf(cell, notebook) !== language) continue;
    const text = sourceOf(cell);
    const { outputs, error } = await run(text, above);
    cell.execution_count = ++ran;
    cell.outputs = [
      ...outputs.map(displayData),
      ...(error ? [{ output_type: "error", ename: "Error", evalue: error.message, traceback: [error.message] }] : []),
    ];
    if (error)
      return {
        ran,
        error: `cell ${ran}${error.line === undefined ? "" : `, line ${error.line + 1}`}: ${error.message}`,
      };
    above.push(text);
  }
  return { ran };
}

/** An output as nbformat 4 has it: JSON types as objects, images as base64 and text as lines. */
export function displayData({ items }: Output): {
  output_type: "display_data";
  metadata: object;
  data: Record<string, unknown>;
} {
  const data = items.map((item): [string, unknown] => {
    if ("base64" in item) return [item.mime, item.base64];
    return [item.mime, /[/+]json$/.test(item.mime) ? JSON.parse(item.text) : lines(item.text)];
  });
  // Sorted as VS Code sorts them, so that opening and saving changes nothing.
  return {
    output_type: "display_data",
    metadata: {},
    data: Object.fromEntries(data.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function lines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** The file's text: one space of indentation and a line break at the end, as Jupyter and VS Code write it. */
export function notebookText(notebook: NotebookFile): string {
  return `${JSON.stringify(sorted(notebook), null, 1)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
