import { expect, test } from "vitest";
import { datasetRows } from "../../server/configs/datasetRows";
import { readConfig } from "../../server/configs/read";
import { measureRollouts } from "../../server/sources/read";
import { grammars } from "./grammars";
import { memoryHost } from "./memoryHost";

type Rows = readonly Readonly<Record<string, unknown>>[];
const WORDS = "river stone lamp winter garden paper silver bridge music tower valley engine".split(" ");
const words = (i: number) => [i, i * 5 + 1, i * 7 + 2, i + (i >> 3)].map((k) => WORDS[k % WORDS.length]).join(" ");
const chat = (text: string) => [
  { role: "system", content: "Think first." },
  { role: "user", content: text },
];
const make = (count: number, row: (i: number) => Readonly<Record<string, unknown>>): Rows =>
  Array.from({ length: count }, (_, i) => row(i));

/** Training data of every way to tell tasks and environments, each with what is true of it. */
const CASES: Readonly<
  Record<string, { files: Readonly<Record<string, Rows>>; tasks: number; environments: number | null; note?: string }>
> = {
  "verl: prompts that repeat, sources of data": {
    files: {
      "a.jsonl": make(120, (i) => ({
        data_source: i % 6 === 0 ? "acme/rare" : "acme/common",
        prompt: chat(`${words(i % 60)} and ${i % 60} ${words(3 * (i % 60))}`),
      })),
    },
    tasks: 60,
    environments: 2,
    note: "2 environments by `data_source`, effectively 1.4 by their share of the rows",
  },
  "worlds with seeds: the worlds are the environments": {
    files: { "a.jsonl": make(90, (i) => ({ task_id: `t${i}`, world: `w${i % 5}`, env_id: 1000 + i })) },
    tasks: 90,
    environments: 5,
    note: "5 environments by `world`",
  },
  "instances of a template": {
    files: { "a.jsonl": make(300, (i) => ({ question: `What is ${i * 7919 + 13}+${i * 104729 + 7}?` })) },
    tasks: 300,
    environments: null,
    note: "instances of 1 template: texts that differ in numbers alone",
  },
  "several files that share tasks": {
    files: {
      "a.jsonl": make(40, (i) => ({ task_id: i, env_name: "shop" })),
      "b.jsonl": make(50, (i) => ({ task_id: i + 20, env_name: i % 2 ? "shop" : "mail" })),
    },
    tasks: 70,
    environments: 2,
  },
  "a table": {
    files: { "a.csv": make(30, (i) => ({ problem_id: i % 25, environment: `e${i % 4}` })) },
    tasks: 25,
    environments: 4,
  },
};

function written(name: string, rows: Rows): string {
  if (name.endsWith(".jsonl")) return rows.map((row) => JSON.stringify(row)).join("\n");
  const columns = Object.keys(rows[0]);
  return [columns.join(","), ...rows.map((row) => columns.map((column) => String(row[column])).join(","))].join("\n");
}

test.each(Object.entries(CASES))(
  "%s: a config and `measure` count the same, and it is said where",
  async (_, { files, tasks, environments, note }) => {
    const host = memoryHost(
      Object.fromEntries(Object.entries(files).map(([name, rows]) => [`file:///w/${name}`, written(name, rows)])),
    );
    const uris = Object.keys(files).map((name) => `file:///w/${name}`);
    const measured = await measureRollouts(host, uris);
    expect([measured.tasks, measured.environments]).toEqual([tasks, environments]);
    const { experiments } = await readConfig({
      uri: "file:///w/run.sh",
      text: `python3 -m verl.trainer.main_ppo data.train_files="[${Object.keys(files).join(",")}]" data.train_batch_size=10 actor_rollout_ref.rollout.n=4 trainer.total_epochs=3\n`,
      readText: () => Promise.resolve(undefined),
      datasetRows: (files) => datasetRows(host, files),
      grammars,
    });
    const { axes } = experiments[0];
    expect(axes.tasks).toMatchObject({ value: tasks, source: "dataset" });
    if (environments !== null) expect(axes.environments).toMatchObject({ value: environments, source: "dataset" });
    if (note !== undefined) expect((axes.tasks as { note?: string }).note).toContain(note);
  },
);

test("`--duplicates template` counts templates, which stand beside the tasks otherwise", async () => {
  const rows = CASES["instances of a template"].files["a.jsonl"];
  const host = memoryHost({ "file:///w/a.jsonl": written("a.jsonl", rows) });
  const by = async (duplicates?: "template") => measureRollouts(host, ["file:///w/a.jsonl"], { duplicates });
  expect(await by()).toMatchObject({ tasks: 300, templates: 1 });
  expect(await by("template")).toMatchObject({ tasks: 1, duplicates: { rule: "template" } });
});
