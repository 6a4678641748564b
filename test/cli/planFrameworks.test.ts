/** Plans of 22 frameworks' configs: what is written, read again, is what was planned, and `check` takes it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli as inProcess, folderWith, type Run } from "./harness";

const CONFIGS = [
  "agent-lightning/cluster.py",
  "agentgym-rl/growing-rounds.sh",
  "areal/whole.yaml",
  "art/loop.py",
  "axolotl/gym.yaml",
  "easyr1/dapo.sh",
  "ms-swift/sudoku.sh",
  "nemo-rl/gym.yaml",
  "oat/puzzles.sh",
  "open-instruct/sandbox.sh",
  "openrlhf/agent.sh",
  "prime-rl/mixture.toml",
  "ragen/two-worlds.yaml",
  "rllm/on-verl.sh",
  "roll/rlvr.yaml",
  "skyrl/agent-run.sh",
  "slime/search.sh",
  "tinker/search.py",
  "torchforge/grpo.yaml",
  "trl/recipe.yaml",
  "verl/tool-use.sh",
  "verl-agent/household.sh",
];
/** Four rows of each take minutes, and scripts are read by the built command line: the suite takes one YAML and one TOML file. */
const ALL = process.env.SCALING_LENS_FRAMEWORKS === "all";
const TAKEN = ALL ? CONFIGS : ["areal/whole.yaml", "prime-rl/mixture.toml"];
const ROWS = ALL ? 4 : 1;

const built = (cwd: string, ...args: string[]) =>
  new Promise<Run>((done) => {
    execFile(process.execPath, [resolve("dist/cli.js"), ...args], { cwd }, (error, out, err) =>
      done({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
    );
  });
const cli = ALL ? built : inProcess;

const SCALING = (tasks: number | null) => `fit: runs.fit.json
hardware: { gpu: H100, count: 16, price: 2.5 USD/h }
prices: { environment: 4 USD, task: 0.05 USD }
facts:
  - files: "*"
    environments: 8
    tokens_per_trajectory: 4000
${tasks === null ? "" : `    tasks: ${tasks}\n`}`;

/** Runs that never varied environments and rollouts: the plan is two levels of each, whatever the budget. */
const RUNS = [
  "name,tasks,environments,trajectories,success_rate,trials",
  ...[300, 900, 3000, 9000].flatMap((tasks) =>
    [1, 2].map(
      (seed) =>
        `t${tasks}-${seed},${tasks},8,16,${(0.8 - 0.5 * (tasks / 400) ** -0.25 + 0.02 * (seed - 1.5)).toFixed(3)},400`,
    ),
  ),
].join("\n");

let saved = "";
beforeAll(async () => {
  const { folder, remove } = folderWith({ "runs.csv": RUNS });
  await cli(folder, "fit", "runs.csv", "--law", "multiplicative", "--bootstrap", "60", "--out", "runs.fit.json");
  saved = readFileSync(join(folder, "runs.fit.json"), "utf8");
  remove();
});

interface Read {
  readonly experiments: readonly { readonly axes: Readonly<Record<string, { readonly value: number | null }>> }[];
}
/** Levels of configs, read at once. */
async function levelsOf(folder: string, ...configs: string[]): Promise<Record<string, number | null>[]> {
  const { out } = await cli(folder, "inspect", ...configs, "--json");
  const read = JSON.parse(out) as Read | Read[];
  return (Array.isArray(read) ? read : [read]).map(({ experiments: [{ axes }] }) =>
    Object.fromEntries(Object.entries(axes).map(([axis, { value }]) => [axis, value])),
  );
}

describe("a plan ends in configs of every framework", () => {
  it.each(TAKEN)("%s", async (path) => {
    const name = basename(path);
    const text = readFileSync(join("test/fixtures/configs", path), "utf8");
    const files = { [name]: text, "runs.fit.json": saved };
    const first = folderWith({ ...files, "scaling.yaml": SCALING(null) });
    const [{ tasks }] = await levelsOf(first.folder, name);
    first.remove();
    const { folder, remove } = folderWith({ ...files, "scaling.yaml": SCALING(tasks === null ? 1000 : null) });
    try {
      const plan = await cli(folder, "plan", name, "--runs", String(ROWS), "--write", "next", "--json");
      expect(plan.code, plan.err).toBe(0);
      const { runs } = JSON.parse(plan.out).written as {
        runs: readonly { readonly config: string; readonly levels: Readonly<Record<string, number>> }[];
      };
      // Fewer where the framework's groups and steps leave one level of rollouts.
      expect(runs.length).toBeGreaterThanOrEqual(Math.min(ROWS, 2));
      const configs = runs.map(({ config }) => config);
      const read = await levelsOf(folder, ...configs);
      for (const [k, { config, levels }] of runs.entries())
        for (const axis of ["tasks", "environments", "trajectories"])
          expect(read[k][axis], `${config} ${axis}`).toBe(levels[axis]);
      expect((await cli(folder, "check", ...configs)).code).toBeLessThan(2);
    } finally {
      remove();
    }
  });
});
