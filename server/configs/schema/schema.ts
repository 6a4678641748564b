import * as z from "zod/mini";
import { LAW_NAMES } from "../../core/laws/list";
import { spending } from "./spending";
import { documented, quantity, synthesis } from "./synthesis";

/**
 * The shapes of our own files, written once: validation, the contributed JSON Schemas, hovers and completion all come from here.
 * Numbers may be expressions with units, so the shape only asks for a number or text; `readers.ts` checks the value.
 */
export const REWARD_SCHEMES = ["terminal", "per-step", "process", "shaped"] as const;
export const DESIGNS = ["nested", "factorial"] as const;
export const SYNTHESIS_AXES = ["environments", "worlds", "structures", "tasks", "trajectories"] as const;

const axisAmounts = (what: string) => ({
  tasks: documented(quantity(), `Tasks ${what}.`),
  environments: documented(quantity(), `Environments ${what}.`),
  worlds: documented(quantity(), `Worlds ${what}.`),
  structures: documented(quantity(), `Structures ${what}.`),
});

const budgetSection = z.strictObject({
  tasks: documented(
    quantity(),
    "D_T: unique task specifications in the training set. Counted once, however often they are rolled out.",
  ),
  environments: documented(
    quantity(),
    "D_E: distinct environment instances. Another seed or content of the same world and structure is not a new one. Use either this or `worlds` and `structures`.",
  ),
  worlds: documented(
    quantity(),
    "D_W: distinct underlying worlds (repositories, sites, apps, corpora). Together with `structures`, instead of `environments`.",
  ),
  structures: documented(
    quantity(),
    "D_V: distinct environment structures (tool interface, state schema, transitions, verifier). Together with `worlds`, instead of `environments`.",
  ),
  trajectories: documented(
    quantity(),
    "D_τ: mean rollouts per covered task × environment cell, over the whole run. Not the group size: a group size of 8 over two epochs gives 16.",
  ),
  reward_scheme: documented(
    z.enum(REWARD_SCHEMES),
    "When reward is given: at the end only (`terminal`), at each step, by a process model, or shaped by hand. Runs of different schemes are not pooled.",
  ),
  reward_density: documented(
    quantity(),
    "D_R in (0, 1]: share of environment steps that carry a graded reward. Terminal reward over H steps is 1/H. Held fixed, never optimised.",
  ),
  group_size: documented(
    quantity(),
    "n: rollouts of one prompt per step, compared with one another by group-relative algorithms. At least 2 for those.",
  ),
  prompts_per_step: documented(
    quantity(),
    "P: unique prompts (tasks) per training step. Never edited by an optimisation.",
  ),
  steps: documented(quantity(), "S: training steps of the run."),
  epochs: documented(quantity(), "Passes over the tasks. Inner epochs (updates on the same rollouts) are not meant."),
});

/** What a run's cost depends on beside its axes. */
function costShape() {
  return {
    tokens: documented(
      z.strictObject({
        prompt: documented(quantity(), "Mean tokens of a prompt."),
        response: documented(
          quantity(),
          "Mean tokens that a trajectory adds to its prompt: answers and tool results, all turns together.",
        ),
        response_max: documented(
          quantity(),
          "Limit on what a trajectory adds to its prompt; the mean is usually 10–30 % of it.",
        ),
      }),
      "Tokens of one trajectory: means, and the limit.",
    ),
    turns: documented(quantity(), "Mean turns of a trajectory: 1 is a single answer."),
    evaluation: documented(
      z.strictObject({
        every: documented(quantity(), "Training steps between two evaluations."),
        samples: documented(quantity(), "Rollouts of one evaluation: its prompts × the samples of each."),
        before_training: documented(z.boolean(), "Whether it is evaluated before the first step too."),
        batch: documented(
          quantity(),
          "Rollouts that an evaluation makes at once. Left out: between a training batch and all of them.",
        ),
      }),
      "Evaluations during training: often the largest part of the GPU-hours.",
    ),
    dynamic_sampling: documented(
      quantity(),
      "Generated ÷ trained rollouts, where groups without signal are thrown away and drawn again: `1.6`, or `auto` from pass rates.",
    ),
    lora: documented(
      z.union([z.boolean(), z.strictObject({ rank: documented(quantity(), "Rank of the adapters.") })]),
      "Whether adapters are trained instead of the whole model: `true`, `false` or `{ rank: 32 }`.",
    ),
    layout: documented(
      z.enum(["colocated", "disaggregated", "async"]),
      "`colocated`: rollouts and training take turns on the same GPUs. `disaggregated`: each has its own, one waits for the other. `async`: both work at once.",
    ),
    environment_seconds: documented(
      quantity(),
      "Seconds that the environment or its tools take for one turn. Left out, this time is unknown and not counted.",
    ),
  };
}

