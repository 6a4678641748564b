// Sizes of the bundles that are shipped, minified.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/setup.mjs";

const CAPS = [
  ["extension and its language client", ["dist/extension.js", "dist/client.js"], 600 * 1000, "KB"],
  ["server and command line", ["dist/engine.js"], 1.5 * 1000 * 1000, "KB"],
  ["renderer bundle", ["dist/renderer.js"], 450 * 1024, "KiB"],
];

export default async function () {
  return CAPS.map(([name, files, cap, unit]) => {
    const divisor = unit === "KiB" ? 1024 : 1000;
    const paths = files.map((file) => join(root, file));
    const value = paths.every((path) => existsSync(path))
      ? paths.reduce((sum, path) => sum + statSync(path).size, 0) / divisor
      : Number.NaN;
    return { name, value, unit, limit: { max: cap / divisor } };
  });
}
