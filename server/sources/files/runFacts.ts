import type { Host } from "../../host";
import { readHead } from "../../records/bytes";
import type { FoundRun } from "../source";
import { factsOfConfig, factsOfRunJson, mergeFacts } from "../../runs/facts";
import type { Notes } from "../../records/notes";
import type { RunFacts, RunOptions } from "../../runs/options";
import { wandbConfigOf } from "./readers/parts/wandbConfig";
import type { RunMetrics } from "../../runs/series";

const LARGEST_CONFIG = 4 * 1024 * 1024;

/** What a run's run.json says of it. */
export async function statedFacts(host: Host, { runJson }: FoundRun, notes: Notes): Promise<RunFacts | undefined> {
  if (!runJson) return undefined;
  const bytes = await readHead(host, runJson.uri, LARGEST_CONFIG);
  return factsOfRunJson(new TextDecoder().decode(bytes), runJson.uri, notes);
}

/** What is known of a run: by run.json first, then the config that the log carries, then files beside it. */
export async function factsOfRun(
  host: Host,
  run: FoundRun,
  stated: RunFacts | undefined,
  metrics: RunMetrics,
  name: string,
  options: RunOptions,
  notes: Notes,
): Promise<RunFacts> {
  return mergeFacts(stated, await configFacts(host, run, metrics, name, options, notes), seedOf(run, metrics, name));
}

/** The seed as the log's config states it, or as the run is named: `exp-seed3`, `seed_3/`. */
function seedOf(run: FoundRun, metrics: RunMetrics, name: string): RunFacts | undefined {
  const config = metrics.config?.seed;
  if (typeof config === "number" || typeof config === "string") return { seed: String(config) };
  const named = /(?:^|[^a-z])seed[-_=]?(\d+)(?!\d)/i.exec(`${run.id}/${name}`);
  return named ? { seed: named[1] } : undefined;
}

async function configFacts(
  host: Host,
  run: FoundRun,
  metrics: RunMetrics,
  name: string,
  { config, signal }: RunOptions,
  notes: Notes,
): Promise<RunFacts | undefined> {
  if (!config) return undefined;
  const read = async (uri: string, text?: string) => {
    signal?.throwIfAborted();
    try {
      return await config(uri, text);
    } catch {
      notes.warn("run.config-unreadable", "The config could not be read.", { file: uri });
      return undefined;
    }
  };
  if (metrics.config) {
    const reading = await read(`${run.root}/config.json`, JSON.stringify(metrics.config, null, 1));
    if (reading?.framework) return factsOfConfig(reading, run.logs[0].files[0].uri, name, notes);
  }
  for (const file of run.configs) {
    if (file.size > LARGEST_CONFIG) continue;
    const wandb = /\.ya?ml$/.test(file.name) ? await wandbText(host, file.uri) : undefined;
    const reading = await read(file.uri, wandb);
    if (reading?.framework) return factsOfConfig(reading, file.uri, name, notes);
  }
  return undefined;
}

/** A W&B config as plain JSON; undefined for a config that is in its framework's own shape already. */
async function wandbText(host: Host, uri: string): Promise<string | undefined> {
  const unwrapped = wandbConfigOf(new TextDecoder().decode(await readHead(host, uri, LARGEST_CONFIG)));
  return unwrapped && JSON.stringify(unwrapped, null, 1);
}
