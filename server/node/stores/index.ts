import type { StoreQuery } from "../../runs/options";
import type { SecretOf } from "../../sources/secret";

/**
 * Reads stores with libraries that are loaded when the first store is read.
 * @param secretOf who keeps passwords; one of the environment comes before it
 */
export function createStoreQuery(secretOf?: SecretOf): StoreQuery {
  return async function* (uri, sql, signal) {
    const { rowsOfStore } = await import("./clients");
    yield* rowsOfStore(uri, sql, signal, secretOf);
  };
}

/** With passwords of the environment alone. */
export const storeQuery: StoreQuery = createStoreQuery();
