import * as z from "zod/mini";
import { budgetSchema, scalingSchema } from "./schema";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema (draft 7) that editors use for `*.budget.yaml` and its twins. */
export function budgetJsonSchema(): JsonSchema {
  return titled(
    "Scaling Lens experiment budget",
    "The budget of an experiment, planned before or beside a training framework's config.",
    budgetSchema,
  );
}

/** The JSON Schema (draft 7) for `scaling.yaml`. */
export function scalingJsonSchema(): JsonSchema {
  const schema = titled(
    "Scaling Lens settings of a folder",
    "Where run logs are, what things cost, and facts that no config states. Every key is optional.",
    scalingSchema,
  );
  const properties = { ...(schema.properties as Record<string, JsonSchema>) };
  const { description, ...list } = properties.facts;
  const { required: _files, properties: keys, ...rule } = list.items as Record<string, unknown>;
  const { files: _globs, ...facts } = keys as Record<string, unknown>;
  const byGlob = {
    type: "object",
    additionalProperties: { anyOf: [{ ...rule, properties: facts }, { type: "null" }] },
  };
  return { ...schema, properties: { ...properties, facts: { description, anyOf: [list, byGlob] } } };
}

function titled(title: string, description: string, schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input", reused: "inline" }) as Record<
    string,
    unknown
  >;
  return { $schema, title, description, ...rest };
}
