import { NotebookCellKind, NotebookDocuments, type Connection, type TextDocuments } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { joinedCells, type CellSurroundings } from "../syntax/notebook";

/** Notebooks whose cells are read; a cell in another language is a document by itself. */
export const NOTEBOOK_SYNC = {
  notebookSelector: [{ notebook: "jupyter-notebook", cells: [{ language: "python" }] }],
};

interface NotebookCell extends CellSurroundings {
  /** The notebook's own URI, with the cell's fragment. */
  readonly uri: string;
}

/** The notebooks that are open: a cell is a document of its own, but what it means depends on the others. */
export class NotebookCells {
  readonly #documents: TextDocuments<TextDocument>;
  readonly #notebooks: NotebookDocuments<TextDocument>;

  constructor(documents: TextDocuments<TextDocument>) {
    this.#documents = documents;
    this.#notebooks = new NotebookDocuments(documents);
  }

  /** `changed` is called with the cells of a notebook when one of them has come, gone, moved or changed. */
  listen(connection: Connection, changed: (cells: readonly string[]) => void): void {
    this.#notebooks.listen(connection);
    const tell = ({ cells }: { readonly cells: readonly { readonly document: string }[] }) =>
      changed(cells.map(({ document }) => document));
    this.#notebooks.onDidOpen(tell);
    this.#notebooks.onDidChange(({ notebookDocument, cells }) => {
      if (cells) tell(notebookDocument);
    });
  }

  /** The code cells of the notebook that a cell is in; none for what is no cell of an open notebook. */
  codeWith(uri: string): readonly string[] {
    const cells = this.#notebooks.findNotebookDocumentForCell(uri)?.cells ?? [];
    return cells.filter(({ kind }) => kind === NotebookCellKind.Code).map(({ document }) => document);
  }

  /** Undefined for what is no cell of an open notebook. */
  of(uri: string): NotebookCell | undefined {
    const notebook = this.#notebooks.findNotebookDocumentForCell(uri);
    if (!notebook) return undefined;
    const code = this.codeWith(uri);
    const at = code.indexOf(uri);
    const text = (cells: readonly string[]) =>
      joinedCells(cells.map((cell) => this.#documents.get(cell)?.getText() ?? ""));
    return {
      uri: notebook.uri + /(#.*)?$/.exec(uri)?.[0],
      before: text(code.slice(0, at)),
      after: text(code.slice(at + 1)),
    };
  }
}
