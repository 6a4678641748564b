// The native part of the platform packages: DuckDB, as the lock file names it, for the machine that the package is for.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { root } from "./setup.mjs";

/** VS Code's platforms, and what DuckDB calls each; null where DuckDB has no binding. */
const PLATFORMS = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "linux-armhf": null,
  "alpine-x64": "linux-x64-musl",
  "alpine-arm64": "linux-arm64-musl",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "win32-x64",
  "win32-arm64": "win32-arm64",
  web: null,
};

export const NATIVE_TARGETS = Object.keys(PLATFORMS).filter((target) => PLATFORMS[target]);

/** The platform of VS Code that this machine is. */
export function hostTarget() {
  const isMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  return `${isMusl ? "alpine" : process.platform}-${process.arch === "arm" ? "armhf" : process.arch}`;
}

/** What of a package is needed to run it. */
const RUNS = /(^|\/)(package\.json|LICENSE(\.\w+)?|[^/]+\.(js|node|dll|dylib|so(\.[\d.]+)?))$/;

/**
 * The packages of a target's accelerator, the one with the native code last.
 * @throws with a message for people where there is none
 */
export function nativePackages(target) {
  if (!Object.hasOwn(PLATFORMS, target))
    throw new Error(
      `${target} is no platform of VS Code. There are packages for ${NATIVE_TARGETS.join(", ")}; for any other machine, the universal one (npm run package).`,
    );
  const platform = PLATFORMS[target];
  if (!platform)
    throw new Error(
      `DuckDB has no binding for ${target}: the universal package (npm run package) serves it, without the accelerator. There are packages for ${NATIVE_TARGETS.join(", ")}.`,
    );
  return ["@duckdb/node-bindings", "detect-libc", `@duckdb/node-bindings-${platform}`];
}

/** Puts the accelerator for a target into `folder`, a node_modules; bytes come from this checkout's node_modules or, for another machine, from the registry, checked against the lock file. */
export function addNative(target, folder) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const name of nativePackages(target)) {
    const locked = packages[`node_modules/${name}`];
    if (!locked)
      throw new Error(`package-lock.json does not name ${name}, so no package for ${target} can be made from it.`);
    const installed = join(root, "node_modules", name);
    if (versionIn(installed) === locked.version) copyRunnable(installed, join(folder, name));
    else fetchPackage(name, locked, target, (unpacked) => copyRunnable(unpacked, join(folder, name)));
  }
}

function versionIn(folder) {
  const manifest = join(folder, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined;
}

function copyRunnable(from, to) {
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath ?? file.path, file.name);
    const name = relative(from, path).split(sep).join("/");
    if (!file.isFile() || !RUNS.test(name)) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    cpSync(path, join(to, name));
  }
}

function fetchPackage(name, { version, integrity }, target, use) {
  const work = mkdtempSync(join(tmpdir(), "scaling-lens-native-"));
  try {
    console.log(`Fetching ${name} ${version} for ${target} …`);
    const npm = spawnSync(
      process.platform === "win32" ? "npm.cmd" : "npm",
      ["pack", `${name}@${version}`, "--pack-destination", work, "--loglevel=error"],
      { cwd: work, encoding: "utf8", shell: process.platform === "win32" },
    );
    const file = readdirSync(work).find((entry) => entry.endsWith(".tgz"));
    if (npm.status !== 0 || !file)
      throw new Error(
        `${name} ${version} could not be fetched: a package for ${target} is made where npm reaches a registry, or on a ${target} machine.\n${npm.stderr ?? npm.error}`,
      );
    const [algorithm, expected] = integrity.split("-", 2);
    const found = createHash(algorithm)
      .update(readFileSync(join(work, file)))
      .digest("base64");
    if (found !== integrity.slice(algorithm.length + 1))
      throw new Error(
        `${name} ${version} is not the one that package-lock.json names: ${algorithm} ${found} in place of ${expected}.`,
      );
    const unpacked = join(work, "unpacked");
    mkdirSync(unpacked);
    const tar = spawnSync("tar", ["-xzf", join("..", file), "--strip-components=1"], {
      cwd: unpacked,
      encoding: "utf8",
    });
    if (tar.status !== 0) throw new Error(`${file} could not be unpacked by tar: ${tar.stderr ?? tar.error}`);
    use(unpacked);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
