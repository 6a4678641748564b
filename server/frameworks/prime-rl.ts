import { primeRlCost } from "./cost/others";
import { isKnown, known, type FrameworkRule } from "../budget/budget";
import {
  because,
  byDefault,
  combined,
  first,
  groupHelp,
  mapped,
  number,
  plus,
  text,
  times,
  type Config,
  type Framework,
  type Read,
} from "./reading/read";
import { agreed, countTables, listAt } from "./sheet/lists";
import type { TreeNode } from "../syntax/tree";

const CONFIGS = "prime_rl/configs/orchestrator.py";

/** A key of the orchestrator, in the joint file, on the command line of `rl`, and in a file for the orchestrator alone. */
const key = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [`--orchestrator.${name.replaceAll("_", "-")}`, `orchestrator.${name}`, name]);

/** The training sources, from the newest name to the oldest. */
const SOURCES = [
  "orchestrator.train.source",
  "orchestrator.train.env",
  "orchestrator.env",
  "orchestrator.environment",
  "train.source",
  "train.env",
  "env",
];
const GROUP = key("group_size", "rollouts_per_example", "rollouts_per_prompt");

const groupSize = first(
  agreed(SOURCES, ["group_size", "rollouts_per_example"], number(GROUP)),
  byDefault(1, `${CONFIGS}; older versions say rollouts_per_example`),
);
const tokenBatch = (config: Config): boolean => key("token_batch_size").some((path) => config.has(path));
const batchSize = first(number(key("batch_size"), { unit: "rollouts per step" }), byDefault(128, CONFIGS));

function rulesOf(config: Config): FrameworkRule[] {
  const batch = batchSize(config);
  return [
    {
      id: "prime-rl-batch",
      code: "batch.indivisible",
      message: "batch_size counts rollouts and must divide by the group size",
      // Prompts per step are whole exactly when it divides; while they are not, the batch itself is judged.
      holds: ({ promptsPerStep, groupSize: n }) => {
        if (promptsPerStep !== null) return Number.isInteger(promptsPerStep);
        return n === null || n === 0 || tokenBatch(config) || !batch || !isKnown(batch) ? null : batch.value % n === 0;
      },
    },
  ];
}

/** Nodes for inference: stated, or what the inference deployment takes. */
const inferenceNodes: Read<number> = first(number("deployment.num_infer_nodes"), (config) => {
  switch (config.textAt("inference.deployment.type")) {
    case "multi_node":
      return first(number("inference.deployment.num_nodes"), byDefault(2, "prime_rl/configs/inference.py"))(config);
    case "disaggregated":
      return plus(pool("prefill"), pool("decode"))(config);
    default:
      return config.has("inference")
        ? known(1, "derived", { note: "one inference node" })
        : known(0, "derived", { note: "no inference" });
  }
});

function pool(kind: string): Read<number> {
  const one = (name: string): Read<number> =>
    first(number(`inference.deployment.${name}`), byDefault(1, "prime_rl/configs/inference.py"));
  return times(one(`${kind}_nodes_per_replica`), one(`num_${kind}_replicas`));
}

const isMultiNode = (config: Config): boolean =>
  config.textAt("deployment.type") === "multi_node" || config.has("deployment.num_train_nodes");

const gpus: Read<number> = (config) => {
  if (config.has("trainer_gpu_ids") || config.has("inference_gpu_ids")) return distinctIds(config);
  if (isMultiNode(config)) {
    const replicas = first(number("deployment.num_infer_replicas"), byDefault(1, "prime_rl/configs/rl.py"));
    const nodes = plus(
      number("deployment.num_train_nodes"),
      times(inferenceNodes, replicas),
      first(number("deployment.num_teacher_nodes"), constantZero),
    );
    return times(nodes, first(number("deployment.gpus_per_node"), byDefault(8, "prime_rl/configs/rl.py")))(config);
  }
  if (!config.has("orchestrator") || (!config.has("deployment") && !config.has("inference"))) return undefined;
  const part = (name: string): Read<number> =>
    first(
      number([`deployment.${name}`, `--deployment.${name.replaceAll("_", "-")}`, name]),
      byDefault(1, "prime_rl/configs/rl.py"),
    );
  return plus(
    part("num_train_gpus"),
    part("num_infer_gpus"),
    first(number(["deployment.num_teacher_gpus", "num_teacher_gpus"]), constantZero),
  )(config);
};

