/** The cost model and the readers of our own files, bundled in memory: the same code as the product's. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url);

export async function costModule() {
  const folder = mkdtempSync(join(tmpdir(), "cost-model-"));
  const file = join(folder, "model.cjs");
  await build({
    stdin: {
      contents: `
        export { stepSeconds, meanResponse, COEFFICIENT_NAMES } from "./server/core/cost/phases";
        export { runCost, evaluationCount } from "./server/core/cost/runCost";
        export { likeness, teamIntercept } from "./server/core/cost/team";
        export { runClass } from "./server/core/cost/shape";
        export { runShape } from "./server/assessment/runShape";
        export { readNativeBudget } from "./server/configs/native/budget";
        export { readScalingFile } from "./server/configs/scaling/scalingFile";
        export { parseYaml } from "./server/syntax/yaml/yaml";`,
      resolveDir: fileURLToPath(root),
      loader: "ts",
    },
    bundle: true,
    outfile: file,
    format: "cjs",
    platform: "node",
    mainFields: ["module", "main"],
  });
  const module = createRequire(import.meta.url)(file);
  rmSync(folder, { recursive: true });
  return module;
}

/** The shape of a run from the two files that describe it. */
export function shapeOf(module, { budget, scaling }) {
  const read = module.readNativeBudget(module.parseYaml(budget, { dialect: "1.2" }), "row");
  const errors = read.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(`${errors[0].message}\n${budget}`);
  const file = scaling === "" ? null : module.readScalingFile("file:///scaling.yaml", scaling);
  return module.runShape(read.experiments[0], file);
}
