/** A fault while reading; what came before it was read and is used. */
export class ReadFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Repeats pack by a thousand, logs by thirty: past the first megabytes (bytes), data that pack better than this are no log. */
const FREELY_UNPACKED = 32 * 1024 * 1024;
const MOST_PACKED = 200;

/** @throws ReadFault where data unpack to more than a log does */
export function checkPacking(packing: "gzip" | "zstd", unpacked: number, packed: number): void {
  if (unpacked > FREELY_UNPACKED && unpacked > MOST_PACKED * packed)
    throw new ReadFault(
      `log.${packing}`,
      `The ${packing} data unpack to more than ${MOST_PACKED} times their size, which no log does; the rest was left out.`,
    );
}