const experimentShape = {
  $schema: z.optional(z.string()),
  name: documented(z.string(), "The experiment's name, shown in lenses and tables."),
  model: documented(
    z.string(),
    "Model that is trained, by name or path. Its size is read from the name (`Qwen3-8B`, `30B-A3B`) unless `parameters` says it.",
  ),
  parameters: documented(quantity(), "N: parameters of the model, such as `8.2e9` or `8.2B`."),
  active_parameters: documented(
    quantity(),
    "Parameters used for one token, where the model is a mixture of experts; costs are counted with these.",
  ),
  algorithm: documented(z.string(), "Training algorithm (`grpo`, `ppo`, `rloo`, …). Fits are kept apart by it."),
  domain: documented(z.string(), "Kind of task (`tool-use`, `swe`, `web`, …). Fits are kept apart by it."),
  ...spending(),
  design: documented(
    z.enum(DESIGNS),
    "`nested`: each task is rolled out in its own environment. `factorial`: tasks are rolled out in every environment (see `coverage`). It decides what a task or an environment costs.",
  ),
  coverage: documented(
    quantity(),
    "Share of the task × environment cells that are rolled out, in (0, 1]; for the factorial design.",
  ),
  budget: documented(budgetSection, "The split of the budget over the data axes."),
  owned: documented(
    z.strictObject(axisAmounts("that already exist and cost nothing more")),
    "Units that are already made: they are free.",
  ),
  tokens_per_trajectory: documented(
    quantity(),
    "Mean tokens of one trajectory, prompt, tool results and answers together. Run logs give the measured value.",
  ),
  max_prompt_tokens: documented(quantity(), "Limit on the prompt, in tokens."),
  max_response_tokens: documented(quantity(), "Limit on what one trajectory adds to its prompt, in tokens."),
  max_turns: documented(quantity(), "Limit on the turns of a trajectory."),
  ...costShape(),
  gpus: documented(quantity(), "GPUs that the run uses, all pools together. Also `hardware.count` in `scaling.yaml`."),
  synthesis: documented(synthesis(), "How much of each axis is synthetic, and by which method."),
};

/** An experiment's own keys; a file holds one, several YAML documents, or a list of `experiments` that share the keys above it. */
export const budgetSchema = z.strictObject({
  ...experimentShape,
  experiments: documented(
    z.array(z.strictObject(experimentShape)),
    "Several experiments in one file. Each takes the keys above for what it does not say itself.",
  ),
});

const LIMITED_AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"] as const;
const AXIS_TITLES: Readonly<Record<(typeof LIMITED_AXES)[number], string>> = {
  tasks: "tasks",
  environments: "environments",
  worlds: "worlds",
  structures: "structures",
  trajectories: "rollouts per cell",
  parameters: "model parameters",
};

