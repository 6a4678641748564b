import { joined, messageOf, openBytes } from "../../../records/bytes";
import type { FoundFile } from "../../../records/files";
import { isObject, parseJson } from "../../../records/json";
import { RunMetrics } from "../../../runs/series";
import type { LogReader, ReadContext } from "./reader";

const LARGEST = 64 * 1024 * 1024;

/**
 * The Hugging Face trainer's `trainer_state.json` (TRL): `log_history` rows with `step`. Each checkpoint repeats the
 * history up to it, so the one that went furthest is read.
 */
export const trainerState: LogReader = {
  id: "trainer-state-1",
  title: "trainer_state.json",
  parts: true,
  recognises: (probe) => probe.name === "trainer_state.json",
  async read(files, context) {
    let best: RunMetrics | undefined;
    let furthest = -1;
    let planned: number | undefined;
    // The furthest is in the checkpoint with the highest number, or in the folder above all of them.
    for (const file of [...files].sort((a, b) => b.size - a.size).slice(0, 3)) {
      const read = await readState(file, context);
      // One that is cut short has lost its plan, which an earlier checkpoint still has.
      planned = Math.max(planned ?? 0, read?.metrics.plannedSteps ?? 0) || undefined;
      if (read && read.last > furthest) {
        furthest = read.last;
        best = read.metrics;
      }
    }
    if (best) best.plannedSteps ??= planned;
    return best ? [best] : [];
  },
};

async function readState(
  file: FoundFile,
  context: ReadContext,
): Promise<{ metrics: RunMetrics; last: number } | undefined> {
  const { notes, signal } = context;
  if (file.size > LARGEST) {
    notes.error("log.too-large", "trainer_state.json is larger than 64 MB and was left out.", { file: file.uri });
    return undefined;
  }
  const parts: Uint8Array[] = [];
  try {
    for await (const piece of openBytes(context.host, file.uri, signal, context.onBytes)) parts.push(piece.slice());
  } catch (error) {
    signal?.throwIfAborted();
    notes.error("log.unreadable", messageOf(error), { file: file.uri });
  }
  const text = new TextDecoder().decode(joined(parts));
  const whole = parseJson(text);
  const history =
    isObject(whole) && Array.isArray(whole.log_history)
      ? whole.log_history
      : whole === undefined
        ? salvaged(text)
        : undefined;
  if (!history) {
    notes.error("log.bad-json", "This is no trainer state: there is no log_history in it.", {
      file: file.uri,
      line: 1,
    });
    return undefined;
  }
  if (whole === undefined) {
    const line = text.split("\n").length;
    notes.warn(
      "log.truncated",
      `The file is damaged or cut short near line ${line}; the ${history.length} log entries that are whole were read.`,
      { file: file.uri, line },
    );
  }
  const metrics = new RunMetrics(context.wants);
  let last = 0;
  for (const entry of history) {
    if (!isObject(entry) || typeof entry.step !== "number") continue;
    metrics.reach(entry.step);
    metrics.addRow(entry, entry.step, 0);
    last = Math.max(last, entry.step);
  }
  if (isObject(whole) && typeof whole.max_steps === "number" && whole.max_steps > 0)
    metrics.plannedSteps = whole.max_steps;
  return { metrics, last };
}

/** The flat objects of a log_history that was cut: they hold numbers only, so braces part them. */
function salvaged(text: string): unknown[] | undefined {
  const start = text.indexOf('"log_history"');
  if (start < 0) return undefined;
  const found: unknown[] = [];
  for (const match of text.slice(start).matchAll(/\{[^{}]*\}/g)) {
    const value = parseJson(match[0]);
    if (value !== undefined) found.push(value);
  }
  return found;
}
