import * as z from "zod/mini";
import { budgetSchema, scalingSchema } from "./schema";

/** What a key of one of our files means: for hovers and completion, taken from the schema. */
export interface KeyDoc {
  readonly key: string;
  /** Markdown. */
  readonly description: string;
  readonly kind: "value" | "map" | "list" | "list-of-maps";
  /** The values it may have, where they are few. */
  readonly values: readonly string[];
  readonly children: readonly KeyDoc[];
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly element?: z.ZodMiniType;
  readonly options?: readonly z.ZodMiniType[];
  readonly entries?: Readonly<Record<string, string | number>>;
}

function definitionOf(schema: z.ZodMiniType): Definition {
  return schema._zod.def as unknown as Definition;
}

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  const inner = definitionOf(schema).type === "optional" ? definitionOf(schema).innerType : undefined;
  return inner === undefined ? schema : unwrapped(inner);
}

/** The keys of a map schema, in order. */
export function keysOf(schema: z.ZodMiniType): readonly KeyDoc[] {
  const { shape } = definitionOf(unwrapped(schema));
  if (shape === undefined) return [];
  return Object.entries(shape)
    .filter(([key]) => key !== "$schema")
    .map(([key, value]) => keyDoc(key, unwrapped(value)));
}

function keyDoc(key: string, schema: z.ZodMiniType): KeyDoc {
  const definition = definitionOf(schema);
  const description = z.globalRegistry.get(schema)?.description ?? "";
  switch (definition.type) {
    case "object":
      return { key, description, kind: "map", values: [], children: keysOf(schema) };
    case "record":
      return { key, description, kind: "map", values: [], children: [] };
    case "array": {
      const element = unwrapped(definition.element as z.ZodMiniType);
      const children = keysOf(element);
      return {
        key,
        description,
        kind: children.length > 0 ? "list-of-maps" : "list",
        values: Object.keys(definitionOf(element).entries ?? {}),
        children,
      };
    }
    case "enum":
      return {
        key,
        description,
        kind: "value",
        values: Object.values(definition.entries ?? {}).map(String),
        children: [],
      };
    default:
      return { key, description, kind: "value", values: [], children: [] };
  }
}

export const BUDGET_KEYS: readonly KeyDoc[] = keysOf(budgetSchema);
export const SCALING_KEYS: readonly KeyDoc[] = keysOf(scalingSchema);

/** The doc of a key by its path (`budget.tasks`, `prices.synthetic.task`); list positions are left out. */
export function docAt(keys: readonly KeyDoc[], path: readonly string[]): KeyDoc | undefined {
  let level = keys;
  let found: KeyDoc | undefined;
  for (const step of path) {
    found = level.find((doc) => doc.key === step);
    if (found === undefined) return undefined;
    level = found.children;
  }
  return found;
}

/** Description of every key by dotted path, for hovers: `fieldDocs("budget")["budget.tasks"]`. */
export function fieldDocs(file: "budget" | "scaling"): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  const visit = (docs: readonly KeyDoc[], prefix: string): void => {
    for (const doc of docs) {
      result[prefix + doc.key] = doc.description;
      visit(doc.children, `${prefix}${doc.key}.`);
    }
  };
  visit(file === "budget" ? BUDGET_KEYS : SCALING_KEYS, "");
  return result;
}
