import { describe, expect, test } from "vitest";
import type { ConfigDocument } from "../../server/configs/document";
import { readConfig } from "../../server/configs/read";
import { planEdits } from "../../server/configs/wayBack";
import { grammars } from "./grammars";

const read = (name: string, text: string): Promise<ConfigDocument> =>
  readConfig({ uri: `file:///w/${name}`, text, readText: async () => undefined, grammars });

const VERL =
  "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=a.parquet data.train_batch_size=64 " +
  "data.train_max_samples=1024 actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8";
const verlYaml = (trainer: string) => `data: { train_files: a.parquet, train_batch_size: 64, train_max_samples: 1024 }
actor_rollout_ref: { model: { path: Qwen/Qwen3-8B }, rollout: { n: 8 } }
algorithm: { adv_estimator: grpo }
trainer: { n_gpus_per_node: 8, ${trainer} }
`;
const trl = (before: string, args: string, after = "") => `from trl import GRPOConfig, GRPOTrainer
${before}
args = GRPOConfig(num_generations=8, per_device_train_batch_size=8, ${args})
${after}
trainer = GRPOTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=data.select(range(1000)))
`;

/** A file whose epochs (or tasks, or rollouts) feed something else, and what has to be named before they could be moved. */
const SHARED: readonly (readonly [kind: string, name: string, text: string, names: string])[] = [
  [
    "an anchor that another axis takes",
    "a.budget.yaml",
    "budget:\n  tasks: 20\n  environments: *n\n".replace("20", "&n 20") + "  trajectories: 8\n",
    "`budget.environments`",
  ],
  [
    "an anchor that `owned` takes",
    "a.budget.yaml",
    "budget: { tasks: &n 400, environments: 3, trajectories: 8 }\nowned: { tasks: *n }\n",
    "`owned.tasks`",
  ],
  [
    "a merged map",
    "a.budget.yaml",
    "experiments:\n  - name: one\n    budget: &b { tasks: 400, environments: 3, trajectories: 8 }\n" +
      "  - name: two\n    budget: { <<: *b, environments: 5 }\n",
    "`experiments[1].budget.tasks`",
  ],
  [
    "keys above several experiments",
    "a.budget.yaml",
    "budget: { tasks: 400, environments: 3 }\nexperiments:\n  - name: one\n    budget: { trajectories: 8 }\n" +
      "  - name: two\n    budget: { trajectories: 16 }\n",
    "the experiment `two`",
  ],
  ["an alias in a framework's YAML", "v.yaml", verlYaml("total_epochs: &e 15, save_freq: *e"), "`trainer.save_freq`"],
  [
    "a reference in a framework's YAML",
    "v.yaml",
    verlYaml('total_epochs: 15, default_local_dir: "out/${trainer.total_epochs}"'),
    "`trainer.default_local_dir`",
  ],
  [
    "arithmetic on it",
    "v.sh",
    `E=15\n${VERL} trainer.total_epochs=$E trainer.save_freq=$((E*100))\n`,
    "`trainer.save_freq`",
  ],
  [
    "a path",
    "v.sh",
    `E=15\n${VERL} trainer.total_epochs=$E trainer.default_local_dir=out/$E\n`,
    "`trainer.default_local_dir`",
  ],
  ["an array of jobs", "v.sh", `E=15\nsbatch --array=1-$E other.sh\n${VERL} trainer.total_epochs=$E\n`, "line 2"],
  [
    "a loop's bounds",
    "v.sh",
    `E=15\nfor i in $(seq 1 $E); do echo $i; done\n${VERL} trainer.total_epochs=$E\n`,
    "line 2",
  ],
  [
    "a counting loop",
    "v.sh",
    `E=15\nfor ((i=0; i<E; i++)); do echo $i; done\n${VERL} trainer.total_epochs=$E\n`,
    "line 2",
  ],
  ["a folder", "v.sh", `E=15\nmkdir -p out/$E\n${VERL} trainer.total_epochs=$E\n`, "line 2"],
  ["another program", "v.sh", `E=15\npython prepare.py --epochs $E\n${VERL} trainer.total_epochs=$E\n`, "line 2"],
  [
    "a second launch",
    "v.sh",
    `E=15\n${VERL} trainer.total_epochs=$E\n${VERL} trainer.total_epochs=$E data.train_batch_size=32\n`,
    "line 3",
  ],
  [
    "arguments of two launches",
    "v.sh",
    `ARGS=(trainer.total_epochs=15)\n${VERL} "\${ARGS[@]}"\n${VERL} "\${ARGS[@]}" data.train_batch_size=32\n`,
    "the experiment `v (2)`",
  ],
  [
    "the rounds of a loop",
    "v.sh",
    `for B in 32 64; do\n${VERL} trainer.total_epochs=15 data.train_batch_size=$B\ndone\n`,
    "the experiment `B=64`",
  ],
  [
    "two calls of a function",
    "v.sh",
    `run() { ${VERL} trainer.total_epochs=15 data.train_batch_size=$1; }\nrun 32\nrun 64\n`,
    "the experiment `v (2)`",
  ],
  ["Python: arithmetic", "t.py", trl("E = 3", "num_train_epochs=E, save_steps=E * 100"), "`save_steps`"],
  ["Python: a path", "t.py", trl("E = 3", 'num_train_epochs=E, output_dir=f"out/{E}"'), "`output_dir`"],
  ["Python: a loop", "t.py", trl("E = 3\nfor i in range(E):\n    make(i)", "num_train_epochs=E"), "`range(E)`"],
  [
    "Python: a field of a class",
    "t.py",
    trl(
      "from dataclasses import dataclass\n@dataclass\nclass C:\n    epochs: int = 3\nc = C()",
      "num_train_epochs=c.epochs, save_steps=c.epochs * 10",
    ),
    "`save_steps`",
  ],
  [
    "Python: an entry of a dictionary",
    "t.py",
    trl('c = {"epochs": 3}', 'num_train_epochs=c["epochs"], save_steps=c["epochs"] * 10'),
    "`save_steps`",
  ],
  [
    "Python: a parameter",
    "t.py",
    `from trl import GRPOConfig, GRPOTrainer
def make(e):
    return GRPOConfig(num_train_epochs=e, save_steps=e * 100, num_generations=8, per_device_train_batch_size=8)
trainer = GRPOTrainer(model="Qwen/Qwen3-8B", args=make(3), train_dataset=data.select(range(1000)))
`,
    "`save_steps`",
  ],
];

