import { messageOf, openBytes, ReadFault } from "../../../records/bytes";
import type { FoundFile } from "../../../records/files";
import { RunMetrics } from "../../../runs/series";
import { ByteQueue } from "./parts/byteQueue";
import { maskedCrc32c } from "./parts/checksums";
import { type Field, textOf, walkFields } from "./parts/protobuf";
import type { LogReader, ReadContext } from "./reader";

/** An event beyond this (bytes) holds a graph, a picture or a video, and no scalar: it is passed over. */
const LARGEST_EVENT = 16 * 1024 * 1024;

/** TensorBoard's event files (TFRecord: length u64, its masked CRC-32C, an Event message, its masked CRC-32C). */
export const tensorboard: LogReader = {
  id: "tensorboard-1",
  title: "TensorBoard events",
  parts: true,
  recognises: (probe) => /\.tfevents\./.test(probe.name) || probe.name.startsWith("events.out.tfevents"),
  async read(files, context) {
    const metrics = new RunMetrics(context.wants);
    for (const file of files) {
      try {
        await readEvents(file, context, metrics);
      } catch (error) {
        context.signal?.throwIfAborted();
        context.notes.error(error instanceof ReadFault ? error.code : "log.unreadable", messageOf(error), {
          file: file.uri,
        });
      }
    }
    return [metrics];
  },
};

async function readEvents(
  file: FoundFile,
  { host, notes, signal, onBytes }: ReadContext,
  metrics: RunMetrics,
): Promise<void> {
  const queue = new ByteQueue(openBytes(host, file.uri, signal, onBytes));
  const place = { file: file.uri };
  try {
    for (;;) {
      const at = queue.offset;
      const have = await queue.ensure(12);
      if (have === 0) return;
      if (have < 12) {
        notes.warn(
          "log.truncated",
          `The file ends in the middle of an event, at byte ${at}; it may still be being written.`,
          place,
        );
        return;
      }
      const head = queue.view;
      const view = new DataView(head.buffer, head.byteOffset, 12);
      const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
      if (view.getUint32(8, true) !== maskedCrc32c(head, 0, 8)) {
        notes.error(
          "log.crc",
          `The length of the event at byte ${at} fails its checksum; the rest of the file cannot be followed and was left out.`,
          place,
        );
        return;
      }
      const isLarge = length > LARGEST_EVENT;
      const isWhole = isLarge
        ? await queue.skip(12 + length + 4)
        : (await queue.ensure(12 + length + 4)) >= 12 + length + 4;
      if (!isWhole) {
        notes.warn(
          "log.truncated",
          `The file ends in the middle of the event at byte ${at}; it may still be being written.`,
          place,
        );
        return;
      }
      if (isLarge) {
        notes.warn(
          "log.large-event",
          `The event at byte ${at} is larger than ${LARGEST_EVENT / 2 ** 20} MB, as scalars never are; it was passed over.`,
          place,
        );
        continue;
      }
      const record = queue.take(12 + length + 4);
      const stored = new DataView(record.buffer, record.byteOffset + 12 + length, 4).getUint32(0, true);
      if (stored !== maskedCrc32c(record, 12, 12 + length)) {
        notes.error("log.crc", `The event at byte ${at} fails its checksum and was left out.`, place);
        continue;
      }
      if (!readEvent(record, 12, 12 + length, metrics))
        notes.error(
          "log.bad-event",
          `The event at byte ${at} is no TensorBoard event; what could not be read of it was left out.`,
          place,
        );
    }
  } finally {
    await queue.close();
  }
}

/** Event: 1 wall_time (double), 2 step, 5 summary. The step may stand after the summary. */
function readEvent(bytes: Uint8Array, start: number, end: number, metrics: RunMetrics): boolean {
  let step = 0;
  let seconds = 0;
  const summaries: Field[] = [];
  const whole = walkFields(bytes, start, end, (field) => {
    if (field.number === 2 && field.wire === 0) step = field.value;
    else if (field.number === 1 && field.wire === 1) seconds = field.value;
    else if (field.number === 5 && field.wire === 2) summaries.push(field);
  });
  if (summaries.length > 0 && Number.isFinite(step)) metrics.reach(step);
  if (seconds > 1e9) metrics.lastTime = Math.max(metrics.lastTime ?? 0, 1000 * seconds);
  let fine = whole;
  for (const summary of summaries) {
    fine =
      walkFields(bytes, summary.start, summary.end, (value) => {
        if (value.number === 1 && value.wire === 2) readValue(bytes, value, step, metrics);
      }) && fine;
  }
  return fine;
}

/** Summary.Value: 1 tag, 2 simple_value (float), 8 tensor. Other kinds (images, histograms) are no scalars. */
function readValue(bytes: Uint8Array, field: Field, step: number, metrics: RunMetrics): void {
  let tag = "";
  let value: number | undefined;
  walkFields(bytes, field.start, field.end, (part) => {
    if (part.number === 1 && part.wire === 2) tag = textOf(bytes, part);
    else if (part.number === 2 && part.wire === 5) value = part.value;
    else if (part.number === 8 && part.wire === 2) value ??= scalarTensor(bytes, part);
  });
  if (tag !== "" && value !== undefined && metrics.wants(tag)) metrics.add(tag, step, value, 0);
}

const FLOAT = 1;
const DOUBLE = 2;

/** TensorProto: 1 dtype, 2 shape, 4 tensor_content, 5 float_val, 6 double_val, 7 int_val, 10 int64_val; one element only. */
function scalarTensor(bytes: Uint8Array, field: Field): number | undefined {
  let type = 0;
  let value: number | undefined;
  let content: Field | undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = walkFields(bytes, field.start, field.end, (part) => {
    if (part.number === 1 && part.wire === 0) type = part.value;
    else if (part.number === 4 && part.wire === 2) content = part;
    else if ((part.number === 5 && part.wire === 5) || (part.number === 6 && part.wire === 1)) value = part.value;
    else if (part.number === 5 && part.wire === 2 && part.value === 4) value = view.getFloat32(part.start, true);
    else if (part.number === 6 && part.wire === 2 && part.value === 8) value = view.getFloat64(part.start, true);
    else if ((part.number === 7 || part.number === 10) && part.wire === 0) value = part.value;
  });
  if (!whole || value !== undefined) return whole ? value : undefined;
  if (!content) return undefined;
  if (type === FLOAT && content.value === 4) return view.getFloat32(content.start, true);
  if (type === DOUBLE && content.value === 8) return view.getFloat64(content.start, true);
  return undefined;
}
