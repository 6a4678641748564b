function tableOf(polynomial: number): Uint32Array {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ polynomial : c >>> 1;
    table[i] = c >>> 0;
  }
  return table;
}

const CRC32 = tableOf(0xedb88320);
const CRC32C = tableOf(0x82f63b78);

function run(table: Uint32Array, bytes: Uint8Array, start: number, end: number, seed: number): number {
  let c = ~seed >>> 0;
  for (let i = start; i < end; i++) c = table[(c ^ bytes[i]) & 0xff] ^ (c >>> 8);
  return ~c >>> 0;
}

/** CRC-32 (IEEE 802.3), continued from `seed`. */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length, seed = 0): number {
  return run(CRC32, bytes, start, end, seed);
}

/** CRC-32C (Castagnoli). */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  return run(CRC32C, bytes, start, end, 0);
}

/** The masked CRC-32C of TFRecord files: rotated right by 15 bits, plus a constant. */
export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