describe("a value that feeds something else is not moved", () => {
  test.each(SHARED)("%s", async (_kind, name, text, names) => {
    const document = await read(name, text);
    const [{ axes }] = document.experiments;
    const target =
      name === "a.budget.yaml"
        ? { tasks: (axes.tasks.value ?? 0) / 2 }
        : { trajectories: 2 * (axes.trajectories.value ?? NaN) };
    const plan = planEdits(document, 0, target);
    expect(plan.edits).toEqual([]);
    expect(plan.remainder.map(({ reason }) => reason).join("\n")).toContain(names);
    // Hints and hovers know it too.
    expect(document.experiments[0].sites.some(({ editable, whyNot }) => !editable && whyNot?.includes(names))).toBe(
      true,
    );
  });
});

/** The same where nothing else follows, or only what is meant to: these are moved, and what moves along is said. */
const FREE: readonly (readonly [kind: string, name: string, text: string, along: string | null])[] = [
  ["a variable of one key", "v.sh", `E=15\n${VERL} trainer.total_epochs=$E\n`, null],
  ["a name that carries it", "v.sh", `E=15\n${VERL} trainer.total_epochs=$E trainer.experiment_name=grpo_$E\n`, null],
  ["what is only printed", "v.sh", `E=15\necho "epochs $E"\n${VERL} trainer.total_epochs=$E\n`, null],
  [
    "a sweep over something that is no part of a budget",
    "v.sh",
    `for lr in 1e-6 2e-6; do\n${VERL} trainer.total_epochs=15 actor_rollout_ref.actor.optim.lr=$lr\ndone\n`,
    null,
  ],
  [
    "another way to start the script",
    "v.sh",
    `if [ "$MODE" = fast ]; then B=32; else B=64; fi\n${VERL} trainer.total_epochs=15 data.train_batch_size=$B\n`,
    "the experiment `MODE=fast` moves along",
  ],
  ["Python: a name", "t.py", trl("E = 3", 'num_train_epochs=E, run_name=f"grpo-{E}"', "print(E)"), null],
  ["Python: names handed on", "t.py", trl("D = 3\nE = D", "num_train_epochs=E"), null],
];

describe("a value that nothing else takes is moved", () => {
  test.each(FREE)("%s", async (_kind, name, text, along) => {
    const document = await read(name, text);
    const plan = planEdits(document, 0, { trajectories: 2 * (document.experiments[0].axes.trajectories.value ?? NaN) });
    expect(plan.edits).toHaveLength(1);
    if (along) expect(plan.edits[0].label).toContain(along);
    else expect(plan.edits[0].label).not.toContain("moves along");
  });

  test("a key that is the same quantity by reference moves along, and is said", async () => {
    const text = 'group_size: 8\nsampling_params: { n: "${group_size}" }\n';
    const rest = "model: Qwen/Qwen3-8B\nlocal_batch_size: 16\ntrainer: { training: { steps: 5000 } }\n";
    const document = await read("grpo.yaml", `${text}${rest}rollout_threads: 1\nref_model: {}\nactors: {}\n`);
    const plan = document.experiments.length > 0 ? planEdits(document, 0, { groupSize: 16 }) : null;
    if (plan) expect(plan.edits[0].label).toContain("`sampling_params.n` moves along");
  });
});

describe("two experiments of one name", () => {
  test.each([
    ["experiments", "experiments:\n  - { name: x, budget: { tasks: 1 } }\n  - { name: x, budget: { tasks: 2 } }\n"],
    ["documents", "name: x\nbudget: { tasks: 1 }\n---\nname: x\nbudget: { tasks: 2 }\n"],
  ])("%s are told apart by their place, with a warning", async (_kind, text) => {
    const document = await read("a.budget.yaml", text);
    expect(document.experiments.map(({ name, axes }) => [name, axes.tasks.value])).toEqual([
      ["x", 1],
      ["x (2)", 2],
    ]);
    expect(document.diagnostics).toContainEqual(
      expect.objectContaining({ code: "budget.same-name", severity: "warning" }) as unknown,
    );
  });
});
