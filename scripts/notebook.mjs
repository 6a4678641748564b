// Runs the fit cells of a notebook without an editor and writes their outputs into it:
//   node scripts/notebook.mjs samples/appworld/fits.ipynb [--vega-lite]
import { build } from "esbuild";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");

/** The engine as a module. It is bundled into `dist/`, beside the files that it reads when it runs. */
async function engine() {
  if (!existsSync(join(root, "dist/png.js")))
    throw new Error("dist/ has no picture bundle: run `npm run build` first.");
  const folder = mkdtempSync(join(root, "dist/notebook-"));
  const outfile = join(folder, "engine.cjs");
  await build({
    stdin: {
      contents: `
        export { createNodeHost, toUri } from "./server/node/host";
        export { nodePictures } from "./server/node/pictures";
        export { inPlaceRunner } from "./server/operations/runner";
        export { runJob } from "./server/operations/runJob";
        export { findScaling } from "./server/operations/scaling"; export { loadFit } from "./server/operations/fits";
        export { notebookText, queryMemory, runNotebook, runQuery } from "./server/cells";
        export { QUERY_LANGUAGE } from "./server/detect";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    outfile,
    mainFields: ["module", "main"],
    logLevel: "error",
  });
  try {
    return (await import(pathToFileURL(outfile).href)).default;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs every fit cell of a notebook file in place; the notebook object is returned and, unless `write` is false, saved. */
export async function runNotebookFile(path, { vegaLite = false, write = true, log = () => {} } = {}) {
  const core = await engine();
  const host = core.createNodeHost();
  const jobs = core.inPlaceRunner(host, core.runJob);
  const file = resolve(path);
  const uri = core.toUri(file);
  const baseUri = uri.slice(0, uri.lastIndexOf("/"));
  const { folderUri, scaling } = await core.findScaling(host, uri, null);
  const memory = core.queryMemory();
  const notebook = JSON.parse(readFileSync(file, "utf8"));
  let fit;
  const context = {
    host,
    jobs,
    baseUri,
    folderUri,
    scaling,
    memory,
    vegaLite,
    pictures: core.nodePictures(join(root, "dist"), log),
    defaultFit: () => (fit ??= core.loadFit({ host, jobs, folderUri, scaling })),
    onProgress: () => {},
  };
  const result = await core.runNotebook(notebook, core.QUERY_LANGUAGE, (text, above) =>
    core.runQuery(text, above, context),
  );
  if (write) writeFileSync(file, core.notebookText(notebook));
  return { notebook, ...result };
}

if (process.argv[1] && resolve(process.argv[1]) === join(root, "scripts/notebook.mjs")) {
  const [path] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  if (!path) {
    console.error("usage: node scripts/notebook.mjs FILE.ipynb [--vega-lite]");
    process.exit(2);
  }
  const { ran, error, notebook } = await runNotebookFile(path, {
    vegaLite: process.argv.includes("--vega-lite"),
    log: (message) => console.error(message),
  });
  const largest = Math.max(
    ...notebook.cells.flatMap((cell) => (cell.outputs ?? []).map((output) => JSON.stringify(output, null, 1).length)),
  );
  console.log(`${ran} cells run, largest output ${Math.round(largest / 1024)} KiB`);
  if (error) {
    console.error(error);
    process.exit(1);
  }
  process.exit(0);
}
