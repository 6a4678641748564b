/** How a plain (unquoted) YAML scalar becomes a value. `1.1` is what PyYAML reads, `1.2` is the current standard. */
export type YamlDialect = "1.1" | "1.2";

export interface PlainValue {
  readonly value: string | number | boolean | null;
  /** Set where a Python program reads the text otherwise than it looks. */
  readonly trap?: string;
  /** True where only plain PyYAML falls into the trap, OmegaConf not. */
  readonly plainOnly?: boolean;
}

const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$/;
const SEXAGESIMAL = /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/;

/**
 * Resolves the text of a plain scalar. `1e-4` is taken for the number it means in both dialects: OmegaConf reads it so, and plain
 * PyYAML readers, to whom it is text, mostly convert it; the trap says what happens.
 */
export function resolvePlain(text: string, dialect: YamlDialect): PlainValue {
  const first = text.charCodeAt(0);
  // Most values are words; a number begins with a digit, sign or point.
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!numeric) return resolveWord(text, dialect);

  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return { value: text.startsWith("-") ? -Infinity : Infinity };
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return { value: NaN };
  if (DECIMAL.test(text)) return { value: Number(text.replaceAll("_", "")) };
  if (/^[-+]?0x[0-9a-fA-F_]+$/.test(text)) return { value: signed(text, (digits) => parseInt(digits.slice(2), 16)) };
  if (/^0o[0-7]+$/.test(text)) {
    const value = parseInt(text.slice(2), 8);
    return dialect === "1.2" ? { value } : { value: text, trap: `PyYAML reads \`${text}\` as text, not as ${value}.` };
  }
  if (/^[-+]?0[0-9_]+$/.test(text)) {
    const decimal = Number(text.replaceAll("_", ""));
    if (dialect === "1.2" || /[89]/.test(text)) return { value: decimal };
    const octal = signed(text, (digits) => parseInt(digits, 8));
    return octal === decimal
      ? { value: octal }
      : { value: octal, trap: `PyYAML reads \`${text}\` as an octal number: ${octal}.` };
  }
  if (dialect === "1.1" && SEXAGESIMAL.test(text)) {
    const value = signed(text, (digits) => digits.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));
    return { value, trap: `PyYAML reads \`${text}\` as a number in base 60: ${value}. Quote it if it is text.` };
  }
  if (FLOAT.test(text) && /[0-9]/.test(text)) {
    const value = Number(text.replaceAll("_", ""));
    if (Number.isNaN(value)) return { value: text };
    const exponent = /[eE]/.test(text);
    if (dialect === "1.1" && exponent && !(text.includes(".") && /[eE][-+]/.test(text))) {
      return {
        value,
        plainOnly: true,
        trap: `PyYAML reads \`${text}\` as text: its floats need a point and a signed exponent (\`${withPoint(text)}\`).`,
      };
    }
    return { value };
  }
  return { value: text };
}

function resolveWord(text: string, dialect: YamlDialect): PlainValue {
  switch (text) {
    case "":
    case "~":
    case "null":
    case "Null":
    case "NULL":
      return { value: null };
    case "true":
    case "True":
    case "TRUE":
      return { value: true };
    case "false":
    case "False":
    case "FALSE":
      return { value: false };
  }
  if (dialect === "1.1" && text.length <= 3 && /^(?:yes|Yes|YES|on|On|ON|no|No|NO|off|Off|OFF)$/.test(text)) {
    return { value: /^(?:yes|on)$/i.test(text) };
  }
  return { value: text };
}

function signed(text: string, read: (digits: string) => number): number {
  const digits = text.replaceAll("_", "");
  if (digits.startsWith("-")) return -read(digits.slice(1));
  return read(digits.startsWith("+") ? digits.slice(1) : digits);
}

function withPoint(text: string): string {
  const [mantissa, exponent] = text.split(/[eE]/);
  const point = mantissa.includes(".") ? mantissa : `${mantissa}.0`;
  return `${point}e${/^[-+]/.test(exponent) ? exponent : `+${exponent}`}`;
}
