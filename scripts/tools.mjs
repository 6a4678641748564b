// The operations as package.json contributes them to VS Code's language models.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));

export async function languageModelTools() {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { OPERATIONS } from "./server/operations"; export { z } from "zod";',
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    mainFields: ["module", "main"],
    logLevel: "silent",
    packages: "bundle",
  });
  const module = { exports: {} };
  const { createRequire } = await import("node:module");
  new Function("module", "exports", "require", "__dirname", Buffer.from(outputFiles[0].contents).toString())(
    module,
    module.exports,
    createRequire(import.meta.url),
    root,
  );
  const { OPERATIONS, z } = module.exports;
  return OPERATIONS.map(({ name, summary, input, writes }) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
    const sentence = `${summary[0].toUpperCase()}${summary.slice(1)}`;
    return {
      name: `scaling_lens_${name}`,
      toolReferenceName: `scalingLens${name[0].toUpperCase()}${name.slice(1)}`,
      displayName: `Scaling Lens: ${name}`,
      modelDescription: `Scaling Lens (budgets of reinforcement-learning runs of language-model agents): ${sentence}. Paths are relative to the workspace folder. Figures carry 95 % intervals; null with a reason means unknown, which is not approval.`,
      userDescription: `${sentence}.`,
      canBeReferencedInPrompt: true,
      tags: ["scaling-lens", ...(writes ? ["writes"] : [])],
      inputSchema,
    };
  });
}

/** package.json with the tools of today; the rest stays as it is written. */
export async function withTools(text) {
  const manifest = JSON.parse(text);
  manifest.contributes.languageModelTools = await languageModelTools();
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
