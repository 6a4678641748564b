// Which files of a folder are taken for trainings: `node test/configs/scan.mjs FOLDER [--limit=800]`. For a folder of public files that are none,
// each line is a false alarm (exit 1); `--list=FILE` reads the files that it names (public.none.txt) and no others. YAML, TOML, JSON, shell, Python, notebooks and Makefiles are read, in the order of a hash of their paths.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { engine } from "./engine.mjs";

const READ = /(\.(ya?ml|toml|jsonc?|sh|bash|sbatch|py|ipynb|mk)|(^|\/)Makefile)$/;
const [folder] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const limit = Number(/--limit=(\d+)/.exec(process.argv.join(" "))?.[1] ?? 800);
if (!folder) {
  console.error("Give a folder of files that are no trainings.");
  process.exit(2);
}

function* filesUnder(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* filesUnder(inner);
    else if (entry.isFile() && READ.test(inner) && statSync(inner).size < 1_000_000) yield inner;
  }
}

/** The paths of a list: a repository with its commit, then its files, indented. */
function listed(path) {
  let base = "";
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line === "" || line.startsWith("#")) return [];
      if (line.startsWith("  ")) return [join(resolve(folder), base, line.trim())];
      base = line.split(" ")[0].replace("/", "+");
      return [];
    });
}

const hash = (text) => createHash("sha1").update(text).digest("hex");
const list = /--list=(\S+)/.exec(process.argv.join(" "))?.[1];
const files = list
  ? listed(list).filter((file) => existsSync(file))
  : [...filesUnder(resolve(folder))].sort((a, b) => (hash(a) < hash(b) ? -1 : 1)).slice(0, limit);
const { readConfig, grammars } = await engine();
let alarms = 0;
for (const file of files) {
  const document = await readConfig({
    uri: pathToFileURL(file).href,
    text: readFileSync(file, "utf8"),
    readText: async () => undefined,
    grammars,
  });
  if (document.experiments.length === 0) continue;
  alarms++;
  console.log(`${document.framework}  ${file}`);
}
console.log(`${files.length} files, ${alarms} taken for trainings`);
process.exitCode = alarms > 0 ? 1 : 0;