function perAxis<Schema extends z.ZodMiniType>(
  schema: () => Schema,
  describe: (axis: string) => string,
): Record<(typeof LIMITED_AXES)[number], z.ZodMiniOptional<Schema>> {
  return Object.fromEntries(
    LIMITED_AXES.map((axis) => [axis, documented(schema(), describe(AXIS_TITLES[axis]))]),
  ) as Record<(typeof LIMITED_AXES)[number], z.ZodMiniOptional<Schema>>;
}

const globs = () => z.union([z.string(), z.array(z.string())]);

const unitPrices = (kind: string) => ({
  environment: documented(quantity(), `Price of making one ${kind} environment, such as \`40 USD\`.`),
  world: documented(quantity(), `Price of making one ${kind} world.`),
  structure: documented(quantity(), `Price of making one ${kind} structure.`),
  task: documented(quantity(), `Price of making one ${kind} task, such as \`0.5 USD\`.`),
});

const factRule = z.strictObject({
  files: globs().register(z.globalRegistry, {
    description:
      "Configs and runs that these facts hold for: one glob or several, relative to this file. Names in braces take levels from paths: `runs/t{tasks}-e{environments}/**`.",
  }),
  tasks: documented(quantity(), "Unique tasks in the training set."),
  environments: documented(quantity(), "Distinct environments."),
  worlds: documented(quantity(), "Distinct worlds."),
  structures: documented(quantity(), "Distinct structures."),
  trajectories: documented(quantity(), "Mean rollouts per covered task × environment cell, over the whole run."),
  reward_density: documented(quantity(), "Share of environment steps with a graded reward, in (0, 1]."),
  reward_scheme: documented(z.enum(REWARD_SCHEMES), "When reward is given."),
  tokens_per_trajectory: documented(quantity(), "Mean tokens of one trajectory."),
  parameters: documented(quantity(), "Parameters of the model, where its name does not say."),
  active_parameters: documented(quantity(), "Parameters used for one token."),
  model: documented(z.string(), "Model name, where the config only has a path."),
  steps: documented(quantity(), "Training steps of the run."),
  prompts_per_step: documented(quantity(), "Unique prompts per step."),
  group_size: documented(quantity(), "Rollouts per prompt."),
  epochs: documented(quantity(), "Passes over the tasks."),
  max_turns: documented(quantity(), "Limit on the turns of a trajectory."),
  prompt_tokens: documented(quantity(), "Mean tokens of a prompt."),
  response_tokens: documented(quantity(), "Mean tokens that a trajectory adds to its prompt."),
  turns: documented(quantity(), "Mean turns of a trajectory."),
  evaluation_samples: documented(quantity(), "Rollouts of one evaluation."),
  dynamic_sampling: documented(quantity(), "Generated ÷ trained rollouts."),
  pass_rate: documented(
    quantity(),
    "Mean share of rollouts that succeed, in (0, 1]: what dynamic sampling throws away.",
  ),
  environment_seconds: documented(quantity(), "Seconds that the environment takes for one turn."),
  gpus: documented(quantity(), "GPUs that the run uses."),
  algorithm: documented(z.string(), "Training algorithm."),
  domain: documented(z.string(), "Kind of task."),
  seed: documented(
    z.union([z.number(), z.string()]),
    "Training seed; runs that differ in nothing else are replicates.",
  ),
  setting: documented(z.string(), "A label of your own for runs that are pooled."),
  design: documented(z.enum(DESIGNS), "Nested or factorial."),
  coverage: documented(quantity(), "Share of cells that are rolled out (factorial design)."),
  owned: documented(z.strictObject(axisAmounts("that already exist")), "Units that are already made: they are free."),
  synthesis: documented(synthesis(), "How much of each axis is synthetic."),
});

