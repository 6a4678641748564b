import type { Source } from "../source";
import { isStore } from "./store";
import { readStore, type StoredRun } from "./index";
import { keptTable } from "./kept";
import { measureStore } from "./measure";

/** Databases: MLflow and Trackio stores, tables of metrics and of rollouts. */
export const stores: Source = {
  id: "stores",
  matches: isStore,
  async find(uri, { notes, wants, cache, options: { stores: query, signal, now } }) {
    const time = now ?? Date.now();
    const found = await keptTable(uri, { cache, notes, wants, time }, () =>
      readStore(uri, { query, notes, wants, signal, cache }),
    );
    return { prefix: "", tables: [], runs: found.map((run) => held(uri, run)) };
  },
  rollouts: (uri, { query, ...question }) => measureStore(uri, { ...question, query }),
};

function held(uri: string, { id, name, metrics, modified }: StoredRun) {
  const file = { uri: `${uri}#${id}`, name, path: id, size: 0, modified };
  const read = () => Promise.resolve([metrics]);
  return { id, root: file.uri, name, configs: [], logs: [{ kind: "store", title: "a store", files: [file], read }] };
}
