/** SQL text for the stores that runs are read from. Each dialect states only how it differs. */
export type DialectName = "sqlite" | "postgres" | "clickhouse" | "duckdb";

export interface Dialect {
  readonly name: DialectName;
  /** A name of a table or column, quoted. */
  id(name: string): string;
  /** A 64-bit integer of an expression, rounded half away from zero to thousandths: sums of it are the same on every engine. */
  thousandths(expression: string): string;
  /** A text in ASCII lower case with its white space as single blanks: beyond ASCII engines differ. SQLite knows no patterns. */
  normalised(expression: string): string;
  /** Whether a number is there and finite. */
  finite(expression: string): string;
}

/** A text as an SQL literal. The only place where a value becomes part of a query. */
export function literal(dialect: Dialect, text: string): string {
  const quoted = text.replaceAll("'", "''");
  // ClickHouse reads backslashes in literals; the others do not.
  return `'${dialect.name === "clickhouse" ? quoted.replaceAll("\\", "\\\\") : quoted}'`;
}

/** `a.b` or `b` as quoted names; anything else in a name is quoted with it. */
export function tableName(dialect: Dialect, name: string): string {
  return name
    .split(".")
    .map((part) => dialect.id(part))
    .join(".");
}

const doubleQuoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const backQuoted = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: "sqlite",
    id: doubleQuoted,
    thousandths: (e) => `CAST(ROUND((${e}) * 1000.0) AS INTEGER)`,
    normalised: (e) => `TRIM(REPLACE(REPLACE(REPLACE(LOWER(${e}), CHAR(10), ' '), CHAR(9), ' '), '  ', ' '))`,
    finite: (e) => `((${e}) IS NOT NULL AND ABS(${e}) <= 1.7976931348623157e308)`,
  },
  postgres: {
    name: "postgres",
    id: doubleQuoted,
    // ROUND of a double goes to even; of a numeric, away from zero.
    thousandths: (e) => `CAST(ROUND(CAST((${e}) AS numeric) * 1000) AS bigint)`,
    normalised: (e) => `BTRIM(REGEXP_REPLACE(LOWER((${e}) COLLATE "C"), '[[:space:]]+', ' ', 'g'))`,
    finite: (e) => `((${e}) IS NOT NULL AND ABS((${e})::double precision) <= 1.7976931348623157e308)`,
  },
  clickhouse: {
    name: "clickhouse",
    id: backQuoted,
    // round() goes to even on some versions; adding a half and cutting does not.
    thousandths: (e) => `toInt64(floor(abs(${e}) * 1000 + 0.5)) * if((${e}) < 0, -1, 1)`,
    normalised: (e) => `replaceRegexpAll(replaceRegexpAll(lower(${e}), '\\\\s+', ' '), '^ | $', '')`,
    finite: (e) => `isFinite(toFloat64(${e}))`,
  },
  duckdb: {
    name: "duckdb",
    id: doubleQuoted,
    thousandths: (e) => `CAST(ROUND((${e}) * 1000) AS BIGINT)`,
    normalised: (e) => `TRIM(REGEXP_REPLACE(LOWER(${e}), '\\s+', ' ', 'g'))`,
    finite: (e) => `((${e}) IS NOT NULL AND isfinite(${e}))`,
  },
};

/** Whether a text is one SELECT and nothing else: what any store of ours may be sent. */
export function isSelect(sql: string): boolean {
  // Literals may hold anything; what is left of the text may not.
  const bare = sql.replace(/'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|`(?:[^`\\]|\\.)*`/g, "''");
  return (
    /^\s*(select|with)\b/i.test(bare) &&
    !bare.includes(";") &&
    !/--|\/\*/.test(bare) &&
    !/\b(insert|update|delete|drop|alter|create|attach|detach|truncate|grant|revoke|into)\b/i.test(bare)
  );
}

/** A 64-bit integer or a number as an engine gives it: texts and bigints lose nothing, or are undefined. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && value.trim() !== "") {
    const number = Number(value);
    if (!Number.isNaN(number) || /^[+-]?nan$/i.test(value)) return number;
    const [, sign] = /^([+-]?)inf(?:inity)?$/i.exec(value) ?? [];
    return sign === undefined ? undefined : sign === "-" ? -Infinity : Infinity;
  }
  return undefined;
}

/** A text as an engine gives it: Trackio's JSON is bytes in some versions. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}
