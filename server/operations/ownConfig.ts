import type { ExperimentAssessment } from "../assessment/types";
import type { RunRow } from "../core/table";
import type { Engine, FitChoice } from "./engine";
import { isConfigOf } from "./live";

const CONFIG = /\.(ya?ml|json|toml|sh|py)$/i;
/** What stands beside a log and is none: a run's facts, its results, and the folder's own file. */
const NO_CONFIG = /^(run|metrics|results?|summary|trainer_state|scaling)\.\w+$/i;
/** A folder of more files than this is none of one run. */
const MOST = 20;

/** The experiment of a run's own config, judged: in its log's folder, else in the one above by its name. Null where none is found. */
export async function ownConfig(
  engine: Engine,
  row: RunRow,
  choice: FitChoice,
  signal?: AbortSignal,
): Promise<ExperimentAssessment | null> {
  const log = row.files[0];
  if (log === undefined) return null;
  const folder = log.slice(0, log.lastIndexOf("/"));
  for (const at of [folder, folder.slice(0, folder.lastIndexOf("/"))]) {
    const entries = await engine.host.list(at);
    const names = entries.flatMap(({ name, kind }) =>
      kind === "file" && CONFIG.test(name) && !NO_CONFIG.test(name) ? [name] : [],
    );
    for (const name of names.length > MOST ? [] : names) {
      const uri = `${at}/${name}`;
      const { experiments } = (await engine.judge(engine.shown(uri), choice, undefined, signal)).assessment;
      const own = experiments.find(({ budget }) =>
        isConfigOf(row, { uri, name: budget.name, isOnly: experiments.length === 1, budget }),
      );
      if (own) return own;
    }
  }
  return null;
}