export const scalingSchema = z.strictObject({
  $schema: z.optional(z.string()),
  fit: documented(
    z.string(),
    "A saved fit (`*.fit.json`), relative to this file. With `logs` instead, the fit is made again when they change.",
  ),
  logs: documented(globs(), "Where the run logs are: folders, globs or addresses of stores, relative to this file."),
  metric: documented(z.string(), "The metric that is the success rate, as the logs name it (`val-core/*/acc/mean@1`)."),
  final: documented(
    z.enum(["last3", "last"]),
    "A run's value: the mean of its last three evaluations (default), or the last one. Training rollouts count over a window of 500 where nothing is said.",
  ),
  scale: documented(
    z.union([z.string(), z.array(quantity())]),
    "How the metric's values are written, where they are no shares of 1: `percent`, `plus-minus-one` (a scorer that gives −1 or 1), or the values of no success and of full success, such as `[0, 2]`.",
  ),
  columns: documented(
    z.record(z.string(), z.string()),
    "What the logs call each column, where names differ: `tasks: data/num_prompts`.",
  ),
  law: documented(z.enum(LAW_NAMES), "The law to fit, or `auto` (default) to select one."),
  convergence: documented(
    z.enum(["keep", "drop"]),
    "Runs whose own curve still climbs: `keep` (default) counts them as they ended and names them, `drop` leaves them out of the fit.",
  ),
  include: documented(
    z.enum(["finished", "running"]),
    "Which runs a fit uses: `finished` (default; stopped ones by the steps that they took), or `running` for those that are on too, by their forecasts with their variance.",
  ),
  hardware: documented(
    z.strictObject({
      gpu: documented(z.string(), "GPU model (`H100`, `A100`, …); its peak is known for common ones."),
      count: documented(quantity(), "GPUs of the run."),
      price: documented(quantity(), "Price of one GPU for one hour: `2.5 USD/h`."),
      peak: documented(
        quantity(),
        "Peak throughput of one GPU, such as `989 TFLOPS`, where the model is not a common one.",
      ),
      utilisation: documented(
        z.strictObject({
          generation: documented(quantity(), "Share of the peak that generation reaches, in (0, 1]."),
          training: documented(quantity(), "Share of the peak that training reaches, in (0, 1]."),
        }),
        "How much of the peak is reached.",
      ),
    }),
    "What the run is trained on; FLOPs, GPU-hours and money are converted with it.",
  ),
  tariffs: documented(
    z.array(
      z.strictObject({
        model: documented(z.string(), "Model that the tariff is for, by name."),
        provider: documented(z.string(), "Who trains: `tinker`, … Left out, it holds for every provider."),
        prefill: documented(quantity(), "USD per million tokens that are read: `0.13 USD`."),
        sample: documented(quantity(), "USD per million tokens that are sampled."),
        train: documented(quantity(), "USD per million tokens that are trained."),
      }),
    ),
    "Prices of hosted training, USD per million tokens. They win over those that ship, which are dated.",
  ),
  prices: documented(
    z.strictObject({
      ...unitPrices("real"),
      synthetic: documented(
        z.strictObject({
          ...unitPrices("synthetic"),
          trajectory: documented(quantity(), "Price of generating one synthetic trajectory."),
        }),
        "Prices of synthetic units.",
      ),
    }),
    "What it costs to make one more unit of each axis. Every optimum states the prices that it rests on.",
  ),
  limits: documented(
    z.strictObject(
      perAxis(
        () => z.array(quantity()),
        (axis) => `Least and most ${axis} that an optimisation may choose: \`[1, 200]\`.`,
      ),
    ),
    "Bounds of the optimisation.",
  ),
  models: documented(
    z.array(quantity()),
    "Models to choose among where parameters are free (`--free parameters`), by name or size: `[Qwen3-8B, 14B]`. Left out, those of the fitted runs.",
  ),
  pin: documented(z.array(z.enum(LIMITED_AXES)), "Axes that an optimisation leaves as they are."),
  design: documented(z.enum(DESIGNS), "Design of experiments whose config cannot say it."),
  facts: documented(
    z.array(factRule),
    "What no config can state, by file: a list of rules, or a map from globs to facts. Later rules win over earlier ones; a value in the config wins over both.",
  ),
});
