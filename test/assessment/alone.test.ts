import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessDocument } from "../../server/assessment/assess";
import { type AssessOptions } from "../../server/assessment/options";
import { isOutOfReach } from "../../server/assessment/partial";
import { isAllocated, type AllocationView } from "../../server/assessment/types";
import { recommendedSplit } from "../../server/assessment/edits/target";
import { loadedFit } from "../../server/assessment/law";
import { readConfig } from "../../server/configs/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { splice } from "../../server/syntax/text";
import { grammars } from "../configs/grammars";
import { simulatedFit } from "../server/runs";

/** Simulated from 1 − P = 0.08 + 6·T^−0.25·E^−0.3·τ^−0.12. */
const FIT = loadedFit(simulatedFit(), "runs", "alone");
const PRICES = "prices: { environment: 40 USD, task: 0.5 USD }\n";
const FACTS = (tasks: number | null, environments: number) =>
  `facts: [{ files: "**", ${tasks === null ? "" : `tasks: ${tasks}, `}environments: ${environments}, tokens_per_trajectory: 5000, parameters: 8000000000 }]\n`;

const VERL_YAML = (duration: string, samples: number | null = 2048, batch = 64) =>
  `data:\n${samples === null ? "" : `  train_max_samples: ${samples}   # rows\n`}  train_batch_size: ${batch}\nactor_rollout_ref:\n  model:\n    path: Qwen/Qwen3-8B\n  rollout:\n    n: 8\nalgorithm:\n  adv_estimator: grpo\ntrainer:\n  ${duration}\n  nnodes: 1\n  n_gpus_per_node: 8\n`;
const VERL_SCRIPT = `python3 -m verl.trainer.main_ppo \\\n    data.train_max_samples=2048 \\\n    data.train_batch_size=64 \\\n    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\\n    actor_rollout_ref.rollout.n=8 \\\n    algorithm.adv_estimator=grpo \\\n    trainer.total_epochs=4 \\\n    trainer.n_gpus_per_node=8 \\\n    trainer.nnodes=1\n`;
const TRL =
  'from datasets import load_dataset\nfrom trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(per_device_train_batch_size=16, num_generations=8, max_steps=500)\nGRPOTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=load_dataset("x/y", split="train"))\n';
const NATIVE = (inside: string, more = "") =>
  `name: x\nmodel: Qwen3-8B\nalgorithm: grpo\n${more}design: nested\nbudget: { ${inside} }\ntokens_per_trajectory: 5000\n`;

async function assessed(
  name: string,
  text: string,
  scalingText: string,
  options: AssessOptions,
): Promise<AllocationView> {
  const uri = `file:///w/${name}`;
  const scaling = readScalingFile("file:///w/scaling.yaml", scalingText);
  const document = await readConfig({ uri, text, readText: async () => undefined, grammars, facts: scaling });
  const { allocation } = assessDocument(document, uri, scaling, FIT, { bold: true, recommend: "optimum", ...options })
    .experiments[0];
  if (!isAllocated(allocation)) throw new Error(allocation.reason);
  return allocation;
}

/** Optimises a text, reads what came of it afresh, and asks again. */
async function press(name: string, text: string, scaling: string, options: AssessOptions = {}) {
  const before = await assessed(name, text, scaling, options);
  const written = splice(
    text,
    before.edits.map(({ span, to }) => ({ span, newText: to })),
  );
  return { before, written, after: await assessed(name, written, scaling, options) };
}

type Pressed = Awaited<ReturnType<typeof press>>;

function stands({ before, after }: Pressed): void {
  const { current, budget } = before.result;
  const now = after.result.current;
  expect(
    after.edits.map(({ path, from, to }) => `${path} ${from} → ${to}`),
    "a second press",
  ).toEqual([]);
  if (before.result.mode === "same-success") {
    expect(now.cost).toBeLessThanOrEqual(current.cost * (1 + 1e-9));
    expect(now.predicted.estimate).toBeGreaterThanOrEqual(current.predicted.estimate - 1e-9);
  } else {
    if (before.edits.length > 0) expect(now.cost, "within the budget").toBeLessThanOrEqual(budget * (1 + 1e-9));
    if (current.cost <= budget * (1 + 1e-9))
      // The mean over laws and draws does not fall; what is predicted is the fitted law's.
      expect(now.predicted.estimate, "success").toBeGreaterThanOrEqual(current.predicted.estimate - 2e-3);
  }
  // What was said of the edits is what the file comes to.
  if (before.alone) expect(before.alone.change.second.predicted.estimate).toBeCloseTo(now.predicted.estimate, 9);
}

const paths = ({ edits }: AllocationView) => edits.map(({ path }) => path);

