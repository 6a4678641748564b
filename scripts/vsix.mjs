// What is in a .vsix, and whether it should be.
import { readFileSync } from "node:fs";
import picomatch from "picomatch";
import { outputs } from "../esbuild.mjs";
import { nativePackages } from "./targets.mjs";

const MB = 1e6;
/** Of everything but the native accelerator, packed. */
export const CAP = 4 * MB;
/** Of the accelerator, packed. */
export const NATIVE_CAP = 40 * MB;

/** Where the server looks for the native part, and the program that loads it: in platform packages only. */
export const NATIVE_FOLDER = "dist/native/node_modules/";
const NATIVE_PROGRAM = "dist/duckdb.js";

/** What of the build belongs into a package. */
export function builtFor(target) {
  return outputs.filter((path) => target || path !== NATIVE_PROGRAM);
}

/** What vsce adds or renames. */
const OWN = [
  "[Content_Types].xml",
  "extension.vsixmanifest",
  "extension/package.json",
  "extension/readme.md",
  "extension/changelog.md",
  "extension/LICENSE.txt",
];

/** Never in a package, whatever a pattern lets in. */
const FORBIDDEN = [
  [/(^|\/)\.(?!\/)/, "a hidden file"],
  [/\.(map|ts|mts|cts|tsx|tsbuildinfo)$/, "a source or a source map"],
  [/\.(vsix|tgz|zip)$/, "an archive"],
  [/\.(pem|key|p12|pfx|crt)$|(^|\/)id_(rsa|ed25519|ecdsa)$|(^|\/)npmrc$/, "a key or a credential"],
  [/(^|\/)(test|tests|coverage|__pycache__)\/|\.pyc$|(~|\.(bak|orig|rej|swp|tmp))$/, "a test or a leftover"],
  [/^(?!dist\/native\/node_modules\/)(.*\/)?node_modules\/|node_modules\/.*node_modules\//, "a dependency"],
];

/** The entries of a zip file: name, size, and size as packed. */
export function entriesOf(bytes) {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error("This is no zip file.");
  const count = bytes.readUInt16LE(end + 10);
  const entries = [];
  for (let i = 0, at = bytes.readUInt32LE(end + 16); i < count; i++) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    if (!name.endsWith("/"))
      entries.push({ name, packed: bytes.readUInt32LE(at + 20), size: bytes.readUInt32LE(at + 24) });
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}

/** Paths that a manifest names. */
function namedPaths(value) {
  if (typeof value === "string")
    return /^\.\/|^(dist|media|snippets|schemas|l10n)\//.test(value) ? [value.replace(/^\.\//, "")] : [];
  return value && typeof value === "object"
    ? Object.entries(value).flatMap(([key, inner]) => (key === "files" || key === "scripts" ? [] : namedPaths(inner)))
    : [];
}

/**
 * What is wrong with a package: a file that nothing allows, one that is never allowed, one that is missing, or too many bytes.
 * @param target a platform of VS Code, or undefined for the universal package
 */
export function faultsOf(entries, manifest, target) {
  const faults = [];
  const packages = target ? nativePackages(target) : [];
  const built = builtFor(target);
  const allowed = picomatch([...manifest.files.filter((pattern) => !pattern.startsWith("dist/")), ...built]);
  const isNative = (path) => packages.some((name) => path.startsWith(`${NATIVE_FOLDER}${name}/`));
  const names = new Set(entries.map(({ name }) => name));
  for (const { name } of entries) {
    if (OWN.includes(name)) continue;
    const path = name.replace(/^extension\//, "");
    if (path === name || (!allowed(path) && !isNative(path))) faults.push(`${name} is not on the list of files`);
    for (const [pattern, what] of FORBIDDEN) if (pattern.test(path)) faults.push(`${name} is ${what}`);
  }
  const needed = [
    ...OWN,
    ...[...built, "package.nls.json"].map((path) => `extension/${path}`),
    ...packages.map((name) => `extension/${NATIVE_FOLDER}${name}/package.json`),
    ...(target ? [`extension/${NATIVE_FOLDER}${packages.at(-1)}/duckdb.node`] : []),
  ];
  for (const name of needed) if (!names.has(name)) faults.push(`${name} is missing`);
  if (
    target &&
    !entries.some(({ name }) => /\/(lib)?duckdb\.(so|dylib|dll)$/.test(name) && name.includes(`/${packages.at(-1)}/`))
  )
    faults.push(`the library of ${packages.at(-1)} is missing`);
  for (const path of namedPaths(manifest)) {
    if (!names.has(`extension/${path}`) && ![...names].some((name) => name.startsWith(`extension/${path}/`)))
      faults.push(`${path}, which package.json names, is missing`);
  }
  const { own, native } = sizesOf(entries);
  if (own > CAP) faults.push(`${(own / MB).toFixed(2)} MB without the accelerator, where ${CAP / MB} MB are the limit`);
  if (native > NATIVE_CAP)
    faults.push(`${(native / MB).toFixed(2)} MB of accelerator, where ${NATIVE_CAP / MB} MB are the limit`);
  return [...new Set(faults)];
}

/** Bytes as packed, of the accelerator and of all else (with the zip's own tables). */
export function sizesOf(entries) {
  const native = entries
    .filter(({ name }) => name.startsWith(`extension/${NATIVE_FOLDER}`))
    .reduce((sum, { packed }) => sum + packed, 0);
  const own = entries.reduce((sum, { name, packed }) => sum + packed + 2 * name.length + 76 + 16, 0) - native;
  return { own, native };
}

export function readEntries(file) {
  return entriesOf(readFileSync(file));
}
