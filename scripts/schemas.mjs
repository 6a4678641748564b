/**
 * Writes schemas/*.json and the key tables of docs/files.md from the zod schemas of our files. `--check` only says whether they are current (exit 1 when not).
 * The schemas are TypeScript, so they are bundled in memory first.
 */
import { readFile, writeFile } from "node:fs/promises";
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

async function main() {
  const check = process.argv.includes("--check");
  let stale = 0;
  for (const [name, schema] of Object.entries(await currentSchemas())) {
    const place = new URL(`schemas/${name}`, root);
    const before = await readFile(place, "utf8").catch(() => "");
    if (before === printed(schema)) continue;
    stale++;
    if (check) console.error(`schemas/${name} is not current: run node scripts/schemas.mjs`);
    else await writeFile(place, printed(schema));
  }
  const docs = new URL("docs/files.md", root);
  const before = await readFile(docs, "utf8");
  const after = await currentDocs(before);
  if (before !== after) {
    stale++;
    if (check) console.error("docs/files.md is not current: run node scripts/schemas.mjs");
    else await writeFile(docs, after);
  }
  if (check && stale > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