describe("edits that stand by themselves", () => {
  it.each<[string, string, string, string, readonly string[]]>([
    [
      "a verl config in epochs",
      "verl.yaml",
      VERL_YAML("total_epochs: 4"),
      PRICES + FACTS(9000, 4),
      ["data.train_max_samples", "trainer.total_epochs"],
    ],
    [
      "a verl config in steps",
      "verl.yaml",
      VERL_YAML("total_training_steps: 400"),
      PRICES + FACTS(9000, 4),
      ["data.train_max_samples", "trainer.total_training_steps"],
    ],
    [
      "a verl launch script",
      "run.sh",
      VERL_SCRIPT,
      PRICES + FACTS(9000, 4),
      ["data.train_max_samples", "trainer.total_epochs"],
    ],
    [
      "a verl config without a limit on its rows",
      "verl.yaml",
      VERL_YAML("total_epochs: 4", null),
      PRICES + FACTS(2048, 4),
      [],
    ],
    ["a TRL script, of which only the steps can be written", "train.py", TRL, PRICES + FACTS(2048, 12), []],
    [
      "a budget",
      "x.budget.yaml",
      NATIVE("tasks: 1000, environments: 10, trajectories: 64"),
      PRICES,
      ["budget.tasks", "budget.environments", "budget.trajectories"],
    ],
    [
      "a budget in epochs",
      "x.budget.yaml",
      NATIVE("tasks: 1024, environments: 4, group_size: 8, epochs: 4, prompts_per_step: 32"),
      PRICES,
      ["budget.tasks", "budget.environments", "budget.epochs"],
    ],
    [
      "a budget whose environments stand elsewhere",
      "x.budget.yaml",
      `${NATIVE("tasks: 2000, environments: *n, trajectories: 16").replace("name: x", "name: x\ngpus: &n 2")}`,
      PRICES,
      ["budget.tasks", "budget.trajectories"],
    ],
    [
      "a budget in TOML",
      "x.budget.toml",
      'name = "x"\nmodel = "Qwen3-8B"\nalgorithm = "grpo"\ndesign = "nested"\ntokens_per_trajectory = 5_000\n[budget]\ntasks = 1_000\nenvironments = 10\ntrajectories = 64\n',
      PRICES,
      ["budget.tasks", "budget.environments", "budget.trajectories"],
    ],
  ])("%s", async (_case, name, text, scaling, wanted) => {
    const pressed = await press(name, text, scaling);
    expect(paths(pressed.before)).toEqual(wanted);
    stands(pressed);
    for (const mode of [
      { kind: "same-success" },
      { kind: "budget", amount: 2 * pressed.before.result.current.cost },
      { kind: "budget", amount: 0.6 * pressed.before.result.current.cost },
    ] as const)
      stands(await press(name, text, scaling, { mode }));
    stands(await press(name, text, scaling, { recommend: "robust" }));
  });

  it("where the tasks are changed by hand, the file's part is that of the new tasks, not of the rows that stood there", async () => {
    const text = VERL_YAML("total_epochs: 3", null, 256);
    const before = await assessed("verl.yaml", text, PRICES + FACTS(1000, 6), {});
    expect(before.remainder.map(({ axis }) => axis)).toEqual(["environments", "tasks"]);
    const { tasks, environments, trajectories } = recommendedSplit(before.result).levels;
    expect(tasks! % 256).toBe(0);
    expect(before.alone!.together.map(({ path, to }) => `${path} ${to}`)).toEqual([
      `trainer.total_epochs ${trajectories! / 8}`,
    ]);
    // All of it done, the file is the best split.
    const done = splice(
      text,
      before.alone!.together.map(({ span, to }) => ({ span, newText: to })),
    );
    const after = await assessed("verl.yaml", done, PRICES + FACTS(tasks!, environments!), {});
    expect(after.result.current.levels).toMatchObject({ tasks, environments, trajectories });
  });

  it("hold what the file cannot move, solve the rest again, and tell the whole best split beside", async () => {
    const { before } = await press("verl.yaml", VERL_YAML("total_epochs: 4"), PRICES + FACTS(9000, 4));
    const alone = before.alone!;
    expect(alone.held).toEqual(["environments"]);
    expect(before.remainder.map(({ axis }) => axis)).toEqual(["environments"]);
    const best = recommendedSplit(before.result);
    const { first, second } = alone.change;
    expect(second.levels.environments).toBe(4);
    expect(second.levels.tasks).not.toBe(best.levels.tasks);
    expect(first.predicted.estimate).toBeLessThan(second.predicted.estimate);
    expect(second.predicted.estimate).toBeLessThan(best.predicted.estimate);
    expect(alone.change.points.low).toBeLessThan(alone.change.points.estimate);
    // This file's part of the whole best split is told too, and is not what is written.
    expect(alone.together.map(({ path }) => path)).toEqual(paths(before));
    expect(alone.together.map(({ to }) => to)).not.toEqual(before.edits.map(({ to }) => to));
    // No other number of tasks and epochs of this file is better within the budget.
    const law = before.problem.law.point;
    const error = (tasks: number, trajectories: number) =>
      law.error(
        law.axes.map((axis) =>
          axis === "tasks" ? tasks : axis === "trajectories" ? trajectories : axis === "environments" ? 4 : 8e9,
        ),
      );
    for (let tasks = 64; tasks <= 4096; tasks += 64)
      for (let epochs = 1; epochs <= 200; epochs++) {
        const cost = before.cost.cost({ tasks, environments: 4, trajectories: 8 * epochs, parameters: 8e9 });
        if (cost.ok && cost.value <= before.result.budget)
          expect(1 - error(tasks, 8 * epochs)).toBeLessThanOrEqual(second.predicted.estimate + 1e-3);
      }
  });

  it("keep whole batches and whole groups where a file counts epochs", async () => {
    for (const batch of [64, 96, 100]) {
      const { before, after } = await press(
        "verl.yaml",
        VERL_YAML("total_epochs: 4", 2048, batch),
        PRICES + FACTS(9000, 4),
      );
      const { tasks, trajectories } = after.result.current.levels;
      expect(before.edits.length).toBeGreaterThan(0);
      expect(tasks! % batch).toBe(0);
      expect(trajectories! % 8).toBe(0);
    }
  });

  it("know a default that ends the run before what is written would", async () => {
    // verl runs 30 epochs where none are stated.
    const { before, after } = await press("verl.yaml", VERL_YAML("total_training_steps: 400"), PRICES + FACTS(9000, 4));
    expect(recommendedSplit(before.result).levels.trajectories).toBeGreaterThan(240);
    expect(after.result.current.levels.trajectories).toBeLessThanOrEqual(240);
    expect(before.remainder.find(({ axis }) => axis === "trajectories")?.reason).toContain("default");
    expect(before.alone!.change.points.estimate).toBeGreaterThan(1);
    const cheaper = await press("verl.yaml", VERL_YAML("total_training_steps: 400"), PRICES + FACTS(9000, 4), {
      mode: { kind: "same-success" },
    });
    stands(cheaper);
    expect(cheaper.after.result.current.cost).toBeLessThan(0.9 * cheaper.before.result.current.cost);
  });

  it("keep within 3× of the fitted runs, as the whole best split does, whatever is asked", async () => {
    const text = VERL_YAML("total_epochs: 4", null);
    const scaling = PRICES + FACTS(2048, 4);
    const { max } = simulatedFit().ranges.trajectories;
    const asks: AssessOptions[] = [
      { mode: { kind: "scale", factor: 500 } },
      { mode: { kind: "budget", amount: 1e6, unit: "USD" } },
      ...[0.55, 0.6, 0.65, 0.7, 0.75].map((success) => ({ mode: { kind: "same-success" as const, success } })),
    ];
    const reached = new Set<boolean>();
    for (const ask of asks) {
      const view = await assessed("verl.yaml", text, scaling, { ...ask, bold: false });
      const { second } = view.alone!.change;
      expect(second.levels.trajectories).toBeLessThanOrEqual(3 * max * (1 + 1e-9));
      if (ask.mode?.kind !== "same-success") expect(paths(view)).toEqual(["trainer.total_epochs"]);
      else if (view.edits.length > 0)
        expect(second.predicted.estimate).toBeGreaterThanOrEqual(ask.mode.success! - 1e-9);
      expect(isOutOfReach(view)).toBe(ask.mode?.kind === "same-success" && view.edits.length === 0);
      reached.add(isOutOfReach(view));
    }
    expect([...reached].sort()).toEqual([false, true]);
    // A limit of the user's own goes further.
    const limited = await assessed("verl.yaml", text, `${scaling}limits: { trajectories: [8, ${30 * max}] }\n`, {
      mode: { kind: "scale", factor: 500 },
      bold: false,
    });
    expect(limited.alone!.change.second.levels.trajectories).toBeGreaterThan(3 * max);
  });

  it("respect the user's pins", async () => {
    for (const pin of ["tasks", "trajectories", "environments"]) {
      for (const [name, text, scaling] of [
        ["verl.yaml", VERL_YAML("total_epochs: 4"), PRICES + FACTS(9000, 4)],
        ["x.budget.yaml", NATIVE("tasks: 1000, environments: 10, trajectories: 64"), PRICES],
      ] as const) {
        const pressed = await press(name, text, scaling, { pins: [pin] });
        stands(pressed);
        expect(pressed.after.result.current.levels[pin]).toBe(pressed.before.result.current.levels[pin]);
      }
    }
  });

  it("leave what is to be spent as it is stated, and say for how many rollouts hours were measured", async () => {
    for (const stated of ["3.2e19 FLOPs", "1.5 kGPUh", "150 USD", "2 * 16e18 FLOPs"]) {
      const pressed = await press(
        "x.budget.yaml",
        NATIVE("tasks: 2000, environments: 24, trajectories: 16", `compute: ${stated}\n`),
        PRICES,
      );
      expect(paths(pressed.before)).not.toContain("compute");
      stands(pressed);
    }
    for (const [measured, written] of [
      ["measured: { gpu_hours: 64 }\n", "measured: { gpu_hours: 64, rollouts: 32000 }"],
      [
        "measured:\n  gpu_hours: 64 GPUh # from the log\n",
        "measured:\n  gpu_hours: 64 GPUh # from the log\n  rollouts: 32000\n",
      ],
      [
        "# {\r\nmeasured:\r\n  gpu_hours: 64 # mine\r\n",
        "measured:\r\n  gpu_hours: 64 # mine\r\n  rollouts: 32000\r\n",
      ],
    ]) {
      const text = NATIVE("tasks: 2000, environments: 24, trajectories: 16", measured);
      const pressed = await press("x.budget.yaml", text, PRICES);
      expect(paths(pressed.before)).toContain("measured.rollouts");
      expect(pressed.written).toContain(written);
      stands(pressed);
      // What was measured is never written over, and the next press finds it said.
      expect(paths(pressed.after)).not.toContain("measured.rollouts");
    }
    // Where it cannot be said, nothing is written: the file would price its rollouts anew.
    const fixed = await press(
      "x.budget.yaml",
      NATIVE("tasks: 2000, environments: 24, trajectories: 16", "domain: &c 64\nmeasured: { gpu_hours: *c }\n"),
      PRICES,
    );
    expect(paths(fixed.before)).toEqual([]);
    expect(fixed.before.remainder.map(({ axis }) => axis)).toEqual(["measured.rollouts"]);
  });

  it("keep a mix of real and synthetic units that is not to move", async () => {
    const text = `${NATIVE("tasks: 2000, environments: 24, trajectories: 16")}synthesis:\n  environments: { method: genenv, real: 6, synthetic: 18 }\nowned: { environments: 6 }\n`;
    stands(await press("x.budget.yaml", text, PRICES, { pins: ["tasks"] }));
    stands(await press("x.budget.yaml", text, PRICES));
  });

  it("hold over budgets, durations and prices", async () => {
    const amount = (low: number, high: number) =>
      fc.double({ min: Math.log(low), max: Math.log(high), noNaN: true }).map((x) => Math.round(Math.exp(x)));
    const verl = fc
      .record({
        duration: fc.oneof(
          amount(1, 40).map((n) => `total_epochs: ${n}`),
          amount(10, 2000).map((n) => `total_training_steps: ${n}`),
        ),
        samples: fc.option(amount(300, 20_000)),
        batch: fc.constantFrom(32, 64, 96, 256),
        rows: fc.option(amount(300, 20_000)),
        environments: amount(2, 60),
      })
      .filter(({ samples, rows }) => samples !== null || rows !== null)
      .map(
        ({ duration, samples, batch, rows, environments }) =>
          ["verl.yaml", VERL_YAML(duration, samples, batch), FACTS(rows, environments)] as const,
      );
    const native = fc
      .record({
        tasks: amount(200, 20_000),
        environments: amount(2, 100),
        trajectories: amount(2, 100),
        declared: fc.constantFrom(
          "",
          "compute: 3.2e19 FLOPs\n",
          "compute: 4000 USD\n",
          "measured: { gpu_hours: 90 }\n",
        ),
      })
      .map(
        ({ tasks, environments, trajectories, declared }) =>
          [
            "x.budget.yaml",
            NATIVE(`tasks: ${tasks}, environments: ${environments}, trajectories: ${trajectories}`, declared),
            "",
          ] as const,
      );
    const prices = fc.constantFrom("", PRICES, "prices: { environment: 400 USD, task: 5 USD }\n");
    const mode = fc.constantFrom(undefined, { kind: "same-success" } as const);
    await fc.assert(
      fc.asyncProperty(fc.oneof(verl, native), prices, mode, async ([name, text, facts], price, how) => {
        stands(await press(name, text, price + facts, { mode: how }));
      }),
      { numRuns: 150, seed: 11 },
    );
  }, 120_000);
});
