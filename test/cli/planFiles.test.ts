/** A plan ends in configs that run: read again they say what was planned, logs beside them need no facts, and no run is made for nothing. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, folderWith } from "./harness";

const runs = (stray: number, trials: number): string =>
  [
    "name,tasks,environments,trajectories,success_rate,trials",
    ...[300, 1200].flatMap((tasks) =>
      [4, 16].flatMap((environments) =>
        [8, 32].map((trajectories, i) => {
          const rate =
            1 - 0.2 - 0.5 * (tasks / 400) ** -0.25 * (environments / 8) ** -0.3 * (trajectories / 16) ** -0.12;
          return `t${tasks}-e${environments}-r${trajectories},${tasks},${environments},${trajectories},${(rate + stray * Math.sin(7 * i + tasks + environments)).toFixed(5)},${trials}`;
        }),
      ),
    ),
  ].join("\n");
const RUNS = runs(0.02, 100);

const SCALING = `# ours\nfit: runs.fit.json\nhardware: { gpu: H100, count: 16, price: 2.5 USD/h }\nprices: { environment: 40 USD, task: 0.5 USD }\n`;
const BUDGET = `name: base\nmodel: Qwen3-8B\nalgorithm: grpo\nbudget:\n  tasks: 1_000         # unique\n  environments: 8      # apps\n  trajectories: 16     # per task\ntokens_per_trajectory: 4_000\n`;
const VERL = `data:
  train_batch_size: 128
  train_max_samples: 2048
  max_prompt_length: 1024
  max_response_length: 3000
actor_rollout_ref:
  model: { path: Qwen/Qwen3-8B }
  rollout: { n: 8 }
trainer:
  total_epochs: 4
  experiment_name: baseline   # ours
  default_local_dir: out/baseline
algorithm: { adv_estimator: grpo }
`;

interface Written {
  readonly written: {
    readonly runs: readonly {
      readonly name: string;
      readonly config: string;
      readonly levels: Readonly<Record<string, number>>;
      readonly added: number;
      readonly drop: number;
      readonly gpuHours: { readonly estimate: number; readonly low: number; readonly high: number } | null;
    }[];
    readonly stop: string | null;
    readonly regret: { readonly now: number; readonly after: number };
    readonly files: readonly string[];
  };
}

/** The fit of RUNS, made once: each command would fit the logs anew. */
let saved = "";
beforeAll(async () => {
  const { folder, remove } = folderWith({ "runs.csv": RUNS });
  await cli(folder, "fit", "runs.csv", "--bootstrap", "200", "--out", "runs.fit.json");
  saved = readFileSync(join(folder, "runs.fit.json"), "utf8");
  remove();
});

async function planned(files: Readonly<Record<string, string>>, config: string, ...more: string[]) {
  const made = folderWith({ "runs.fit.json": saved, "scaling.yaml": SCALING, ...files });
  const { out, err, code } = await cli(
    made.folder,
    "plan",
    config,
    "--runs",
    "3",
    "--write",
    "next",
    "--json",
    ...more,
  );
  expect(err).toBe("");
  expect(code).toBe(0);
  return { ...made, written: (JSON.parse(out) as Written).written };
}

async function levelsOf(folder: string, config: string): Promise<Record<string, number>> {
  const { out } = await cli(folder, "inspect", config, "--json");
  const { axes } = JSON.parse(out).experiments[0] as { axes: Record<string, { value: number | null }> };
  return Object.fromEntries(
    Object.entries(axes).flatMap(([axis, { value }]) => (value === null ? [] : [[axis, value]])),
  );
}

