// Core has neither btoa nor Buffer, and the two hosts must agree to the bit.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function packDraws(
  kind: PackedDraws["kind"],
  parameters: readonly string[],
  draws: readonly ArrayLike<number>[],
): PackedDraws {
  const view = new DataView(new ArrayBuffer(draws.length * parameters.length * 4));
  draws.forEach((draw, d) =>
    parameters.forEach((_, p) => view.setFloat32((d * parameters.length + p) * 4, draw[p], true)),
  );
  return { kind, count: draws.length, parameters, data: toBase64(new Uint8Array(view.buffer)) };
}

/** Draws as rows of numbers; null where the text is not what the counts promise. */
export function unpackDraws(packed: PackedDraws): Float64Array[] | null {
  const bytes = fromBase64(packed.data),
    width = packed.parameters.length;
  if (!bytes || bytes.length !== packed.count * width * 4) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: packed.count }, (_, d) =>
    Float64Array.from({ length: width }, (_, p) => view.getFloat32((d * width + p) * 4, true)),
  );
}

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    parts.push(
      ALPHABET[word >> 18] +
        ALPHABET[(word >> 12) & 63] +
        (left > 1 ? ALPHABET[(word >> 6) & 63] : "=") +
        (left > 2 ? ALPHABET[word & 63] : "="),
    );
  }
  return parts.join("");
}

function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4) {
    let word = 0;
    for (let j = 0; j < 4; j++) {
      const char = text[i + j];
      const value = char === "=" && i + j >= text.length - padding ? 0 : ALPHABET.indexOf(char);
      if (value < 0) return null;
      word = (word << 6) | value;
    }
    for (const shift of [16, 8, 0]) if (at < bytes.length) bytes[at++] = (word >> shift) & 255;
  }
  return bytes;
}

/**
 * Draws of θ (internal parameters) as base64 of little-endian float32, draw after draw. The law's own parameters come
 * first; others (discounts, critical ratios, a control) follow them.
 */
export interface PackedDraws {
  readonly kind: "bootstrap" | "posterior";
  readonly count: number;
  readonly parameters: readonly string[];
  readonly data: string;
}
