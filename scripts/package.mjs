// Builds the universal .vsix (no native parts) and, with `--target linux-x64`, one with the native accelerator beside the bundles.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildBundles, root, run, setup } from "./setup.mjs";

const CAP = 4 * 1000 * 1000;
const target = process.argv.includes("--target") ? process.argv[process.argv.indexOf("--target") + 1] : undefined;
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const native = join(root, "dist", "native");

setup();
rmSync(join(root, "dist"), { recursive: true, force: true });
buildBundles(["--production"]);

const args = ["package", "--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"];
const file = `${name}-${version}${target ? `-${target}` : ""}.vsix`;
if (target) {
  const bindings = `node-bindings-${target}`;
  for (const part of ["node-api", "node-bindings", bindings]) {
    const from = join(root, "node_modules", "@duckdb", part);
    if (!existsSync(from)) throw new Error(`@duckdb/${part} is not installed: a package for ${target} is built on ${target}.`);
    mkdirSync(join(native, "node_modules", "@duckdb"), { recursive: true });
    cpSync(from, join(native, "node_modules", "@duckdb", part), { recursive: true });
  }
  args.push("--target", target);
}
run(process.execPath, ["node_modules/@vscode/vsce/vsce", ...args, "--out", file]);
const { size } = statSync(join(root, file));
console.log(`${file}: ${(size / 1e6).toFixed(2)} MB`);
if (!target && size > CAP) throw new Error(`The universal package is larger than ${CAP / 1e6} MB.`);
