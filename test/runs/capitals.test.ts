import { describe, expect, it } from "vitest";
import type { RunRow } from "../../server/core/table";
import { readRuns, type RunOptions } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";

async function read(files: Readonly<Record<string, string>>, options: RunOptions = {}) {
  const host = memoryHost(Object.fromEntries(Object.entries(files).map(([name, text]) => [`top/${name}`, text])));
  return readRuns(host, [host.uri("top")], options);
}

function rates(rows: readonly RunRow[]): Record<string, number | undefined> {
  return Object.fromEntries(
    rows.map(({ id, outcome }) => [
      id,
      outcome.kind === "rate"
        ? outcome.rate
        : outcome.kind === "counts"
          ? outcome.successes / outcome.trials
          : undefined,
    ]),
  );
}

const last = { final: "last" } as const;

describe("names in other capitals", () => {
  it("are found where no name is written as usual: run, step, metric, axes", async () => {
    const { rows, notes } = await read(
      {
        "export.csv":
          "RUN,STEP,Val/Success_Rate,Tasks,SEED,Num_Tokens\na,1,0.25,100,7,1000\na,2,0.5,100,7,2000\nb,1,0.5,200,8,1000\nb,2,0.75,200,8,3000\n",
      },
      last,
    );
    expect(rates(rows)).toEqual({ "export.csv#a": 0.5, "export.csv#b": 0.75 });
    expect(rows.map(({ axes, seed, steps, tokens }) => ({ axes, seed, steps, tokens }))).toEqual([
      { axes: { tasks: 100 }, seed: "7", steps: 2, tokens: 2000 },
      { axes: { tasks: 200 }, seed: "8", steps: 2, tokens: 3000 },
    ]);
    expect(notes.filter(({ severity }) => severity !== "information")).toEqual([]);
  });

  it("are found in JSON lines, in a W&B export and with wildcards", async () => {
    expect(
      rates(
        (await read({ "metrics.jsonl": `{"Step":1,"Success_Rate":0.25}\n{"Step":2,"Success_Rate":0.5}\n` }, last)).rows,
      ),
    ).toEqual({ "metrics.jsonl": 0.5 });
    expect(
      rates(
        (
          await read(
            { "metrics.jsonl": `{"Step":1,"Successes":1,"Trials":4}\n{"Step":2,"Successes":3,"Trials":4}\n` },
            last,
          )
        ).rows,
      ),
    ).toEqual({ "metrics.jsonl": 0.75 });
    expect(
      rates((await read({ "chart.csv": `"Step","exp - Eval/Success_Rate"\n1,0.25\n2,0.5\n` }, last)).rows),
    ).toEqual({ "chart.csv": 0.5 });
    expect(
      rates(
        (
          await read(
            { "metrics.csv": "step,Val-Core/GSM8K/Acc/Mean@1,Val-Core/GSM8K/Acc/Mean@8\n1,0.2,0.25\n2,0.4,0.5\n" },
            last,
          )
        ).rows,
      ),
    ).toEqual({ "metrics.csv": 0.5 });
  });

  it("lose to a name that is written as usual", async () => {
    expect(
      rates((await read({ "m.csv": "step,Val/Success_Rate,val/success_rate\n1,0.1,0.6\n2,0.2,0.7\n" }, last)).rows),
    ).toEqual({ "m.csv": 0.7 });
    expect(
      rates(
        (await read({ "m.csv": "step,val/success_rate,Success_Rate,Step\n1,0.6,0.1,10\n2,0.7,0.2,20\n" }, last)).rows,
      ),
    ).toEqual({ "m.csv": 0.7 });
    expect(
      rates((await read({ "m.csv": "step,val/success_rate,Successes,Trials\n1,0.6,1,4\n2,0.7,1,4\n" }, last)).rows),
    ).toEqual({ "m.csv": 0.7 });
    expect(rates((await read({ "t.csv": "tasks,Tasks,success_rate,Success_Rate\n10,99,0.5,0.9\n" })).rows)).toEqual({
      "t.csv:2": 0.5,
    });
    expect((await read({ "t.csv": "tasks,Tasks,success_rate,Success_Rate\n10,99,0.5,0.9\n" })).rows[0].axes).toEqual({
      tasks: 10,
    });
  });

  it("of two columns that differ in capitals only neither is guessed, and they are never mixed", async () => {
    const { rows, notes } = await read(
      { "m.csv": "step,Val/Success_Rate,VAL/success_rate\n1,0.1,0.6\n2,0.2,0.7\n" },
      last,
    );
    expect(rows).toEqual([]);
    expect(notes.find(({ code }) => code === "run.no-success-metric")?.message).toMatch(
      /Val\/Success_Rate, VAL\/success_rate/,
    );
    expect(
      rates(
        (
          await read(
            { "m.csv": "step,Val/Success_Rate,VAL/success_rate\n1,0.1,0.6\n2,0.2,0.7\n" },
            { ...last, metric: "VAL/success_rate" },
          )
        ).rows,
      ),
    ).toEqual({ "m.csv": 0.7 });
    const table = await read({ "t.csv": "Tasks,TASKS,Environments,success_rate\n10,99,4,0.5\n" });
    expect(table.rows[0].axes).toEqual({ environments: 4 });
  });

  it("hold for a metric and a mapping that the user names", async () => {
    const csv = "Step,Acc,Other\n1,0.25,1\n2,0.5,1\n";
    expect(rates((await read({ "m.csv": csv }, { ...last, metric: "acc" })).rows)).toEqual({ "m.csv": 0.5 });
    expect(rates((await read({ "m.csv": csv }, { ...last, columns: { success_rate: "ACC" } })).rows)).toEqual({
      "m.csv": 0.5,
    });
    // A column that was given a meaning does not get a second one.
    const { rows } = await read(
      { "t.csv": "Tasks,Successes,Trials\n10,0.5,4\n" },
      { columns: { success_rate: "Successes" } },
    );
    expect(rows[0].outcome).toEqual({ kind: "rate", rate: 0.5, trials: 4 });
  });

  it("hold for the files that have the mapped column; a log without it is read by its own names", async () => {
    const files = {
      "t.csv": "tasks,acc\n10,0.5\n",
      "a/metrics.jsonl": `{"step":1,"val/success_rate":0.25}\n`,
      "b/metrics.jsonl": `{"step":1,"acc":0.75,"val/success_rate":0.25}\n`,
    };
    const { rows, notes } = await read(files, { ...last, columns: { success_rate: "acc" } });
    expect(rates(rows)).toEqual({ "t.csv:2": 0.5, a: 0.25, b: 0.75 });
    expect(notes.filter(({ code }) => code === "run.no-success-metric")).toEqual([]);
  });

  it("hold for tables of finished runs and of losses", async () => {
    const { rows } = await read({
      "t.csv":
        "Run,Setting,Tasks,Trajectories,Successes,Trials,Tasks_Real,Tasks_Synthetic,Tasks_Method\nr1,s,10,4,3,6,8,2,gen\n",
    });
    expect(rows).toEqual([
      expect.objectContaining({
        id: "r1",
        setting: "s",
        axes: { tasks: 10, trajectories: 4 },
        outcome: { kind: "counts", successes: 3, trials: 6 },
        synthesis: { tasks: { real: 8, synthetic: 2, method: "gen" } },
      }),
    ]);
    const losses = await read({ "l.csv": "N,D,Seed,Loss\n1,2,3,2.5\n2,4,5,2.25\n" });
    expect(losses.rows.map(({ axes, outcome, seed }) => ({ axes, outcome, seed }))).toEqual([
      { axes: { N: 1, D: 2 }, outcome: { kind: "loss", loss: 2.5 }, seed: "3" },
      { axes: { N: 2, D: 4 }, outcome: { kind: "loss", loss: 2.25 }, seed: "5" },
    ]);
    // Axes of a loss table may differ in capitals only.
    expect((await read({ "l.csv": "n,N,loss\n1,2,2.5\n" })).rows[0].axes).toEqual({ n: 1, N: 2 });
  });
});
