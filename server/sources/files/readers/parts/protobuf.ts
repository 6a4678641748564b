/** One field of a protocol buffer message. For length-delimited fields `start`/`end` are its bytes. */
export interface Field {
  readonly number: number;
  readonly wire: number;
  /** Varints and fixed numbers as they stand (unsigned); length-delimited: the length. */
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Walks the fields of a message. Returns false where the bytes are no message (the fields before that were given).
 * Varints above 2^53 lose their low bits, which no step or count reaches; negative int64 come out as negative.
 */
export function walkFields(bytes: Uint8Array, start: number, end: number, visit: (field: Field) => void): boolean {
  let at = start;
  const varint = (): number => {
    let low = 0;
    let high = 0;
    for (let shift = 0; at < end && shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (shift < 28) low += (byte & 0x7f) * 2 ** shift;
      else high += (byte & 0x7f) * 2 ** (shift - 28);
      if (byte < 0x80) {
        const value = high * 2 ** 28 + low;
        return value >= 2 ** 63 ? negative(low, high) : value;
      }
    }
    return NaN;
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  while (at < end) {
    const key = varint();
    if (!(key > 0)) return false;
    const number = Math.floor(key / 8);
    const wire = key % 8;
    if (number === 0) return false;
    if (wire === 0) {
      const value = varint();
      if (Number.isNaN(value)) return false;
      visit({ number, wire, value, start: at, end: at });
    } else if (wire === 1) {
      if (at + 8 > end) return false;
      visit({ number, wire, value: view.getFloat64(at, true), start: at, end: at + 8 });
      at += 8;
    } else if (wire === 5) {
      if (at + 4 > end) return false;
      visit({ number, wire, value: view.getFloat32(at, true), start: at, end: at + 4 });
      at += 4;
    } else if (wire === 2) {
      const length = varint();
      if (!(length >= 0) || at + length > end) return false;
      visit({ number, wire, value: length, start: at, end: at + length });
      at += length;
    } else return false;
  }
  return true;
}

/** A negative int64 in its ten bytes: two's complement of (high·2^28 + low). */
function negative(low: number, high: number): number {
  const magnitude = (BigInt(1) << BigInt(64)) - (BigInt(high) * (BigInt(1) << BigInt(28)) + BigInt(low));
  return -Number(magnitude);
}

const decoder = new TextDecoder();

export function textOf(bytes: Uint8Array, field: Field): string {
  return decoder.decode(bytes.subarray(field.start, field.end));
}
