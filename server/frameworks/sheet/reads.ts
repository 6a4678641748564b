import { known, unknown, isKnown, type Fact } from "../../budget/budget";
import type { Span } from "../../syntax/text";
import type { ScalarNode, TreeNode } from "../../syntax/tree";
import type { Config, Found, KeyInfo, Shipped } from "./config";
import type { Read } from "./sheet";

/** A number at the first of the paths that states one. `null`, `None` and an empty value count as not stated. */
export function number(
  paths: string | readonly string[],
  info: KeyInfo & { readonly unless?: (value: number) => boolean } = {},
): Read<number> {
  return at(
    paths,
    info,
    (found) => {
      const node = found.node;
      if (node.kind === "unknown") return unknown(`\`${found.path}\`: ${node.reason}`);
      if (node.kind !== "scalar") return unknown(`\`${found.path}\` is not a number`);
      if (isBlank(node.value)) return undefined;
      const value = toNumber(node.value);
      if (value === undefined) return unknown(`\`${found.path}\` is not a number: ${node.text}`);
      return info.unless?.(value) ? undefined : stated(node, value);
    },
    (shipped) =>
      typeof shipped.value === "number" && !info.unless?.(shipped.value)
        ? known(shipped.value, "default", { note: `set in ${shipped.from}` })
        : undefined,
  );
}

/** A text at the first of the paths that states one. */
export function text(paths: string | readonly string[], info: KeyInfo = {}): Read<string> {
  return at(
    paths,
    info,
    (found) => {
      const node = found.node;
      if (node.kind === "unknown") return unknown(`\`${found.path}\`: ${node.reason}`);
      if (node.kind !== "scalar") return unknown(`\`${found.path}\` is not a text`);
      if (node.value === "") return unknown(`\`${found.path}\` is empty here: it has to be given from outside`);
      return isBlank(node.value) ? undefined : stated(node, String(node.value));
    },
    (shipped) =>
      shipped.value === null ? undefined : known(String(shipped.value), "default", { note: `set in ${shipped.from}` }),
  );
}

/** How many items a list has (a scalar counts as one); `of` may count something else in the node. */
export function count(
  paths: string | readonly string[],
  of: (node: TreeNode, config: Config) => number | undefined = countItems,
  info: KeyInfo = {},
): Read<number> {
  return at(
    paths,
    info,
    (found, config) => {
      const node = found.node;
      if (node.kind === "unknown") return unknown(`\`${found.path}\`: ${node.reason}`);
      const value = of(node, config);
      if (value === undefined)
        return node.kind === "scalar" && isBlank(node.value)
          ? undefined
          : unknown(`\`${found.path}\` cannot be counted`);
      return known(value, "config", {
        span: node.span,
        ...(node.file ? { file: node.file } : {}),
        note: `counted in \`${found.path}\``,
      });
    },
    (shipped) =>
      Array.isArray(shipped.value)
        ? known(shipped.value.length, "default", { note: `set in ${shipped.from}` })
        : undefined,
  );
}

/** 1 when a text stands at one of the paths: one environment, named there. */
export function one(paths: string | readonly string[], note?: string): Read<number> {
  return (config) => {
    for (const path of list(paths)) {
      const node = config.find(path)?.node;
      if (!node || (node.kind === "scalar" && (isBlank(node.value) || node.value === ""))) continue;
      return known(1, "config", {
        span: node.span,
        ...(node.file ? { file: node.file } : {}),
        note: note ?? `named by \`${path}\``,
      });
    }
    return undefined;
  };
}

/** One environment that nothing states: what a training set with its rewards comes to unless someone says otherwise. */
export function assumedOne(what: string, at?: { readonly span: Span; readonly file?: string }): Fact<number> {
  return known(1, "default", {
    ...(at && !at.file ? { span: at.span } : {}),
    note: `assumed: ${what} as one environment; state \`environments\` in scaling.yaml if it has others`,
  });
}

/** `assumedOne` where one training set stands at the path; several may be several. */
export function oneSet(path: string): Read<number> {
  const files = count(path);
  return (config) => {
    const fact = files(config);
    if (!fact || !isKnown(fact)) return fact;
    return fact.value === 1
      ? assumedOne("one training set", fact.span && { span: fact.span, file: fact.file })
      : undefined;
  };
}

/** `assumedOne` where data stand at one of the paths. */
export function assumedOneAt(paths: string | readonly string[], what: string): Read<number> {
  const stated = one(paths);
  return (config) => {
    const fact = stated(config);
    return fact && isKnown(fact) ? assumedOne(what, fact.span && { span: fact.span, file: fact.file }) : fact;
  };
}

/** The framework's own default. Not for fragments: what includes them may set it. */
export function byDefault<Value extends string | number>(value: Value, from: string): Read<Value> {
  return (config) =>
    config.fragment ? unknown(config.whyNoDefault) : known(value, "default", { note: `default in ${from}` });
}

