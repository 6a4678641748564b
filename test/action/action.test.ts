import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error: the build script has no types.
import { bundles, nodeParts } from "../../esbuild.mjs";

/** The few endpoints of GitHub that the action needs. */
interface Comment {
  readonly id: number;
  body: string;
}
const comments: Comment[] = [{ id: 1, body: "Looks good to me." }];
const calls: string[] = [];
let server: Server;
let folder: string;
let cli: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "scaling-lens-action-"));
  cli = join(folder, "cli.js");
  const parts = bundles as Record<string, { outfile: string }>;
  for (const name of nodeParts)
    await build({ ...parts[name], outfile: join(folder, basename(parts[name].outfile)), logLevel: "silent" });
  server = createServer((request, answer) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      calls.push(method);
      const send = (value: unknown, status = 200) => {
        answer.writeHead(status, { "content-type": "application/json" });
        answer.end(JSON.stringify(value));
      };
      if (request.headers.authorization !== "Bearer secret") return send({}, 401);
      const path = url.split("?")[0];
      const { body } = (text === "" ? {} : JSON.parse(text)) as { body?: string };
      if (method === "GET" && path === "/repos/lab/agents/issues/7/comments") return send(comments);
      if (method === "POST" && path === "/repos/lab/agents/issues/7/comments") {
        comments.push({ id: comments.length + 1, body: body ?? "" });
        return send(comments.at(-1), 201);
      }
      const one = comments.find(({ id }) => path === `/repos/lab/agents/issues/comments/${id}`);
      if (method !== "PATCH" || !one) return send({}, 404);
      one.body = body ?? "";
      return send(one);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
}, 120_000);
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder }).toString();

async function push(tasks: number, base: string): Promise<void> {
  writeFileSync(join(folder, "lab.budget.yaml"), budget(tasks));
  const port = (server.address() as { port: number }).port;
  writeFileSync(join(folder, "event.json"), JSON.stringify({ pull_request: { number: 7, base: { sha: base } } }));
  await promisify(execFile)(process.execPath, [resolve("action/review.mjs")], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SCALING_LENS_CLI: cli,
      GITHUB_TOKEN: "secret",
      GITHUB_API_URL: `http://127.0.0.1:${port}`,
      GITHUB_REPOSITORY: "lab/agents",
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
      INPUT_FILES: "**/*.budget.{yaml,json}",
      INPUT_COMMENT: "true",
    },
  });
}

const budget = (tasks: number): string =>
  `name: lab\nmodel: Qwen3-8B\nbudget:\n  tasks: ${tasks}\n  environments: 24\n  trajectories: 16\ntokens_per_trajectory: 12000\n`;

test("the first push adds one comment, the second edits it, and others' comments stay", async () => {
  git("init", "-q");
  writeFileSync(join(folder, "lab.budget.yaml"), budget(2000));
  git("add", "lab.budget.yaml");
  git("commit", "-qm", "base");
  const base = git("rev-parse", "HEAD").trim();
  await push(1000, base);
  expect(calls).toEqual(["GET", "POST"]);
  expect(comments).toHaveLength(2);
  expect(comments[1].body).toContain("tasks 2k → 1k");
  expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("tasks 2k → 1k");
  await push(500, base);
  expect(calls).toEqual(["GET", "POST", "GET", "PATCH"]);
  expect(comments).toHaveLength(2);
  expect(comments[1].body).toContain("tasks 2k → 500");
  await push(500, base);
  // Nothing is said anew when nothing has changed.
  expect(calls.slice(4)).toEqual(["GET"]);
  expect(comments[0].body).toBe("Looks good to me.");
}, 120_000);
