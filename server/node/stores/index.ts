import type { StoreQuery } from "../../runs/options";

/** Reads stores with libraries that are loaded when the first store is read. */
export const storeQuery: StoreQuery = async function* (uri, sql, signal) {
  const { rowsOfStore } = await import("./clients");
  yield* rowsOfStore(uri, sql, signal);
};
