export { queryMemory, runQuery, type QueryAnswer } from "./run";
export { displayData, notebookText, runNotebook, type NotebookFile } from "./ipynb";
export type { QueryContext, QueryMemory } from "./types";
