import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cli, folderWith } from "./harness";

const sample = join(import.meta.dirname, "../../samples/appworld");
const { folder, remove } = folderWith({ "broken.budget.yaml": "name: x\nbudget:\n  tasks: sixty\n" });
cpSync(sample, folder, { recursive: true });
afterAll(remove);

interface Inspected {
  readonly file: string;
  readonly experiments: readonly unknown[];
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

test("inspect: a file that is not there costs the others nothing, and is named", async () => {
  const { code, out, err } = await cli(folder, "inspect", "gone.yaml", "appworld.budget.yaml", "--json");
  expect([code, err]).toEqual([2, "gone.yaml: there is no such file\n"]);
  const [gone, there] = JSON.parse(out) as Inspected[];
  expect(gone).toMatchObject({ file: "gone.yaml", experiments: [] });
  expect(gone.diagnostics).toMatchObject([{ severity: "error", message: "there is no such file" }]);
  expect(there.experiments).toHaveLength(1);

  const told = await cli(folder, "inspect", "appworld.budget.yaml", "runs");
  expect([told.code, told.err]).toEqual([2, "runs: this is a folder, not a file\n"]);
  expect(told.out).toContain("points below the best split");
  expect(await cli(folder, "inspect", "gone.yaml")).toEqual({
    code: 2,
    out: "",
    err: "gone.yaml: there is no such file\n",
  });
});

test("check: the same, and what is wrong is said once to people and in every format", async () => {
  const files = ["broken.budget.yaml", "gone.yaml", "appworld.budget.yaml"];
  const { code, out, err } = await cli(folder, "check", ...files);
  expect([code, err]).toEqual([2, "gone.yaml: there is no such file\n"]);
  expect(out).toContain("appworld.budget.yaml:3:1: warning allocation.suboptimal");
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
  const levels = ["tasks=1000", "environments=6", "trajectories=64", "parameters=8.2e9"];
  const { code, out, err } = await cli(folder, "predict", ...levels);
  expect([code, err]).toEqual([0, ""]);
  const inspected = await cli(folder, "inspect", "appworld.budget.yaml");
  expect(inspected.out).toContain(/[\d.]+ % \[[\d.–]+\]/.exec(out)![0]);
  const elsewhere = folderWith({});
  const none = await cli(elsewhere.folder, "predict", "tasks=10");
  elsewhere.remove();
  expect([none.code, none.out]).toEqual([2, ""]);
  expect(none.err).toContain("--fit");
});