/** A value that follows from others, with how. */
export function constant<Value extends string | number>(value: Value, note: string): Read<Value> {
  return () => known(value, "derived", { note });
}

export function because(reason: string): Read<never> {
  return () => unknown(reason);
}

/** The first that states something, known or unknown. */
export function first<Value>(...reads: readonly Read<Value>[]): Read<Value> {
  return (config) => {
    for (const read of reads) {
      const fact = read(config);
      if (fact !== undefined) return fact;
    }
    return undefined;
  };
}

export function when<Value>(
  holds: (config: Config) => boolean,
  read: Read<Value>,
  otherwise?: Read<Value>,
): Read<Value> {
  return (config) => (holds(config) ? read(config) : otherwise?.(config));
}

export function mapped<In, Out>(
  read: Read<In>,
  change: (value: In, config: Config) => Out | undefined,
  note?: string,
): Read<Out> {
  return (config) => {
    const fact = read(config);
    if (fact === undefined || !isKnown(fact)) return fact;
    const value = change(fact.value, config);
    if (value === undefined) return undefined;
    return note ? { ...fact, value, note: fact.note ? `${note}; ${fact.note}` : note } : { ...fact, value };
  };
}

/** A product of values, known when all are; undefined when the first is not stated at all. */
export function times(...reads: readonly Read<number>[]): Read<number> {
  return combined(reads, (values) => values.reduce((a, b) => a * b, 1), " × ");
}

export function plus(...reads: readonly Read<number>[]): Read<number> {
  return combined(reads, (values) => values.reduce((a, b) => a + b, 0), " + ");
}

/** A quotient that must come out whole, else it is unknown with the two numbers. */
export function over(top: Read<number>, bottom: Read<number>): Read<number> {
  return (config) => {
    const fact = combined([top, bottom], ([a, b]) => a / b, " / ")(config);
    if (!fact || !isKnown(fact) || Number.isInteger(fact.value)) return fact;
    return unknown(`does not come out whole: ${fact.note ?? fact.value}`);
  };
}

/** Combines numbers. One source → its span; else `derived`, with the arithmetic in the note. */
export function combined(
  reads: readonly Read<number>[],
  join: (values: readonly number[]) => number,
  sign: string,
): Read<number> {
  return (config) => {
    const facts: Extract<Fact<number>, { value: number }>[] = [];
    for (const read of reads) {
      const fact = read(config);
      if (fact === undefined) return undefined;
      if (!isKnown(fact)) return fact;
      facts.push(fact);
    }
    const value = join(facts.map((fact) => fact.value));
    if (!Number.isFinite(value)) return unknown("cannot be computed from the values given");
    const stated = facts.filter((fact) => fact.source === "config" && fact.span);
    const place =
      stated.length > 0 ? { span: stated[0].span, ...(stated[0].file ? { file: stated[0].file } : {}) } : {};
    const source = facts.every((fact) => fact.source === "default")
      ? "default"
      : stated.length === 1
        ? "config"
        : "derived";
    const notes = facts.map((fact) =>
      fact.source === "default" && fact.note ? `${fact.value} (${fact.note})` : String(fact.value),
    );
    return known(value, source, { ...place, note: notes.join(sign) });
  };
}

function at<Value>(
  paths: string | readonly string[],
  info: KeyInfo,
  read: (found: Found, config: Config) => Fact<Value> | undefined,
  ship: (shipped: Shipped) => Fact<Value> | undefined,
): Read<Value> {
  return (config) => {
    for (const path of list(paths)) {
      const found = config.find(path, info);
      if (found) {
        const fact = read(found, config);
        if (fact !== undefined) return fact;
        continue;
      }
      const shipped = config.shipped[path];
      const fact = shipped === undefined ? undefined : ship(shipped);
      if (fact !== undefined) return fact;
    }
    return undefined;
  };
}

function stated<Value extends string | number>(node: ScalarNode, value: Value): Fact<Value> {
  return known(value, "config", {
    span: node.span,
    ...(node.file ? { file: node.file } : {}),
    ...(node.via ? { note: node.via } : {}),
  });
}

function countItems(node: TreeNode): number | undefined {
  if (node.kind === "list") return node.items.length;
  return node.kind === "scalar" && !isBlank(node.value) && node.value !== "" ? 1 : undefined;
}

function list(paths: string | readonly string[]): readonly string[] {
  return typeof paths === "string" ? [paths] : paths;
}

function isBlank(value: string | number | boolean | null): boolean {
  return value === null || (typeof value === "string" && /^(null|none|~)$/i.test(value.trim()));
}

/** A number from a scalar, also when it is quoted or written `1_024` or `1e3`. */
export function toNumber(value: string | number | boolean | null): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || !/^[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value.trim())) return undefined;
  const parsed = Number(value.trim().replaceAll("_", ""));
  return Number.isFinite(parsed) ? parsed : undefined;
}
