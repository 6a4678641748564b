// How well public configs are read: `node test/configs/score.mjs FOLDER [TRUTH.json] [--list] [--json] [--write]`.
// FOLDER holds the files as OWNER+NAME/path/in/repository. The truth is read from ../shared/data by default.
// A field is right when it equals the truth or one of its accepted readings; `unknown` is right where the truth is null.
// `--cli` asks the built command line (`node dist/cli.js inspect FILE --json`) instead of the engine's source.
// `--alone` hides every other file, so that nothing can be followed. `--write` puts the table into docs/frameworks.md.
// test/configs/public.truth.json holds what we read by hand ourselves of frameworks that came later, in the same form.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { engine } from "./engine.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const [folder, truthPath = join(root, "../shared/data/configs.truth.json")] = args.filter(
  (arg) => !arg.startsWith("--"),
);
if (!folder || !existsSync(folder) || !existsSync(truthPath)) {
  console.error(
    `Give a folder with the files (OWNER+NAME/path) and the truth: ${!folder || !existsSync(folder) ? "no folder" : `${truthPath} is not there`}.`,
  );
  process.exit(2);
}

export const FIELDS = [
  "model",
  "parameters_b",
  "active_b",
  "prompts_per_step",
  "group_size",
  "steps",
  "epochs",
  "max_prompt_tokens",
  "max_response_tokens",
  "max_turns",
  "gpus",
  "algorithm",
  "environments",
  "tasks_known",
];

/** What an experiment says, in the truth's terms. */
export function answers(experiment) {
  const value = (fact) => fact?.value ?? null;
  const billions = (fact) => (value(fact) === null ? null : value(fact) / 1e9);
  return {
    model: value(experiment.model.name),
    parameters_b: billions(experiment.model.parameters),
    active_b: billions(experiment.model.activeParameters),
    prompts_per_step: value(experiment.promptsPerStep),
    group_size: value(experiment.groupSize),
    steps: value(experiment.steps),
    epochs: value(experiment.epochs),
    max_prompt_tokens: value(experiment.maxPromptTokens),
    max_response_tokens: value(experiment.maxResponseTokens),
    max_turns: value(experiment.maxTurns),
    gpus: value(experiment.gpus),
    algorithm: value(experiment.algorithm),
    environments: value(experiment.axes.environments),
    tasks_known: value(experiment.axes.tasks),
  };
}

const same = (a, b) =>
  a === b ||
  (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)));

/** right, unknown (a known value was missed) or wrong. */
export function judge(given, truth, accept = []) {
  if (same(given, truth) || accept.some((other) => same(given, other))) return "right";
  return given === null ? "unknown" : "wrong";
}

const { readConfig, grammars } = await engine();
const truth = JSON.parse(readFileSync(truthPath, "utf8"));
const rows = [];
let missing = 0;
for (const entry of truth) {
  const base = resolve(folder, entry.repo.replace("/", "+"));
  const file = join(base, entry.path);
  if (!existsSync(file)) {
    missing++;
    continue;
  }
  const read = async (uri) => {
    const path = fileURLToPath(uri);
    return !flags.has("--alone") && path.startsWith(base) && existsSync(path) && statSync(path).isFile()
      ? readFileSync(path, "utf8")
      : undefined;
  };
  const document = flags.has("--cli")
    ? JSON.parse(
        spawnSync(process.execPath, [join(root, "dist/cli.js"), "inspect", file, "--json"], {
          encoding: "utf8",
          maxBuffer: 1 << 26,
        }).stdout || '{"framework":null,"experiments":[]}',
      )
    : await readConfig({ uri: pathToFileURL(file).href, text: readFileSync(file, "utf8"), readText: read, grammars });
  const experiment = document.experiments[0];
  const given = experiment ? answers(experiment) : Object.fromEntries(FIELDS.map((field) => [field, null]));
  for (const field of FIELDS) {
    const verdict = judge(given[field], entry[field], entry.accept[field] ?? []);
    rows.push({
      framework: entry.framework,
      found: document.framework,
      file: `${entry.repo}/${entry.path}`,
      field,
      given: given[field],
      truth: entry[field],
      verdict,
      known: entry[field] !== null,
    });
  }
}

const tally = (list) => {
  const known = list.filter((row) => row.known);
  return {
    known: known.length,
    right: known.filter((row) => row.verdict === "right").length,
    wrong: list.filter((row) => row.verdict === "wrong").length,
    missed: known.filter((row) => row.verdict === "unknown").length,
  };
};
const line = (name, list) => {
  const { known, right, wrong, missed } = tally(list);
  return `| ${name} | ${new Set(list.map((row) => row.file)).size} | ${right} / ${known} | ${known === 0 ? "–" : `${((100 * right) / known).toFixed(1)} %`} | ${missed} | ${wrong} |`;
};
const group = (key) => [...new Set(rows.map((row) => row[key]))];
const table = (title, key) =>
  [
    `| ${title} | files | known fields right | share | left unknown | wrong |`,
    "|---|---|---|---|---|---|",
    ...group(key).map((name) =>
      line(
        name,
        rows.filter((row) => row[key] === name),
      ),
    ),
    line("**all**", rows),
  ].join("\n");
const report = `${table("framework", "framework")}\n\n${table("field", "field")}`;

if (flags.has("--json")) console.log(JSON.stringify(rows, null, 1));
else {
  console.log(report);
  if (missing > 0) console.log(`\n${missing} of ${truth.length} files are not in the folder.`);
  for (const row of rows)
    if (row.verdict === "wrong" || (flags.has("--list") && row.verdict === "unknown"))
      console.log(
        `${row.verdict.toUpperCase()} ${row.file} [${row.found}] ${row.field}: ${JSON.stringify(row.given)}, should be ${JSON.stringify(row.truth)}`,
      );
}
if (flags.has("--write")) {
  const path = join(root, "docs/frameworks.md");
  const text = readFileSync(path, "utf8");
  const name = truthPath.endsWith("public.truth.json") ? "score-later" : "score";
  const place = new RegExp(`(<!-- ${name}:start -->)[^]*?(<!-- ${name}:end -->)`);
  writeFileSync(
    path,
    text.replace(place, (_, start, end) => `${start}\n${report}\n${end}`),
  );
}
process.exitCode = rows.some((row) => row.verdict === "wrong") ? 1 : 0;
