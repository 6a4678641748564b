import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  combined,
  type Config,
  constant,
  first,
  type Framework,
  groupHelp,
  number,
  type Read,
  rules,
  text,
  when,
} from "./reading/read";

const MAIN = "apps/grpo/main.py";
const PARALLEL = "trainer.parallelism";

/** Data-parallel ranks of the trainer; `-1` shards over whatever the other degrees leave of its processes. */
const ranks: Read<number> = (config) => {
  const degree = (name: string): number | null => {
    const fact = first(number(`${PARALLEL}.${name}`), byDefault(1, "torchtitan"))(config);
    return fact && isKnown(fact) ? fact.value : null;
  };
  const shard = number(`${PARALLEL}.data_parallel_shard_degree`)(config);
  if (!shard) return number("replay_buffer.dp_size")(config) ?? known(1, "default", { note: "one data-parallel rank" });
  if (!isKnown(shard)) return shard;
  const replicate = degree("data_parallel_replicate_degree");
  if (replicate === null) return unknown("the data-parallel degrees are not in the text");
  if (shard.value > 0) return { ...shard, value: shard.value * replicate };
  const procs = processes("actors.trainer", config);
  const others = ["tensor_parallel_degree", "pipeline_parallel_degree", "context_parallel_degree"]
    .map(degree)
    .reduce<number | null>((a, b) => (a === null || b === null ? null : a * b), 1);
  if (procs === null || others === null || procs % others !== 0)
    return unknown("the ranks depend on how the trainer's processes are spread");
  return known(procs / others, "derived", {
    span: shard.span,
    note: `${procs} processes / ${others} for the other degrees`,
  });
};

/** A number of its own, not one that refers to another key. */
const isWritten =
  (path: string) =>
  (config: Config): boolean => {
    const node = config.peek(path)?.node;
    return node?.kind === "scalar" && node.via === undefined;
  };

function processes(path: string, config: Config): number | null {
  const procs = number(`${path}.procs`)(config);
  const hosts = first(number(`${path}.hosts`, { unless: (value) => value < 1 }), byDefault(1, MAIN))(config);
  return procs && isKnown(procs) && hosts && isKnown(hosts) ? procs.value * hosts.value : null;
}

/** A section for an environment (`blackjack_env: { server_url }`): the rollouts act in a world. */
function actsInWorld(config: Config): boolean {
  return config.variant.root.entries.some(
    (entry) => /(^|_)env(ironment)?$/.test(entry.key) && entry.value.kind === "map",
  );
}

/** Processes with a GPU, over all actors and services; a service has replicas. */
const gpus: Read<number> = (config) => {
  let sum = 0;
  for (const group of ["actors", "services"]) {
    const node = config.find(group)?.node;
    for (const entry of node?.kind === "map" ? node.entries : []) {
      const path = `${group}.${entry.key}`;
      if (config.truth(`${path}.with_gpus`) !== true) continue;
      const replicas = first(number(`${path}.num_replicas`), byDefault(1, MAIN))(config);
      const procs = processes(path, config);
      if (procs === null || !replicas || !isKnown(replicas))
        return unknown(`the processes of \`${path}\` are not in the text`);
      sum += procs * replicas.value;
    }
  }
  return sum === 0 ? undefined : known(sum, "derived", { note: "processes with GPUs, over actors and services" });
};

export const torchforge: Framework = {
  id: "torchforge",
  name: "torchforge",
  docs: { url: "https://meta-pytorch.org/torchforge/", formats: ["YAML"] },
  signs: {
    words: { data: ["\\breplay_buffer\\b", "\\bgroup_size\\b"], shell: ["\\btorchforge\\b"] },
  },
  detect: (config) =>
    config.has("group_size") && config.has("trainer") && (config.has("replay_buffer") || config.has("actors"))
      ? 0.9
      : 0,
  responseScope: "trajectory",
  fields: {
    model: { read: first(text("model"), text("policy.engine_args.model")), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "episodes per rank and step",
      help: "`local_batch_size` counts episodes (completions) on one data-parallel rank of the trainer. A step takes local_batch_size × ranks / group_size prompts.",
      read: (config) => {
        const batch = first(
          when(isWritten("replay_buffer.batch_size"), number("replay_buffer.batch_size")),
          number("local_batch_size"),
          number("replay_buffer.batch_size"),
          number("trainer.training.local_batch_size"),
        );
        const fact = combined([batch, ranks, number("group_size")], ([size, dp, n]) => (size * dp) / n, " · ")(config);
        return fact && isKnown(fact) && !Number.isInteger(fact.value)
          ? unknown("a step does not hold whole groups: local_batch_size × ranks does not divide by group_size")
          : fact;
      },
    },
    groupSize: {
      unit: "completions per prompt",
      help: groupHelp("Completions of each prompt, whose rewards are compared with each other."),
      read: first(number("group_size"), number("policy.sampling_params.n")),
    },
    steps: {
      unit: "steps",
      help: "Trainer steps.",
      read: number("trainer.training.steps", { unless: (steps) => steps < 1 }),
      otherwise: "`trainer.training.steps` is not set: the run goes on until it is stopped",
    },
    epochs: {
      help: "The dataset is streamed; steps end the run.",
      read: () => unknown("torchforge counts steps, not epochs"),
    },
    environments: {
      help: "One dataset with its reward.",
      read: (config) =>
        actsInWorld(config)
          ? constant(1, "one environment server")(config)
          : config.has("dataset")
            ? assumedOne("one dataset with its reward")
            : undefined,
    },
    maxPromptTokens: { unit: "tokens", help: "Longest prompt.", read: number("max_req_tokens") },
    maxResponseTokens: {
      unit: "tokens per completion",
      help: "Longest completion.",
      read: first(number("max_res_tokens"), number("policy.sampling_params.max_tokens")),
    },
    maxTurns: {
      unit: "turns",
      help: "The GRPO application asks once.",
      read: (config) =>
        config.has("dataset") && !actsInWorld(config)
          ? constant(1, "the application is single-turn")(config)
          : undefined,
      otherwise: "the application decides",
    },
    gpus: { unit: "GPUs", help: "Processes with GPUs, of trainer, policy and reference model together.", read: gpus },
    algorithm: { help: "The application's algorithm.", read: byDefault("grpo", MAIN) },
  },
  knobs: {
    duration: [{ paths: ["trainer.training.steps"], counts: "steps" }],
    groupSize: { paths: ["group_size"] },
    batch: { paths: ["local_batch_size"], counts: "rollouts" },
  },
  remainders: { tasks: "the dataset is streamed and this file has no limit on its rows" },
  rules: () => [
    rules.groupAtLeastTwo(
      "group_size must be at least 2: advantages compare the completions of a prompt with each other",
    ),
  ],
};