const constantZero: Read<number> = () => known(0, "default", { note: "no teacher" });

function distinctIds(config: Config): ReturnType<Read<number>> {
  const ids = new Set<string>();
  for (const [name, fallback] of [
    ["trainer_gpu_ids", "1"],
    ["inference_gpu_ids", "0"],
  ] as const) {
    const node = config.find(name)?.node;
    if (!node) ids.add(fallback);
    else if (node.kind !== "list" || node.items.some((item) => item.kind !== "scalar")) return undefined;
    else for (const item of node.items) ids.add(item.kind === "scalar" ? String(item.value) : "");
  }
  const place = config.peek("trainer_gpu_ids") ?? config.peek("inference_gpu_ids");
  return known(ids.size, "config", {
    ...(place ? { span: place.node.span } : {}),
    note: "distinct ids of trainer_gpu_ids and inference_gpu_ids",
  });
}

const isSource = (item: TreeNode): boolean => item.kind === "map";

export const primeRl: Framework = {
  id: "prime-rl",
  name: "prime-rl",
  docs: { url: "https://docs.primeintellect.ai/prime-rl", formats: ["TOML", "shell"] },
  signs: {
    words: {
      data: ["\\borchestrator\\b", "\\brollouts_per_example\\b", "\\bgroup_size\\b"],
      shell: ["\\bgroup[-_]size\\b", "\\buv run rl\\b", "\\bprime[-_]rl\\b"],
      python: ["\\brollouts_per_example\\b"],
    },
    metrics: [
      { glob: "eval/*/avg@*", on: "evaluation", tells: "score" },
      { glob: "eval/*/pass@1", on: "evaluation", tells: "success" },
      { glob: "train/agg/all/*/reward/mean", on: "training", tells: "reward" },
      { glob: "train/*/all/*/reward/mean", on: "training", tells: "reward" },
      { glob: "train/*/effective/*/reward/mean", on: "training", tells: "reward" },
      { glob: "reward/all/mean", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    const root = config.variant.root;
    if (config.syntax === "shell")
      return config.variant.flags.entries.some((entry) => entry.key.startsWith("orchestrator.")) ? 0.8 : 0;
    if (config.syntax !== "toml" || root.entries.length === 0) return 0;
    if (config.has("orchestrator")) return 0.95;
    const batched = config.has("batch_size") || config.has("token_batch_size");
    const grouped = config.has("group_size") || config.has("rollouts_per_example");
    if (listAt(config, ["train.source", "train.env"]) && (batched || grouped)) return 0.9;
    // The file for hosted training: flat keys, a list of environments.
    if (config.peek("env")?.node.kind === "list" && (batched || grouped) && config.has("model")) return 0.9;
    return 0;
  },
  // A file for the trainer or the inference server alone says nothing of the budget.
  fragment: (config) => !listAt(config, SOURCES) && !config.has("orchestrator"),
  cost: primeRlCost,
  responseScope: "turn",
  fields: {
    model: {
      read: first(
        text([
          "--model.name",
          "model.name",
          "trainer.model.name",
          "orchestrator.model.name",
          "orchestrator.student.model.name",
        ]),
        modelAsText,
      ),
      help: "The policy that is trained.",
    },
    promptsPerStep: {
      unit: "rollouts per step",
      help: "`batch_size` counts **rollouts**, not prompts: a step has batch_size / group_size prompts (tasks). `token_batch_size` counts tokens instead; exactly one of the two may be set.",
      read: (config) =>
        tokenBatch(config)
          ? because("the batch is stated in tokens (token_batch_size), so the prompts per step vary")(config)
          : wholePrompts(config),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: groupHelp(
        "Rollouts of each example, whose rewards are compared with each other (`group_size`; older files say `rollouts_per_example`). The default is 1, for which group-relative advantages are all zero.",
      ),
      read: groupSize,
    },
    steps: {
      unit: "steps",
      help: "Trainer steps. Without it the run goes on until it is stopped.",
      read: number(["--max-steps", "max_steps", "orchestrator.max_steps", "trainer.max_steps"]),
      otherwise: "`max_steps` is not set: the run goes on until it is stopped",
    },
    epochs: {
      help: "prime-rl counts steps and cycles through the tasks.",
      read: because("prime-rl has no epochs: it cycles through the tasks until max_steps"),
    },
    tasks: {
      help: "Tasks of the tasksets.",
      read: because("the tasks are in the environment's package, not in the config"),
    },
    environments: {
      unit: "training sources",
      help: "Each training source is one environment. `ratio` is its weight among the tasks drawn, relative to the others: weights need not sum to 1 (0.3 and 0.2 draw 60 % and 40 %). Evaluation sources do not count.",
      read: countTables(SOURCES, isSource),
    },
    maxPromptTokens: {
      help: "Only the whole context is limited (`seq_len`).",
      read: because("prime-rl limits the whole context (seq_len), not the prompt"),
    },
    maxResponseTokens: {
      unit: "tokens per turn",
      help: "Most tokens that the model writes in **one turn**. The whole rollout is limited by `seq_len`.",
      read: agreed(
        SOURCES,
        ["sampling.max_completion_tokens", "sampling.max_tokens"],
        number([
          ...key("train.sampling.max_completion_tokens", "train.sampling.max_tokens"),
          ...key("sampling.max_completion_tokens", "sampling.max_tokens"),
        ]),
      ),
      otherwise: "no limit per turn is set; only the whole context is limited (seq_len)",
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns of the agent, where the environment takes a limit.",
      read: agreed(
        SOURCES,
        ["env.agent.max_turns", "env.args.max_turns", "args.max_turns", "env.max_turns"],
        () => undefined,
      ),
      otherwise: "the environment or the harness decides",
    },
    gpus: { unit: "GPUs", help: "GPUs for training and inference together.", read: gpus },
    algorithm: {
      help: "How advantages are computed. Sources may have their own.",
      read: first(
        mapped(text([...key("algo.type"), "orchestrator.training_mode"]), (value) => (value === "rl" ? "grpo" : value)),
        (config) =>
          config.has("orchestrator") || config.has("train")
            ? byDefault("grpo", "prime_rl/configs/algorithm.py")(config)
            : undefined,
      ),
      otherwise: "hosted training decides; the file does not say",
    },
  },
  knobs: {
    duration: [{ paths: ["--max-steps", "max_steps", "orchestrator.max_steps", "trainer.max_steps"], counts: "steps" }],
    groupSize: { paths: GROUP },
    batch: { paths: key("batch_size"), counts: "rollouts" },
  },
  remainders: {
    tasks: "the tasks are in the environment's package: limit or extend its taskset there",
    environments: "add or remove [[orchestrator.train.source]] tables, and set their ratio",
  },
  rules: rulesOf,
  traps: (config) => {
    const site = key("token_batch_size")
      .map((path) => config.peek(path))
      .find((found) => found !== undefined);
    const both = site && key("batch_size").some((path) => config.has(path));
    const group = groupSize(config);
    const alone =
      group &&
      isKnown(group) &&
      group.value === 1 &&
      group.source === "default" &&
      !config.fragment &&
      (config.textAt("orchestrator.algo.type") ?? "grpo") === "grpo";
    return [
      ...(both
        ? [
            {
              span: site.node.span,
              severity: "warning" as const,
              code: "batch.unit",
              message: "Set exactly one of batch_size (rollouts) and token_batch_size (tokens).",
            },
          ]
        : []),
      ...(alone
        ? [
            {
              span:
                (config.peek("orchestrator.batch_size") ?? config.peek("batch_size"))?.node.span ??
                config.variant.anchor,
              severity: "warning" as const,
              code: "group.too-small",
              message:
                "`group_size` is not set, so each task gets 1 rollout: group-relative advantages are then all zero.",
            },
          ]
        : []),
    ];
  },
};

function wholePrompts(config: Config): ReturnType<Read<number>> {
  const fact = combined([batchSize, groupSize], ([batch, group]) => batch / group, " rollouts / ")(config);
  if (!fact || !isKnown(fact) || Number.isInteger(fact.value)) return fact;
  return because(`batch_size does not divide by the group size: ${fact.note ?? fact.value}`)(config);
}

/** Hosted training has the model as a text. */
function modelAsText(config: Config): ReturnType<Read<string>> {
  return config.peek("model")?.node.kind === "scalar" ? text("model")(config) : undefined;
}
