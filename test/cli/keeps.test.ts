/** No command replaces what it was not asked to: fits replace fits, links stay links, and a plan is written whole or not at all. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";

const RUNS = [
  "name,tasks,environments,trajectories,success_rate,trials",
  ...[300, 1200].flatMap((tasks) =>
    [4, 16].flatMap((environments) =>
      [8, 32].map((trajectories) => {
        const rate = 0.8 - 0.5 * (tasks / 400) ** -0.25 * (environments / 8) ** -0.3 * (trajectories / 16) ** -0.12;
        const stray = 0.02 * Math.sin(tasks + environments + 7 * trajectories);
        return `t${tasks}-e${environments}-r${trajectories},${tasks},${environments},${trajectories},${(rate + stray).toFixed(5)},100`;
      }),
    ),
  ),
].join("\n");
const SCALING = `fit: runs.fit.json\nhardware: { gpu: H100, count: 16, price: 2.5 USD/h }\nprices: { environment: 40 USD, task: 0.5 USD }\n`;
const BUDGET =
  "name: base\nmodel: Qwen3-8B\nalgorithm: grpo\nbudget: { tasks: 1000, environments: 8, trajectories: 16 }\ntokens_per_trajectory: 4000\n";
const VERL = `data: { train_batch_size: 128, train_max_samples: 2048, max_prompt_length: 1024, max_response_length: 3000 }
actor_rollout_ref:
  model: { path: Qwen/Qwen3-8B }
  rollout: { n: 8 }
trainer:
  total_epochs: 4
  experiment_name: ours
  default_local_dir: out/ours
algorithm: { adv_estimator: grpo }
`;
const FACTS = `${SCALING}facts:\n  - files: "verl.yaml"\n    environments: 2\n`;
const FILES: Record<string, string> = {
  "runs.csv": RUNS,
  "scaling.yaml": FACTS,
  "verl.yaml": VERL,
  "a.budget.yaml": BUDGET,
};

async function within(files: Readonly<Record<string, string>>, test: (folder: string) => Promise<void>): Promise<void> {
  const { folder, remove } = folderWith(files);
  try {
    await test(folder);
  } finally {
    remove();
  }
}

/** Made once: each command would fit the logs anew. */
beforeAll(() =>
  within({ "runs.csv": RUNS }, async (folder) => {
    await cli(folder, ...FIT, "runs.fit.json");
    FILES["runs.fit.json"] = readFileSync(join(folder, "runs.fit.json"), "utf8");
  }),
);

const FIT = ["fit", "runs.csv", "--bootstrap", "20", "--out"];

describe("a fit", () => {
  it("replaces a fit, an empty file and nothing else", () =>
    within({ ...FILES, "notes.fit.json": '{"mine": true}\n', "empty.fit.json": "" }, async (folder) => {
      for (const name of ["runs.csv", "scaling.yaml", "notes.fit.json"]) {
        const before = readFileSync(join(folder, name), "utf8");
        const run = await cli(folder, ...FIT, name);
        expect(run.code, name).toBe(2);
        expect(run.err).toMatch(/not a fit: nothing was overwritten/);
        expect(readFileSync(join(folder, name), "utf8")).toBe(before);
      }
      for (const name of ["empty.fit.json", "empty.fit.json", "new.fit.json"])
        expect((await cli(folder, ...FIT, name)).code, name).toBe(0);
      expect((await cli(folder, ...FIT, "")).code).toBe(2);
      expect((await cli(folder, ...FIT, ".")).err).toMatch(/folder/);
    }));

  it("is written through a link, and not over a file that is read-only", () =>
    within(FILES, async (folder) => {
      expect((await cli(folder, ...FIT, "real.fit.json")).code).toBe(0);
      symlinkSync("real.fit.json", join(folder, "link.fit.json"));
      expect((await cli(folder, ...FIT, "link.fit.json", "--seed", "2")).code).toBe(0);
      expect(lstatSync(join(folder, "link.fit.json")).isSymbolicLink()).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, "real.fit.json"), "utf8")).seed).toBe(2);
      chmodSync(join(folder, "real.fit.json"), 0o444);
      expect((await cli(folder, ...FIT, "real.fit.json")).err).toMatch(/read-only/);
    }));

  it.each([
    ["fit", FIT],
    ["calibrate", ["calibrate", "a.budget.yaml", "--success", "40", "--out"]],
  ])("of %s makes what a link leads to, and replaces no link", (_, command) =>
    within(FILES, async (folder) => {
      mkdirSync(join(folder, "far/deep"), { recursive: true });
      symlinkSync("far/deep", join(folder, "near"));
      const links = {
        "one.fit.json": "new.fit.json",
        "two.fit.json": "one-more.fit.json",
        "one-more.fit.json": "far/made.fit.json",
        // Past a link to a folder, `..` is that folder's own.
        "up.fit.json": "near/../beside.fit.json",
        "lost.fit.json": "nosuch/new.fit.json",
        "circle.fit.json": "circle.fit.json",
        "around.fit.json": "nosuch/../around.fit.json",
        "null.fit.json": "/dev/null",
      };
      for (const [name, to] of Object.entries(links)) symlinkSync(to, join(folder, name));
      const run = (name: string) => cli(folder, ...command, name);
      for (const [name, made] of [
        ["one.fit.json", "new.fit.json"],
        ["two.fit.json", "far/made.fit.json"],
        ["up.fit.json", "far/beside.fit.json"],
      ]) {
        expect((await run(name)).code, name).toBe(0);
        expect(lstatSync(join(folder, made)).isFile(), made).toBe(true);
      }
      for (const [name, why] of [
        ["lost.fit.json", /there is no folder .*nosuch/],
        ["circle.fit.json", /ELOOP/],
        ["around.fit.json", /a folder that is not there|no folder/],
        ["null.fit.json", /no regular file/],
      ] as const) {
        const { code, err } = await run(name);
        expect(code, name).toBe(2);
        expect(err, name).toMatch(why);
      }
      for (const [name, to] of Object.entries(links)) expect(readlinkSync(join(folder, name)), name).toBe(to);
      expect(readdirSync(folder).filter((name) => name.includes("tmp"))).toEqual([]);
    }),
  );

  /** As /dev/stdout is: a link to a descriptor of the process, which is a pipe or a file that is gone. */
  it.skipIf(process.platform !== "linux")("is not written to a pipe or a removed file behind a link", () =>
    within(FILES, async (folder) => {
      const pipe = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
      const gone = openSync(join(folder, "gone"), "w");
      rmSync(join(folder, "gone"));
      try {
        for (const [name, to, why] of [
          ["pipe.fit.json", `/proc/${pipe.pid}/fd/0`, /no regular file/],
          ["gone.fit.json", `/proc/self/fd/${gone}`, /no name/],
        ] as const) {
          symlinkSync(to, join(folder, name));
          const { code, err } = await cli(folder, ...FIT, name);
          expect(code, name).toBe(2);
          expect(err).toMatch(why);
          expect(readlinkSync(join(folder, name))).toBe(to);
        }
      } finally {
        closeSync(gone);
        pipe.kill();
      }
    }),
  );

  it("calibrated again keeps each fit that stood there, and takes no place of a config", () =>
    within(FILES, async (folder) => {
      const calibrate = (rate: string, ...more: string[]) =>
        cli(folder, "calibrate", "a.budget.yaml", "--success", rate, ...more);
      for (const rate of ["30", "40", "40", "50"]) expect((await calibrate(rate)).code).toBe(0);
      const rateOf = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8")).provenance.successRate;
      expect(["a.fit.json.before", "a.fit.json.before-2", "a.fit.json"].map(rateOf)).toEqual([0.3, 0.4, 0.5]);
      expect(readdirSync(folder).filter((name) => name.includes("before"))).toHaveLength(2);
      const own = await calibrate("50", "--out", "a.budget.yaml");
      expect(own.code).toBe(2);
      expect(readFileSync(join(folder, "a.budget.yaml"), "utf8")).toBe(BUDGET);
      expect((await calibrate("50", "--trials", "0")).err).toMatch(/--trials/);
    }));
});

