import { openBytes, messageOf } from "../../../records/bytes";
import { child, type FoundFile, parent } from "../../../records/files";
import { nest, toNumber } from "../../../records/json";
import { readLines } from "../../../records/lines";
import { RunMetrics } from "../../../runs/series";
import type { Ending } from "../../../runs/state";
import type { LogReader, ReadContext } from "./reader";
import type { Json, JsonObject } from "../../../records/json";

const LARGEST_PARAM = 64 * 1024;

/**
 * A run folder of MLflow's file store (`mlruns/<experiment>/<run>/`): a file per metric with lines `time value step`, a file
 * per parameter. It is found by its `meta.yaml`.
 */
export const mlflow: LogReader = {
  id: "mlflow-1",
  title: "an MLflow run",
  parts: false,
  recognises: (probe) =>
    probe.name === "meta.yaml" &&
    /^(artifact_uri|run_id|run_uuid|lifecycle_stage):/m.test(probe.text()) &&
    /^(run_id|run_uuid):/m.test(probe.text()),
  async read(files, context) {
    const folder = parent(files[0].uri);
    const metrics = new RunMetrics(context.wants);
    await readFolder(`${folder}/metrics`, "", context, metrics, 0);
    metrics.config = await readParams(`${folder}/params`, context);
    await readStatus(files[0].uri, context, metrics);
    const name = await context.host.readFile(`${folder}/tags/mlflow.runName`, { end: 1024 });
    if (name) metrics.name = new TextDecoder().decode(name).trim() || undefined;
    return [metrics];
  },
  async rests(files, { host, signal }) {
    const all = [...files];
    const visit = async (uri: string, depth: number): Promise<void> => {
      for (const { name, kind } of [...(await host.list(uri))].sort((a, b) => (a.name < b.name ? -1 : 1))) {
        signal?.throwIfAborted();
        const at = child(uri, name);
        if (kind === "directory" && depth < 12) await visit(at, depth + 1);
        const about = kind === "file" ? await host.stat(at) : undefined;
        if (about) all.push({ uri: at, name, path: name, size: about.size, modified: about.modified });
      }
    };
    const folder = parent(files[0].uri);
    for (const part of ["metrics", "params", "tags"]) await visit(`${folder}/${part}`, 0);
    return all;
  },
};

/** `status` is a number in the file store (3 finished, 4 failed, 5 killed), and a word in later ones. */
async function readStatus(uri: string, { host }: ReadContext, metrics: RunMetrics): Promise<void> {
  const text = new TextDecoder().decode((await host.readFile(uri, { end: LARGEST_PARAM })) ?? new Uint8Array());
  const status = /^status:\s*['"]?(\w+)/m.exec(text)?.[1] ?? "";
  const kind = endOf(status);
  if (kind) metrics.end({ kind, text: `status ${status}`, line: 0 });
  const time = toNumber(/^end_time:\s*(\d+)/m.exec(text)?.[1]);
  if (time !== undefined && time > 1e12) metrics.lastTime = time;
}

/** What MLflow's status says of a run's end; undefined while it runs. */
function endOf(status: string): Ending["kind"] | undefined {
  if (/^(3|FINISHED)$/.test(status)) return "finished";
  if (/^(4|FAILED)$/.test(status)) return "crashed";
  return /^(5|KILLED)$/.test(status) ? "stopped" : undefined;
}

/** Slashes in a metric's name are folders. */
async function readFolder(
  uri: string,
  prefix: string,
  context: ReadContext,
  metrics: RunMetrics,
  depth: number,
): Promise<void> {
  const entries = [...(await context.host.list(uri))].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    context.signal?.throwIfAborted();
    const key = prefix + entry.name;
    const at = child(uri, entry.name);
    if (entry.kind === "directory") {
      if (depth < 12) await readFolder(at, `${key}/`, context, metrics, depth + 1);
    } else if (metrics.wants(key)) await readMetric({ uri: at }, key, context, metrics);
  }
}

async function readMetric(
  { uri }: Pick<FoundFile, "uri">,
  key: string,
  { host, notes, signal, onBytes }: ReadContext,
  metrics: RunMetrics,
): Promise<void> {
  try {
    await readLines(openBytes(host, uri, signal, onBytes), {
      line(line, number, ended) {
        if (line.trim() === "") return;
        const [, value, step] = line.trim().split(/\s+/);
        const at = toNumber(step);
        const number_ = toNumber(value);
        // Of an unended last line the step may be cut short.
        if (!ended || at === undefined || number_ === undefined) {
          notes.add(
            ended ? "error" : "warning",
            ended ? "log.bad-line" : "log.truncated",
            ended
              ? `Line ${number} is not “time value step”, and was left out.`
              : `The last line (${number}) has no line end and was left out; it may still be being written.`,
            { file: uri, line: number, column: 1 },
          );
          return;
        }
        metrics.add(key, at, number_, number);
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    notes.error("log.unreadable", messageOf(error), { file: uri });
  }
}

/** Parameters are dotted keys with text values; numbers and booleans are told from texts as YAML would. */
async function readParams(uri: string, { host }: ReadContext): Promise<JsonObject | undefined> {
  const flat: JsonObject = {};
  for (const entry of await host.list(uri)) {
    const bytes =
      entry.kind === "file" ? await host.readFile(child(uri, entry.name), { end: LARGEST_PARAM }) : undefined;
    if (bytes) flat[entry.name] = typed(new TextDecoder().decode(bytes).trim());
  }
  return Object.keys(flat).length > 0
    ? nest(flat, Object.keys(flat).some((key) => key.includes("/")) ? "/" : ".")
    : undefined;
}

function typed(text: string): Json {
  if (text === "True" || text === "true") return true;
  if (text === "False" || text === "false") return false;
  if (text === "None" || text === "null") return null;
  const number = toNumber(text);
  return number !== undefined && Number.isFinite(number) ? number : text;
}
