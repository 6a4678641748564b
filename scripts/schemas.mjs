/**
 * Writes schemas/*.json from the zod schemas of our files. `--check` only says whether they are current (exit 1 when not).
 * The schemas are TypeScript, so they are bundled in memory first.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);

export async function currentSchemas() {
  const result = await build({
    stdin: { contents: 'export { budgetJsonSchema, scalingJsonSchema } from "./server/configs/native/jsonSchema";', resolveDir: fileURLToPath(root), loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString("base64")}`);
  return { "budget.schema.json": module.budgetJsonSchema(), "scaling.schema.json": module.scalingJsonSchema() };
}

export function printed(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`;
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
  if (check && stale > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
