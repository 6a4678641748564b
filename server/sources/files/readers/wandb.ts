import { messageOf, openBytes, ReadFault } from "../../../records/bytes";
import type { FoundFile } from "../../../records/files";
import { isObject, type JsonObject, parseJson, toNumber } from "../../../records/json";
import { RunMetrics } from "../../../runs/series";
import { ByteQueue } from "./parts/byteQueue";
import { readLeveldbLog } from "./parts/leveldbLog";
import { type Field, textOf, walkFields } from "./parts/protobuf";
import type { LogReader, ReadContext } from "./reader";
import { setEntry } from "./parts/wandbConfig";

/** Weights & Biases' offline record, `run-ID.wandb`: history, config and the run's name. */
export const wandb: LogReader = {
  id: "wandb-1",
  title: "a .wandb file",
  parts: true,
  recognises: (probe) => probe.name.endsWith(".wandb"),
  async read(files, context) {
    const metrics = new RunMetrics(context.wants);
    for (const file of files) await readFile(file, context, metrics);
    if (!metrics.ending && metrics.lastStep !== undefined)
      metrics.end({ kind: "open", text: "its W&B record has no exit, as when a process is killed", line: 0 });
    return [metrics];
  },
};

async function readFile(
  file: FoundFile,
  { host, notes, signal, onBytes }: ReadContext,
  metrics: RunMetrics,
): Promise<void> {
  const queue = new ByteQueue(openBytes(host, file.uri, signal, onBytes));
  try {
    let row = 0;
    const known = await readLeveldbLog(queue, notes, file.uri, (record, at) => {
      const fine = walkFields(record, 0, record.length, (field) => {
        if (field.wire !== 2) return;
        if (field.number === 2) readHistory(record, field, ++row, metrics);
        else if (field.number === 5) readConfig(record, field, metrics);
        else if (field.number === 17) readRun(record, field, metrics);
        else if (field.number === 18) readExit(record, field, metrics);
      });
      if (!fine)
        notes.error(
          "log.bad-event",
          `The record at byte ${at} is no W&B record; what could not be read of it was left out.`,
          { file: file.uri },
        );
    });
    if (!known)
      notes.error("log.bad-header", "The file does not begin as a .wandb file does (:W&B).", { file: file.uri });
  } catch (error) {
    signal?.throwIfAborted();
    notes.error(error instanceof ReadFault ? error.code : "log.unreadable", messageOf(error), { file: file.uri });
  } finally {
    await queue.close();
  }
}

interface Item {
  path: string[];
  json: string;
}

/** HistoryItem, ConfigItem: 1 key, 2 nested_key (repeated), 16 value_json. */
function readItem(bytes: Uint8Array, item: Field): Item {
  const read: Item = { path: [], json: "" };
  walkFields(bytes, item.start, item.end, (field) => {
    if (field.wire !== 2) return;
    if (field.number === 1 || field.number === 2) read.path.push(textOf(bytes, field));
    else if (field.number === 16) read.json = textOf(bytes, field);
  });
  return read;
}

/** HistoryRecord: 1 item (repeated), 2 step {1 num}. */
function readHistory(bytes: Uint8Array, history: Field, row: number, metrics: RunMetrics): void {
  let step: number | undefined;
  const items: Item[] = [];
  walkFields(bytes, history.start, history.end, (field) => {
    if (field.wire !== 2) return;
    if (field.number === 1) items.push(readItem(bytes, field));
    else if (field.number === 2) {
      step = 0;
      walkFields(bytes, field.start, field.end, (part) => {
        if (part.number === 1 && part.wire === 0) step = part.value;
      });
    }
  });
  const own = items.find(({ path }) => path.length === 1 && path[0] === "_step");
  const stated = own ? toNumber(parseJson(own.json)) : undefined;
  const at = stated ?? step ?? row;
  if (Number.isFinite(at)) metrics.reach(at);
  const time = items.find(({ path }) => path.length === 1 && path[0] === "_timestamp");
  const seconds = time ? toNumber(parseJson(time.json)) : undefined;
  if (seconds !== undefined && seconds > 1e9) metrics.lastTime = Math.max(metrics.lastTime ?? 0, 1000 * seconds);
  for (const { path, json } of items) {
    const key = path.filter((part) => part !== "").join("/");
    if (key.startsWith("_") || !metrics.wants(key)) continue;
    const value = toNumber(parseJson(json));
    if (value !== undefined) metrics.add(key, at, value, 0);
  }
}

/** RunExitRecord: 1 exit_code; protocol buffers leave out a 0. */
function readExit(bytes: Uint8Array, exit: Field, metrics: RunMetrics): void {
  let code = 0;
  walkFields(bytes, exit.start, exit.end, (field) => {
    if (field.number === 1 && field.wire === 0) code = field.value;
  });
  metrics.end({
    kind: code === 0 ? "finished" : code === 255 ? "stopped" : "crashed",
    text: `exit code ${code}`,
    line: 0,
  });
}

/** ConfigRecord: 1 update (repeated). */
function readConfig(bytes: Uint8Array, config: Field, metrics: RunMetrics): void {
  walkFields(bytes, config.start, config.end, (field) => {
    if (field.number !== 1 || field.wire !== 2) return;
    const { path, json } = readItem(bytes, field);
    metrics.config ??= {};
    setEntry(
      metrics.config,
      path.filter((part) => part !== ""),
      json,
    );
  });
}

/** RunRecord: 4 config, 8 display_name. */
function readRun(bytes: Uint8Array, run: Field, metrics: RunMetrics): void {
  walkFields(bytes, run.start, run.end, (field) => {
    if (field.wire !== 2) return;
    if (field.number === 4) readConfig(bytes, field, metrics);
    else if (field.number === 8) metrics.name = textOf(bytes, field) || metrics.name;
  });
}

/** `files/wandb-summary.json`: the last value of every metric, all that a synced folder keeps. */
export const wandbSummary: LogReader = {
  id: "wandb-summary-1",
  title: "a W&B summary",
  parts: false,
  recognises: (probe) => probe.name === "wandb-summary.json",
  async read(files, context) {
    const metrics = new RunMetrics(context.wants);
    for (const file of files) {
      const bytes = await context.host.readFile(file.uri);
      if (!bytes) {
        context.notes.error("log.unreadable", "The W&B summary cannot be read.", { file: file.uri });
        continue;
      }
      const value = parseJson(new TextDecoder().decode(bytes));
      if (!isObject(value)) {
        context.notes.error("log.bad-json", "The W&B summary is not a JSON object.", { file: file.uri, line: 1 });
        continue;
      }
      context.onBytes?.(bytes.length);
      const step = toNumber(value._step) ?? 0;
      metrics.addRow(numbersOf(value), Number.isFinite(step) ? step : 0, 1);
    }
    return [metrics];
  },
};

function numbersOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key, each]) => !key.startsWith("_") && typeof each === "number"),
  );
}
