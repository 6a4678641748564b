/**
 * A whole number written the way another number was: `1_024` keeps its underscores, `1e3` its exponent where the new
 * value is as short that way, `1024.0` its fraction, `0x400` and `0b100` their radix. Anything else is plain digits.
 */
export function numberLike(text: string, value: number): string {
  const body = text.trim();
  if (!Number.isFinite(value)) return body;
  const radix = /^([-+]?)(0[xX]|0[oO]|0[bB])([\da-fA-F_]+)$/.exec(body);
  if (radix && Number.isInteger(value) && value >= 0) {
    const digits = value.toString({ x: 16, o: 8, b: 2 }[radix[2][1].toLowerCase()] ?? 10);
    return `${radix[2]}${/[A-F]/.test(radix[3]) ? digits.toUpperCase() : digits}`;
  }
  if (/^[-+]?\d+(_\d+)+$/.test(body)) return groups(value, "_");
  const exponent = /^[-+]?\d+(?:\.\d+)?([eE])(\+?)(\d+)$/.exec(body);
  if (exponent) return withExponent(value, exponent[1], exponent[2], exponent[3].length) ?? String(value);
  if (/^[-+]?\d+\.\d*$/.test(body) && Number.isInteger(value))
    return `${value}.${body.split(".")[1].replace(/[1-9]/g, "0")}`;
  return String(value);
}

function groups(value: number, mark: string): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, mark);
}

function withExponent(value: number, letter: string, plus: string, width: number): string | undefined {
  const [digits, power] = value.toExponential().split("e");
  if (digits.length > 5) return undefined;
  return `${digits}${letter}${plus}${String(Number(power)).padStart(width, "0")}`;
}
