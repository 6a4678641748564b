export { queryMemory, runQuery, type QueryAnswer } from "./run";
export type { Pictures } from "./pictures";
export type { QueryContext, QueryMemory } from "./types";