describe("plan --write", () => {
  it("writes a budget a run, which says what was planned, and pays for data once", async () => {
    const { folder, written, remove } = await planned({ "a.budget.yaml": BUDGET }, "a.budget.yaml");
    try {
      expect(written.runs.length).toBeGreaterThan(0);
      expect(written.runs.length).toBeLessThanOrEqual(3);
      expect(written.regret.after).toBeLessThan(written.regret.now);
      for (const [i, { name, config, levels, drop, gpuHours }] of written.runs.entries()) {
        expect(name).toBe(`base-${i + 1}`);
        expect(config).toBe(`next/base-${i + 1}/a.budget.yaml`);
        expect(drop).toBeGreaterThan(0);
        const read = await levelsOf(folder, config);
        for (const axis of ["tasks", "environments", "trajectories"]) expect(read[axis], axis).toBe(levels[axis]);
        const inspected = JSON.parse((await cli(folder, "inspect", config, "--json")).out).experiments[0];
        expect(gpuHours).toEqual(inspected.cost.gpuHours);
        const text = readFileSync(join(folder, config), "utf8");
        const mask = (one: string) => one.replace(/^( {2}\w+: )[\d_]+ +/gm, "$1# ").replace(/^name: .*/, "");
        expect(mask(text)).toBe(mask(BUDGET));
        expect(text).toContain(`name: ${name}`);
        const run = JSON.parse(readFileSync(join(folder, "next", name, "run.json"), "utf8"));
        expect(run.axes).toMatchObject({ tasks: levels.tasks, trajectories: levels.trajectories });
        // What the run then logs needs no facts.
        writeFileSync(
          join(folder, "next", name, "metrics.jsonl"),
          '{"step": 1, "success_rate": 0.4}\n{"step": 2, "success_rate": 0.5}\n',
        );
      }
      const { out } = await cli(folder, "runs", "next", "--json");
      const { rows } = JSON.parse(out) as { rows: { axes: Record<string, number> }[] };
      expect(rows.map(({ axes }) => axes.tasks).sort()).toEqual(written.runs.map(({ levels }) => levels.tasks).sort());
      expect(readFileSync(join(folder, "scaling.yaml"), "utf8")).toBe(SCALING);
      // A second time, nothing is overwritten.
      const again = await cli(folder, "plan", "a.budget.yaml", "--runs", "3", "--write", "next");
      expect(again.code).toBe(2);
      expect(again.err).toMatch(/there already: nothing was written/);
    } finally {
      remove();
    }
  });

  it("writes a framework's config with name, folder and amounts; what it cannot say is a fact of the run's folder", async () => {
    const { folder, written, remove } = await planned(
      { "verl.yaml": VERL, "scaling.yaml": `${SCALING}facts:\n  - files: "verl.yaml"\n    environments: 2\n` },
      "verl.yaml",
    );
    try {
      expect(written.runs.length).toBeGreaterThan(0);
      for (const { name, config, levels } of written.runs) {
        const text = readFileSync(join(folder, config), "utf8");
        // Another plan, in another folder, is another experiment with checkpoints of its own.
        expect(text).toContain(`experiment_name: next-${name}`);
        expect(text).toContain(`default_local_dir: outputs/next/${name}`);
        expect(text).toContain("# ours");
        const read = await levelsOf(folder, config);
        expect(read).toMatchObject({
          tasks: levels.tasks,
          environments: levels.environments,
          trajectories: levels.trajectories,
        });
        expect((await cli(folder, "check", config)).code).toBeLessThan(2);
      }
      const scaling = readFileSync(join(folder, "scaling.yaml"), "utf8");
      expect(scaling).toMatch(/- files: "?next\/verl-\d\/\*\*"?\n +environments: \d+/);
      expect(scaling.startsWith(SCALING)).toBe(true);
      const told = (await cli(folder, "plan", "verl.yaml", "--runs", "1", "--write", "more/")).out;
      expect(told).toMatch(/Before you launch, by hand[^]*more\/verl-\d+\/verl\.yaml`?: environments \d+/);
    } finally {
      remove();
    }
  });

  it("an amount that a config only assumes is planned too: run.json and the list by hand say it", async () => {
    const verl = VERL.replace("data:\n", "data:\n  train_files: train.parquet\n");
    const { folder, written, remove } = await planned({ "verl.yaml": verl, "scaling.yaml": SCALING }, "verl.yaml");
    try {
      for (const { config, levels } of written.runs) {
        expect(levels.environments).toBeGreaterThan(1);
        const { axes } = JSON.parse(readFileSync(join(folder, dirname(config), "run.json"), "utf8")) as {
          axes: Record<string, number>;
        };
        expect(axes.environments).toBe(levels.environments);
      }
      const told = (await cli(folder, "plan", "verl.yaml", "--runs", "1", "--write", "more/")).out;
      expect(told).toMatch(/Before you launch, by hand[^]*more\/verl-\d+\/verl\.yaml`?: environments \d+/);
    } finally {
      remove();
    }
  });

  it("keeps what a map of facts says, and says by a fact again what only a fact said of the config", async () => {
    const facts = `facts:\n  "configs/verl.yaml": { environments: 2 }\n`;
    const { folder, written, remove } = await planned(
      { "configs/verl.yaml": VERL, "scaling.yaml": SCALING + facts },
      "configs/verl.yaml",
    );
    try {
      expect(written.runs.length).toBeGreaterThan(0);
      const scaling = readFileSync(join(folder, "scaling.yaml"), "utf8");
      expect(scaling.startsWith(SCALING + facts.trimEnd())).toBe(true);
      expect(scaling.match(/^facts:/gm)).toHaveLength(1);
      for (const { config, levels } of written.runs) {
        expect(levels.environments).toBeGreaterThan(1);
        expect(await levelsOf(folder, config)).toMatchObject({ environments: levels.environments });
      }
    } finally {
      remove();
    }
  });

  it("stops where no further run is worth its cost, and writes none", async () => {
    const { folder, remove, written } = await planned(
      {
        "runs.csv": runs(0, 40_000),
        "a.budget.yaml": BUDGET,
        "scaling.yaml": SCALING.replace("40 USD", "90000 USD").replace("fit: runs.fit.json", 'logs: ["runs.csv"]'),
      },
      "a.budget.yaml",
    );
    try {
      expect(written.runs.length).toBeLessThan(3);
      expect(written.stop).toMatch(/^No further run is worth its cost/);
      expect(existsSync(join(folder, "next")) ? readdirSync(join(folder, "next")).length : 0).toBe(written.runs.length);
      // The plan without files says the same before it shows a design.
      const said = await cli(folder, "plan", "a.budget.yaml");
      expect(said.out).toMatch(/No further run is worth its cost.*[^]*A 3 × 3 × 3 design of 27 runs/);
    } finally {
      remove();
    }
  });

  it("keeps a budget of GPU-hours or money, and no run is smaller than a training step", async () => {
    const { folder, remove } = folderWith({
      "runs.fit.json": saved,
      "scaling.yaml": `${SCALING}facts: [{ files: "*.yaml", environments: 8 }]\n`,
      "verl.yaml": VERL,
    });
    try {
      const plan = async (...more: string[]) =>
        JSON.parse((await cli(folder, "plan", "verl.yaml", "--json", ...more)).out);
      const whole = await plan();
      for (const { levels } of [...whole.runs, ...whole.ranked] as { levels: Record<string, number> }[]) {
        expect(levels.tasks).toBeGreaterThanOrEqual(128);
        expect(levels.trajectories).toBeGreaterThanOrEqual(8);
      }
      const rollouts = (plan: { runs: { levels: Record<string, number> }[] }) =>
        plan.runs.reduce((sum, { levels }) => sum + levels.tasks * levels.trajectories, 0);
      expect(whole.unit).toBe("USD");
      // Data that the fitted runs have made, and those of other planned runs, are paid for once.
      expect(whole.cost).toBeLessThan(whole.runs.reduce((sum: number, { cost }: { cost: number }) => sum + cost, 0));
      const hours = JSON.parse((await cli(folder, "inspect", "verl.yaml", "--json")).out).experiments[0].costs;
      const each = hours.gpuHours.value / hours.rollouts.value;
      const few = await plan("--budget", `${0.3 * each * rollouts(whole)} GPUh`);
      expect(rollouts(few)).toBeLessThanOrEqual(0.31 * rollouts(whole));
      const money = await plan("--budget", `$${Math.ceil(whole.cost / 2)}`);
      expect(money.cost).toBeLessThanOrEqual(Math.ceil(whole.cost / 2));
      expect(await plan("--budget", String(Math.ceil(whole.cost / 2)))).toEqual(money);
      expect((await cli(folder, "plan", "verl.yaml", "--budget", "soon")).err).toMatch(/no plan: /);
    } finally {
      remove();
    }
  });
});
