// Builds the universal .vsix (no native parts) or, with `--target linux-x64`, one with the native accelerator for that platform.
// The files are gathered in a folder of their own, so that nothing else that lies in the checkout can slip in.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { hasDuckdb } from "./native.mjs";
import { buildBundles, root, run, setup } from "./setup.mjs";
import { addNative, nativePackages } from "./targets.mjs";
import { builtFor, faultsOf, NATIVE_FOLDER, readEntries, sizesOf } from "./vsix.mjs";

function targetOf(args) {
  const at = args.findIndex((argument) => /^--target(=|$)/.test(argument));
  if (at < 0) return undefined;
  const target = args[at].includes("=") ? args[at].slice("--target=".length) : args[at + 1];
  if (!target) throw new Error("--target wants a platform, such as linux-x64.");
  nativePackages(target);
  if (!hasDuckdb)
    throw new Error(
      "The optional package @duckdb/node-api is not installed here, and a platform package is built from it: run npm ci without --omit=optional.",
    );
  return target;
}

/** The files of the package, relative to the root: what package.json lists, and of dist/ what the build makes. */
function listed(manifest, target) {
  const patterns = manifest.files.filter((pattern) => !pattern.startsWith("dist/"));
  const matches = picomatch(patterns);
  const folders = new Set(patterns.filter((pattern) => pattern.includes("/")).map((pattern) => pattern.split("/")[0]));
  const inFolders = [...folders].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        relative(root, join(entry.parentPath ?? entry.path, entry.name))
          .split(sep)
          .join("/"),
      ),
  );
  return [
    "package.json",
    ...builtFor(target),
    ...patterns.filter((pattern) => !pattern.includes("/")),
    ...inFolders.filter((path) => matches(path)),
  ];
}

/** A text that tells where it was built would tell whose machine that was. */
function refusePrivatePaths(stage, files) {
  const words = [root, homedir()].filter((path) => path.length > 5);
  for (const file of files) {
    const text = readFileSync(join(stage, file), "latin1");
    for (const word of words)
      if (text.includes(word)) throw new Error(`${file} names ${word}, a path of this machine.`);
  }
}

/** Notebooks without their pictures, which are for readers that lack the extension: its own charts are drawn from the rows. */
function leavePicturesOut(stage, files) {
  for (const file of files.filter((path) => path.endsWith(".ipynb"))) {
    const notebook = JSON.parse(readFileSync(join(stage, file), "utf8"));
    for (const { data } of notebook.cells.flatMap(({ outputs = [] }) => outputs)) if (data) delete data["image/png"];
    writeFileSync(join(stage, file), `${JSON.stringify(notebook, null, 1)}\n`);
  }
}

function build(target) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const file = join(root, `${manifest.name}-${manifest.version}${target ? `-${target}` : ""}.vsix`);
  const stage = mkdtempSync(join(tmpdir(), "scaling-lens-package-"));
  try {
    const files = listed(manifest, target);
    for (const path of files) {
      mkdirSync(dirname(join(stage, path)), { recursive: true });
      cpSync(join(root, path), join(stage, path));
    }
    leavePicturesOut(stage, files);
    refusePrivatePaths(stage, files);
    if (target) {
      addNative(target, join(stage, NATIVE_FOLDER));
      writeFileSync(
        join(stage, "package.json"),
        JSON.stringify({ ...manifest, files: [...manifest.files, `${NATIVE_FOLDER}**`] }, null, 2),
      );
    }
    const args = [
      "package",
      "--no-dependencies",
      "--allow-missing-repository",
      "--no-rewrite-relative-links",
      "--out",
      file,
      ...(target ? ["--target", target] : []),
    ];
    run(process.execPath, [join(root, "node_modules", "@vscode", "vsce", "vsce"), ...args], { cwd: stage });
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  const entries = readEntries(file);
  const faults = faultsOf(entries, manifest, target);
  if (faults.length > 0) {
    rmSync(file);
    throw new Error(`The package is not fit to be published:\n- ${faults.join("\n- ")}`);
  }
  const { native } = sizesOf(entries);
  const total = statSync(file).size;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(
    `${relative(root, file)}: ${megabytes(total)} in ${entries.length} files${native > 0 ? `, of which ${megabytes(native)} are the accelerator` : ""}`,
  );
}

try {
  const target = targetOf(process.argv.slice(2));
  setup();
  buildBundles(["--production"]);
  build(target);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
