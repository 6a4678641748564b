/**
 * schemas/*.json and the key tables of docs/files.md from the zod schemas of our files, for generate.mjs. The schemas are
 * TypeScript, so they are bundled in memory first.
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);

async function schemaModule() {
  const result = await build({
    stdin: {
      contents:
        'export { budgetJsonSchema, scalingJsonSchema } from "./server/configs/schema/jsonSchema"; export { BUDGET_KEYS, SCALING_KEYS } from "./server/configs/schema/describe";',
      resolveDir: fileURLToPath(root),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString("base64")}`);
}

export async function currentSchemas() {
  const module = await schemaModule();
  return { "budget.schema.json": module.budgetJsonSchema(), "scaling.schema.json": module.scalingJsonSchema() };
}

export function printed(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The documentation with its tables of keys as the schemas say them. */
export async function currentDocs(text) {
  const { BUDGET_KEYS, SCALING_KEYS } = await schemaModule();
  return filled(filled(text, "budget", BUDGET_KEYS), "scaling", SCALING_KEYS);
}

function filled(text, name, keys) {
  const [open, close] = [`<!-- keys: ${name} -->`, `<!-- end: ${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`docs/files.md has no place for the keys of ${name}`);
  return `${text.slice(0, start + open.length)}\n| key | meaning |\n|---|---|\n${rows(keys, "").join("\n")}\n${text.slice(end)}`;
}

function rows(keys, prefix) {
  return keys.flatMap((key) => {
    const path = `${prefix}${key.key}`;
    const values =
      key.values.length > 0 && key.kind === "value"
        ? ` One of ${key.values.map((value) => `\`${value}\``).join(", ")}.`
        : "";
    // What a list of experiments holds is said above it.
    const inner =
      key.key === "experiments" ? [] : rows(key.children, key.kind === "list-of-maps" ? `${path}[].` : `${path}.`);
    return [`| \`${path}\` | ${key.description.replaceAll("|", "\\|")}${values} |`, ...inner];
  });
}
