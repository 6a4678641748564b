export type * from "./types";
export { isAllocated, isPredicted } from "./types";
