/** SQL text for the stores that runs are read from. Each dialect states only how it differs. */
export type DialectName = "sqlite" | "postgres" | "clickhouse";

export interface Dialect {
  readonly name: DialectName;
  /** A name of a table or column, quoted. */
  id(name: string): string;
  /** A text in ASCII lower case with its white space as single blanks: beyond ASCII engines differ. SQLite knows no patterns. */
  normalised(expression: string): string;
  /** A short text that is the same for equal texts, and for no others. */
  signature(expression: string): string;
  /** The number that a text states; NULL where it states none. */
  number(expression: string): string;
  /** Whether a number is there and finite. */
  finite(expression: string): string;
  /**
   * How many steps a column of rewards by step has, and how many of them are graded: those that are not null where some are null, else
   * those that are not 0, and the last. Null where lists of this type cannot be taken apart; NULL for an empty list.
   * @param reward of the whole rollout, which counts as graded where no step is
   */
  steps(
    column: string,
    type: string,
    reward: string | null,
  ): { readonly count: string; readonly graded: string } | null;
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

const isText = (type: string) => /^(text|character|varchar|char|string|nullable\(string|lowcardinality)/i.test(type);

/** Graded steps of a list whose elements a subquery gives. */
function gradedOf(
  elements: string,
  { value, at, count }: { readonly value: string; readonly at: string; readonly count: string },
  reward: string | null,
): string {
  const known = `COUNT(${value})`;
  const whole = reward === null ? "0" : `CASE WHEN ${reward} IS NOT NULL THEN 1 ELSE 0 END`;
  const unlike = `SUM(CASE WHEN ${value} <> 0 OR ${at} = ${count} THEN 1 ELSE 0 END)`;
  const all = "COUNT(*)";
  return `(SELECT CASE WHEN ${all} = 0 THEN NULL WHEN ${known} = ${all} THEN ${unlike} WHEN ${known} > 0 THEN ${known} ELSE NULLIF(${whole}, 0) END FROM ${elements})`;
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: "sqlite",
    id: doubleQuoted,
    normalised: (e) => `TRIM(REPLACE(REPLACE(REPLACE(LOWER(${e}), CHAR(10), ' '), CHAR(9), ' '), '  ', ' '))`,
    signature: (e) => e,
    number: (e) => `CAST(${e} AS REAL)`,
    finite: (e) => `((${e}) IS NOT NULL AND ABS(${e}) <= 1.7976931348623157e308)`,
    steps: (column, _, reward) => ({
      count: `CASE WHEN json_valid(${column}) THEN NULLIF(json_array_length(${column}), 0) END`,
      graded: gradedOf(
        `json_each(CASE WHEN json_valid(${column}) THEN ${column} ELSE '[]' END)`,
        { value: "value", at: "key + 1", count: `json_array_length(${column})` },
        reward,
      ),
    }),
  },
  postgres: {
    name: "postgres",
    id: doubleQuoted,
    normalised: (e) => `BTRIM(REGEXP_REPLACE(LOWER((${e}) COLLATE "C"), '[[:space:]]+', ' ', 'g'))`,
    signature: (e) => `MD5(${e})`,
    number: (e) => `CAST(NULLIF(${e}, '') AS double precision)`,
    finite: (e) => `((${e}) IS NOT NULL AND ABS((${e})::double precision) <= 1.7976931348623157e308)`,
    steps(column, type, reward) {
      if (/^array$/i.test(type))
        return {
          count: `NULLIF(CARDINALITY(${column}), 0)`,
          graded: gradedOf(
            `UNNEST(${column}) WITH ORDINALITY AS u(value, at)`,
            { value: "value", at: "at", count: `CARDINALITY(${column})` },
            reward,
          ),
        };
      if (!/^json/i.test(type) && !isText(type)) return null;
      const list = `CAST(${column} AS jsonb)`;
      return {
        count: `NULLIF(JSONB_ARRAY_LENGTH(${list}), 0)`,
        graded: gradedOf(
          `JSONB_ARRAY_ELEMENTS_TEXT(${list}) WITH ORDINALITY AS u(word, at)`,
          { value: "CAST(word AS double precision)", at: "at", count: `JSONB_ARRAY_LENGTH(${list})` },
          reward,
        ),
      };
    },
  },
  clickhouse: {
    name: "clickhouse",
    id: backQuoted,
    normalised: (e) => `replaceRegexpAll(replaceRegexpAll(lower(${e}), '\\\\s+', ' '), '^ | $', '')`,
    signature: (e) => `hex(MD5(${e}))`,
    number: (e) => `toFloat64OrNull(${e})`,
    finite: (e) => `ifNull(isFinite(toFloat64(${e})), 0)`,
    steps(column, type, reward) {
      const list = /^array\(/i.test(type)
        ? column
        : isText(type)
          ? `arrayMap(q -> toFloat64OrNull(q), arrayFilter(q -> q != '', splitByChar(',', replaceRegexpAll(${column}, '[\\\\[\\\\]\\\\s]', ''))))`
          : null;
      if (list === null) return null;
      const some = `arrayExists(q -> isNull(q), ${list})`;
      const known = `arrayCount(q -> isNotNull(q), ${list})`;
      const whole = reward === null ? "0" : `if(isNotNull(${reward}), 1, 0)`;
      const unlike = `arrayCount((q, i) -> ifNull(q, 0) != 0 OR i = length(${list}), ${list}, arrayEnumerate(${list}))`;
      return {
        count: `nullIf(length(${list}), 0)`,
        graded: `if(length(${list}) = 0, NULL, if(${some}, nullIf(if(${known} > 0, ${known}, ${whole}), 0), ${unlike}))`,
      };
    },
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
