import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cli, folderWith } from "./harness";

const rows = [300, 1000, 3000].flatMap((tasks) =>
  [4, 12, 36].flatMap((environments) =>
    [4, 16, 64].map((trajectories, i) => {
      const error = 0.2 + 0.4 * (tasks / 1000) ** -0.25 * (environments / 12) ** -0.315 * (trajectories / 16) ** -0.12;
      const wobble = 0.015 * Math.sin(tasks + 3 * environments + 5 * i);
      return `${tasks},${environments},${trajectories},${Math.round(500 * Math.max(0, 1 - error + wobble))},500`;
    }),
  ),
);
const { folder, remove } = folderWith({
  "broken.budget.yaml": "name: x\nbudget:\n  tasks: sixty\n",
  "a.budget.yaml":
    "name: a\ndesign: nested\nbudget:\n  tasks: 1000\n  environments: 6\n  trajectories: 64\ntokens_per_trajectory: 32000\nparameters: 8e9\n",
  "scaling.yaml":
    "fit: a.fit.json\nhardware: { gpu: H100, price: 2.5 USD/h }\nprices: { environment: 25 USD, task: 0.25 USD }\n",
  "runs.csv": ["tasks,environments,trajectories,successes,trials", ...rows].join("\n"),
});
mkdirSync(join(folder, "runs"));
beforeAll(() => cli(folder, "fit", "runs.csv", "--law", "multiplicative", "--bootstrap", "100", "--out", "a.fit.json"));
afterAll(remove);

interface Inspected {
  readonly file: string;
  readonly experiments: readonly unknown[];
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

test("inspect: a file that is not there costs the others nothing, and is named", async () => {
  const { code, out, err } = await cli(folder, "inspect", "gone.yaml", "a.budget.yaml", "--json");
  expect([code, err]).toEqual([2, "gone.yaml: there is no such file\n"]);
  const [gone, there] = JSON.parse(out) as Inspected[];
  expect(gone).toMatchObject({ file: "gone.yaml", experiments: [] });
  expect(gone.diagnostics).toMatchObject([{ severity: "error", message: "there is no such file" }]);
  expect(there.experiments).toHaveLength(1);

  const told = await cli(folder, "inspect", "a.budget.yaml", "runs");
  expect([told.code, told.err]).toEqual([2, "runs: this is a folder, not a file\n"]);
  expect(told.out).toContain("points below the best split");
  expect(await cli(folder, "inspect", "gone.yaml")).toEqual({
    code: 2,
    out: "",
    err: "gone.yaml: there is no such file\n",
  });
});

test("check: the same, and what is wrong is said once to people and in every format", async () => {
  const files = ["broken.budget.yaml", "gone.yaml", "a.budget.yaml"];
  const { code, out, err } = await cli(folder, "check", ...files);
  expect([code, err]).toEqual([2, "gone.yaml: there is no such file\n"]);
  expect(out).toContain("a.budget.yaml:1:1: warning allocation.suboptimal");
  expect(out.match(/`sixty` is not a unit/g)).toHaveLength(1);
  expect(out).toMatch(/^broken\.budget\.yaml:3:10: error config\.expression/m);
  expect(out).toContain("3 files, 2 findings, 2 not judged");

  const told = await cli(folder, "check", ...files, "--format", "json");
  expect(told.code).toBe(2);
  expect((JSON.parse(told.out) as { unjudged: { file: string }[] }).unjudged.map(({ file }) => file)).toEqual([
    "broken.budget.yaml",
    "gone.yaml",
  ]);
  expect((await cli(folder, "check", ...files, "--format", "markdown")).out).toContain(
    "`gone.yaml`: there is no such file",
  );
});

test("predict uses the fit that scaling.yaml gives, as the other commands do", async () => {
  const levels = ["tasks=1000", "environments=6", "trajectories=64"];
  const { code, out, err } = await cli(folder, "predict", ...levels);
  expect([code, err]).toEqual([0, ""]);
  const inspected = await cli(folder, "inspect", "a.budget.yaml");
  expect(inspected.out).toContain(/[\d.]+ % \[[\d.–]+\]/.exec(out)![0]);
  const elsewhere = folderWith({});
  const none = await cli(elsewhere.folder, "predict", "tasks=10");
  elsewhere.remove();
  expect([none.code, none.out]).toEqual([2, ""]);
  expect(none.err).toContain("--fit");
});

test("a second --write finds nothing to change, anchors and all", async () => {
  const lab = folderWith({
    "scaling.yaml": "hardware: { gpu: H100, price: 2.5 USD/h }\nprices: { environment: 25 USD, task: 0.25 USD }\n",
    "a.budget.yaml":
      "name: a\ndesign: nested\nbudget:\n  tasks: &tasks 1000\n  environments: 6\n  trajectories: &rollouts 64\ntokens_per_trajectory: 32000\nparameters: 8e9\nnote: [*tasks]\n",
  });
  const fit = ["--fit", join(folder, "a.fit.json"), "--write"];
  const read = () => readFileSync(join(lab.folder, "a.budget.yaml"), "utf8");
  const before = read();
  expect((await cli(lab.folder, "optimise", "a.budget.yaml", ...fit)).code).toBe(0);
  const once = read();
  expect(once).not.toBe(before);
  expect((await cli(lab.folder, "optimise", "a.budget.yaml", ...fit)).err).toMatch(/nothing (was written|to change)/);
  expect(read()).toBe(once);
  lab.remove();
});
