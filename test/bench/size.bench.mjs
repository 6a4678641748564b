// Sizes of the bundles that are shipped, minified.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/setup.mjs";

const CAPS = [
  ["extension bundle", "dist/extension.js", 600 * 1000, "KB"],
  ["server and command line", "dist/engine.js", 1.5 * 1000 * 1000, "KB"],
  ["renderer bundle", "dist/renderer.js", 450 * 1024, "KiB"],
];

export default async function () {
  return CAPS.map(([name, file, cap, unit]) => {
    const divisor = unit === "KiB" ? 1024 : 1000;
    const path = join(root, file);
    if (!existsSync(path)) return { name, value: Number.NaN, unit, limit: { max: cap / divisor } };
    return { name, value: statSync(path).size / divisor, unit, limit: { max: cap / divisor } };
  });
}
