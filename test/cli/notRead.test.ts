import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { cli, folderWith } from "./harness";
import { LAB } from "./lab";

const made = folderWith({
  ...LAB,
  "scaling.yaml": `${LAB["scaling.yaml"]}law: multiplicative\nlogs: ["runs.csv", "nosuch/**", "postgres://lens:hunter2@127.0.0.1:9/db", "https://127.0.0.1:9/a.parquet?token=hunter2", "mysql://lens:hunter2@host/db"]\n`,
  "dead/scaling.yaml": `logs: ["https://127.0.0.1:9/a.parquet"]\n`,
  "dead/a.budget.yaml": LAB["a.budget.yaml"],
});
afterAll(() => made.remove());

it.each([
  ["inspect", "a.budget.yaml"],
  ["inspect", "a.budget.yaml", "--json"],
  ["explain", "a.budget.yaml"],
  ["optimise", "a.budget.yaml"],
  ["check", "a.budget.yaml"],
  ["check", "a.budget.yaml", "--format", "markdown"],
  ["check", "a.budget.yaml", "--format", "sarif"],
  ["check", "a.budget.yaml", "--format", "github"],
  ["plan", "a.budget.yaml"],
  ["plan", "a.budget.yaml", "--json"],
  ["grow", "a.budget.yaml", "--times", "1"],
  ["grow", "a.budget.yaml", "--times", "1", "--json"],
  ["compare", "a.budget.yaml", "a.budget.yaml"],
  ["compare", "a.budget.yaml", "a.budget.yaml", "--json"],
  ["predict", "a.budget.yaml"],
  ["predict", "a.budget.yaml", "--json"],
  ["predict", "tasks=2000"],
  ["predict", "tasks=2000", "--json"],
  ["runs"],
])("%s %s %s %s says which runs it lacks, and no secret of an address", async (...argv) => {
  const { out, err } = await cli(made.folder, ...argv);
  expect(out + err).toMatch(/nosuch.*There is no such file|There is no such file[^]*nosuch/);
  expect(out + err).toMatch(/A password(, token or signature)? stands in this address/);
  expect(out + err).not.toContain("hunter2");
});

it("a fit keeps no secret of an address", async () => {
  const sources = [
    "postgres://lens:hunter2@127.0.0.1:9/db",
    "postgres://lens:a/hunter2@127.0.0.1:9/db",
    "clickhouse://default:a#hunter2@127.0.0.1:9/db",
    "s3://AKIA:a?hunter2@bucket/prefix",
    "https://127.0.0.1:9/a.csv?X-Amz-Security-Token=a&hunter2",
  ];
  const { out, err } = await cli(
    made.folder,
    "fit",
    "runs.csv",
    ...sources,
    "--bootstrap",
    "60",
    "--out",
    "kept.fit.json",
  );
  expect(out + err).not.toContain("hunter2");
  expect((out + err).match(/A password.* stands in this address/g)).toHaveLength(sources.length);
  const other = await cli(made.folder, "runs", "mysql://lens:a/hunter2@127.0.0.1:9/db");
  expect(other.code).toBe(2);
  expect(other.out + other.err).not.toContain("hunter2");
  const kept = readFileSync(join(made.folder, "kept.fit.json"), "utf8");
  expect(kept).toContain("//…@127.0.0.1:9/db");
  expect(kept).not.toContain("hunter2");
});

it("a server that is gone is the reason, not that no run was found", async () => {
  const { out } = await cli(join(made.folder, "dead"), "inspect", "a.budget.yaml");
  expect(out).toMatch(/https:\/\/127\.0\.0\.1:9\/a\.parquet: The files could not be read/);
  expect(out).not.toMatch(/no run with a success rate/);
});

it("what was left out of the logs, and a pattern that matches nothing, are notes of the answer", async () => {
  const rows = LAB["runs.csv"].split("\n");
  const bad = [...rows.slice(0, 3), "300,4,many,500,1000", ...rows.slice(3)].join("\n");
  const here = folderWith({
    ...LAB,
    "runs.csv": bad,
    "more/old.parquet": "no table",
    "scaling.yaml": `${LAB["scaling.yaml"]}law: multiplicative\nlogs: ["runs.csv", "more/**", "more_runs/*.csv"]\n`,
  });
  const { out } = await cli(here.folder, "inspect", "a.budget.yaml");
  expect(out).toMatch(
    /note: 2 errors in the logs \(first: (runs\.csv:4|more\/old\.parquet): .*\); `scaling-lens runs` lists them\./,
  );
  expect(out).toContain("note: more_runs/*.csv matches no file.");
  const { out: json, err } = await cli(here.folder, "grow", "a.budget.yaml", "--times", "1", "--json");
  expect((JSON.parse(json) as { notRead: string[] }).notRead).toHaveLength(2);
  expect(err).toContain("not read: more_runs/*.csv matches no file.");
  here.remove();
});
