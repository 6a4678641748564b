// Reviews the configs of a pull request: one comment, edited on every push, and the same in the job's summary. Node alone: nothing is
// downloaded. The token comes from the environment (GITHUB_TOKEN) and goes to the API of GitHub alone.
import { execFile } from "node:child_process";
import { appendFile, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** How the comment is found again. */
const MARK = "<!-- scaling-lens-review -->";
/** GitHub takes 65,536 characters. */
const LONGEST = 60_000;

const { env } = process;
const here = dirname(fileURLToPath(import.meta.url));
const exists = (path) => stat(path).then(Boolean, () => false);

/** The command line: named, installed in the project, or built beside this action. */
async function cli() {
  const places = [
    env.SCALING_LENS_CLI,
    join(process.cwd(), "node_modules/scaling-lens/dist/cli.js"),
    join(here, "../dist/cli.js"),
  ];
  for (const place of places) if (place && (await exists(place))) return place;
  throw new Error("scaling-lens is not here: add it to the project with npm, or use a release of this action.");
}

/** `configs/**\/*.yaml` as a pattern over paths. */
function patternOf(glob) {
  const text = glob
    .replace(/[.+^$()|[\]\\]/g, "\\$&")
    .replace(/\{([^}]*)\}/g, (_, words) => `(${words.replace(/,/g, "|")})`);
  return new RegExp(
    `^${text.replace(/\*\*\/|\*\*|\*|\?/g, (one) => ({ "**/": "(.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[one])}$`,
  );
}

async function filesOf(patterns) {
  const found = new Set();
  let all;
  for (const pattern of patterns.split(/\s+/).filter(Boolean)) {
    if (!/[*?{]/.test(pattern)) found.add(pattern);
    else {
      all ??= (await readdir(".", { recursive: true }))
        .map((path) => path.replaceAll("\\", "/"))
        .filter((path) => !/(^|\/)(node_modules|\.git)\//.test(path));
      const matching = patternOf(pattern.replace(/^\.\//, ""));
      for (const path of all) if (matching.test(path)) found.add(path);
    }
  }
  return [...found].sort();
}

/** Runs the command line; findings (exit 1) are no failure here. */
async function check(program, args) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, "check", ...args], { maxBuffer: 64e6 });
    return { code: 0, out: stdout };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    process.stderr.write(error.stderr ?? "");
    return { code: error.code, out: error.stdout ?? "" };
  }
}

/** One request to the API of GitHub. */
async function api(method, path, body) {
  const base = env.GITHUB_API_URL ?? "https://api.github.com";
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      "x-github-api-version": "2022-11-28",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`GitHub answers ${answer.status} to ${method} ${path}.`);
  return answer.json();
}

/** Edits our comment, or writes the first one. */
async function comment(repository, number, text) {
  const body = `${MARK}\n${text.slice(0, LONGEST)}`;
  const issue = `/repos/${repository}/issues/${number}/comments`;
  for (let page = 1; ; page++) {
    const comments = await api("GET", `${issue}?per_page=100&page=${page}`);
    const ours = comments.find((one) => one.body?.startsWith(MARK));
    if (ours) {
      if (ours.body !== body) await api("PATCH", `/repos/${repository}/issues/comments/${ours.id}`, { body });
      return;
    }
    if (comments.length < 100) break;
  }
  await api("POST", issue, { body });
}

const event = env.GITHUB_EVENT_PATH ? JSON.parse(await readFile(env.GITHUB_EVENT_PATH, "utf8")) : {};
const pull = event.pull_request;
const files = await filesOf(env.INPUT_FILES ?? "");
if (files.length === 0) {
  console.log("No config matches: nothing to review.");
  process.exit(0);
}
const base = env.INPUT_BASE || pull?.base?.sha;
const program = await cli();
const common = [...files, "--max-regret", env.INPUT_MAX_REGRET || "5"];
const report = await check(program, [...common, "--format", "markdown", ...(base ? ["--base", base] : [])]);
if (report.code === 2 && report.out === "") throw new Error("The configs could not be checked; see above.");
const notes = await check(program, [...common, "--format", "github"]);
process.stdout.write(notes.out);
if (env.GITHUB_STEP_SUMMARY) await appendFile(env.GITHUB_STEP_SUMMARY, `${report.out}\n`);
else console.log(report.out);
if (env.INPUT_COMMENT !== "false" && pull) {
  if (!env.GITHUB_TOKEN) console.log("No comment: GITHUB_TOKEN is not in the environment.");
  else await comment(env.GITHUB_REPOSITORY, pull.number, report.out);
}
process.exitCode = env.INPUT_FAIL === "true" ? report.code : 0;
