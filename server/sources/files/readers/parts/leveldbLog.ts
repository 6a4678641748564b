import type { Notes } from "../../../../records/notes";
import type { ByteQueue } from "./byteQueue";
import { crc32 } from "./checksums";
import { joined } from "../../../../records/bytes";

const BLOCK = 32 * 1024;
const HEADER = 7;
const LARGEST_RECORD = 64 * 1024 * 1024;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** W&B seeds its plain CRC-32 with that of the record's type. */
const SEEDS = [0, 1, 2, 3, 4].map((type) => crc32(Uint8Array.of(type)));
const MAGIC = [0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00];

/**
 * The records of a `.wandb` file: LevelDB log blocks of 32 KiB behind a header of seven bytes (`:W&B`, 0xBEE1, version 0).
 * After damage the reading goes on at the next block; every loss is a note.
 * @returns false when the file is no `.wandb` file at all
 */
export async function readLeveldbLog(
  queue: ByteQueue,
  notes: Notes,
  file: string,
  onRecord: (record: Uint8Array, at: number) => void,
): Promise<boolean> {
  if ((await queue.ensure(HEADER)) < HEADER) return false;
  const magic = queue.take(HEADER);
  if (MAGIC.some((byte, i) => magic[i] !== byte)) return false;
  let parts: Uint8Array[] | undefined;
  let partsSize = 0;
  let startedAt = 0;
  const drop = (at: number, why: string) => {
    notes.error(
      "log.crc",
      `The record at byte ${at} ${why}; what stands in the rest of its 32 KiB block was left out.`,
      { file },
    );
    parts = undefined;
  };
  for (;;) {
    const left = BLOCK - (queue.offset % BLOCK);
    if (left < HEADER) {
      await queue.ensure(left);
      if (queue.take(left).length < left) return true;
      continue;
    }
    const at = queue.offset;
    const have = await queue.ensure(HEADER);
    if (have === 0) {
      if (parts)
        notes.warn(
          "log.truncated",
          `The file ends in the middle of the record at byte ${startedAt}; it may still be being written.`,
          { file },
        );
      return true;
    }
    if (have < HEADER) {
      notes.warn(
        "log.truncated",
        `The file ends in the middle of a record, at byte ${at}; it may still be being written.`,
        { file },
      );
      return true;
    }
    const view = new DataView(queue.view.buffer, queue.view.byteOffset, HEADER);
    const stored = view.getUint32(0, true);
    const length = view.getUint16(4, true);
    const type = view.getUint8(6);
    const fits = HEADER + length <= left;
    if (fits && (await queue.ensure(HEADER + length)) < HEADER + length) {
      notes.warn(
        "log.truncated",
        `The file ends in the middle of the record at byte ${at}; it may still be being written.`,
        { file },
      );
      return true;
    }
    const data = fits ? queue.view.subarray(HEADER, HEADER + length) : undefined;
    if (!data || type < FULL || type > LAST || crc32(data, 0, length, SEEDS[type]) !== stored) {
      drop(at, "fails its checksum");
      const skipped = await queue.ensure(left);
      queue.take(Math.min(left, skipped));
      if (skipped < left) return true;
      continue;
    }
    const bytes = queue.take(HEADER + length).subarray(HEADER);
    if (type === FULL) {
      parts = undefined;
      onRecord(bytes, at);
    } else if (type === FIRST) {
      parts = [bytes.slice()];
      partsSize = bytes.length;
      startedAt = at;
    } else if (!parts) {
      notes.error("log.crc", `The record at byte ${at} continues one that was lost, and was left out.`, { file });
    } else {
      parts.push(bytes.slice());
      partsSize += bytes.length;
      if (partsSize > LARGEST_RECORD) {
        notes.error("log.long-line", `The record at byte ${startedAt} goes on past 64 MiB and was left out.`, { file });
        parts = undefined;
        continue;
      }
      if (type === MIDDLE) continue;
      onRecord(joined(parts), startedAt);
      parts = undefined;
    }
  }
}