describe("a written plan", () => {
  const plan = (folder: string, into: string, config = "verl.yaml") =>
    cli(folder, "plan", config, "--runs", "2", "--write", into, "--json");
  interface Run {
    readonly name: string;
    readonly config: string;
    readonly levels: Readonly<Record<string, number>>;
  }
  const runsOf = (out: string) => (JSON.parse(out) as { written: { runs: Run[] } }).written.runs;

  it.each(["n[1]", "a{tasks}b", "x (1)", "*", "!no", "a+b", "ü/実", "q?"])("holds its facts in a folder %s", (into) =>
    within(FILES, async (folder) => {
      const { out, err } = await plan(folder, into);
      expect(err).toBe("");
      for (const { config, levels } of runsOf(out)) {
        const { experiments } = JSON.parse((await cli(folder, "inspect", config, "--json")).out);
        expect(experiments[0].axes.environments).toMatchObject({ value: levels.environments, source: "scaling.yaml" });
        expect(levels.environments).not.toBe(2);
      }
    }),
  );

  it("is refused where its scaling.yaml does not hold", () =>
    within({ ...FILES, "sub/scaling.yaml": SCALING, "in/a.txt": "" }, async (folder) => {
      for (const into of ["../out-of-here", "sub/next"]) {
        const { code, err } = await plan(folder, into);
        expect(code, into).toBe(2);
        expect(err).toMatch(/not under the scaling.yaml/);
        expect(existsSync(join(folder, into))).toBe(false);
      }
      expect((await plan(folder, "")).err).toMatch(/--write wants/);
    }));

  it.each([
    ["a/b", "a-b-1"],
    ["実験", "実験-1"],
    [".hidden", "hidden-1"],
    ["--", "run-1"],
  ])("of an experiment called %s has the folder %s", (name, wanted) =>
    within({ ...FILES, "a.budget.yaml": BUDGET.replace("name: base", `name: "${name}"`) }, async (folder) => {
      const { out, err } = await plan(folder, "next", "a.budget.yaml");
      expect(err).toBe("");
      expect(runsOf(out)[0].name).toBe(wanted);
      expect(existsSync(join(folder, "next", wanted, "a.budget.yaml"))).toBe(true);
    }),
  );

  it("changes scaling.yaml behind a link, and writes nothing where that cannot be written", () =>
    within(FILES, async (folder) => {
      mkdirSync(join(folder, "shared"));
      writeFileSync(join(folder, "shared", "ours.yaml"), FACTS);
      const link = join(folder, "project", "scaling.yaml");
      mkdirSync(join(folder, "project"));
      symlinkSync("../shared/ours.yaml", link);
      for (const name of ["runs.fit.json", "verl.yaml"]) writeFileSync(join(folder, "project", name), FILES[name]);
      const { err } = await plan(join(folder, "project"), "next");
      expect(err).toBe("");
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, "shared", "ours.yaml"), "utf8")).toContain("next/verl-1/**");
      chmodSync(join(folder, "shared", "ours.yaml"), 0o444);
      const again = await plan(join(folder, "project"), "more");
      expect(again.code).toBe(2);
      expect(again.err).toMatch(/read-only\): nothing was written/);
      expect(existsSync(join(folder, "project", "more"))).toBe(false);
    }));
});
