// Runs a study by its name: `npm run studies -- forecast`. A study measures a claim of the documentation, prints its figures
// and writes its page; it exits with 1 where a figure does not hold. Without a name, all are listed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "..");
const studies = join(root, "test", "studies");
const [name, ...rest] = process.argv.slice(2);
const names = readdirSync(studies, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(studies, entry.name, "study.ts")))
  .map((entry) => entry.name);
if (!names.includes(name)) {
  console.log(`npm run studies -- NAME, where NAME is one of ${names.join(", ")}`);
  process.exit(name === undefined ? 0 : 2);
}
const folder = join(root, "node_modules", ".cache", "studies");
mkdirSync(folder, { recursive: true });
const outfile = join(folder, `${name}.cjs`);
buildSync({
  entryPoints: [join(studies, name, "study.ts")],
  bundle: true,
  platform: "node",
  target: "node20",
  outfile,
  logLevel: "warning",
  external: ["pg-native"],
  define: { __dirname: JSON.stringify(join(root, "test")) },
});
process.exit(spawnSync(process.execPath, [outfile, ...rest], { stdio: "inherit", cwd: root }).status ?? 1);
