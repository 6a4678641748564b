import { openInstructCost } from "./cost/others";
import { isKnown, known, unknown } from "../budget/budget";
import {
  assumedOne,
  byDefault,
  combined,
  type Config,
  constant,
  count,
  first,
  type Framework,
  groupHelp,
  itemsOf,
  number,
  plus,
  type Read,
  text,
  times,
  toNumber,
} from "./reading/read";

const LOADER = "open_instruct/data_loader.py";
const GRPO = "open_instruct/grpo_utils.py";

/** Scripts from before `num_unique_prompts_rollout` state a batch for each learner instead. */
const older = (config: Config): boolean =>
  ["--number_samples_per_prompt", "--local_rollout_batch_size", "--rollout_batch_size"].some((path) =>
    config.has(path),
  );

const prompts: Read<number> = first(number("--num_unique_prompts_rollout"), (config) =>
  older(config)
    ? unknown("this older script states the batch of each learner, not the prompts per step")
    : byDefault(16, LOADER)(config),
);
const groupSize = first(number(["--num_samples_per_prompt_rollout", "--number_samples_per_prompt"]), (config) =>
  older(config) ? unknown("this older script does not state it") : byDefault(4, LOADER)(config),
);
const episodes = first(number("--total_episodes", { unit: "samples in all" }), byDefault(100_000, GRPO));

/** `--dataset_mixer_list a 1.0 b 512`: "512" counts samples, "0.5" and "1.0" are shares. Known when every entry counts samples. */
const tasks: Read<number> = (config) => {
  const node = config.find("--dataset_mixer_list")?.node;
  const words = itemsOf(node);
  if (!node || words.length === 0 || words.length % 2 !== 0) return undefined;
  let sum = 0;
  for (let i = 1; i < words.length; i += 2) {
    const weight = words[i];
    if (weight.kind !== "scalar") return undefined;
    if (!/^\d+$/.test(weight.text.replaceAll(/["']/g, "")))
      return unknown(`"${weight.text}" is a share of the dataset, not a number of samples`);
    sum += Number(weight.value);
  }
  return known(sum, "config", { span: node.span, note: "samples taken of each dataset" });
};

/** A variable that is not set leaves the launcher's flag without a number: then the learners and engines count. */
const launcherGpus: Read<number> = (config) =>
  toNumber(config.textAt("--launcher.gpus") ?? null) === undefined ? undefined : number("--launcher.gpus")(config);

const gpus: Read<number> = first(
  times(launcherGpus, first(number("--launcher.num_nodes"), byDefault(1, "mason.py"))),
  (config) => {
    if (config.truth("--single_gpu_mode") === true) return known(1, "config", { note: "--single_gpu_mode" });
    return plus(
      learners,
      times(
        first(number("--vllm_num_engines"), byDefault(1, GRPO)),
        first(number("--vllm_tensor_parallel_size"), byDefault(1, GRPO)),
      ),
    )(config);
  },
);

/** One number a node: `--num_learners_per_node 8 8`. */
const learners: Read<number> = (config) => {
  const found = config.find("--num_learners_per_node");
  const items = itemsOf(found?.node);
  if (!found) return undefined;
  const values = items.map((item) => (item.kind === "scalar" ? Number(item.value) : Number.NaN));
  const sum = values.reduce((a, b) => a + b, 0);
  return Number.isFinite(sum) && values.length > 0
    ? known(sum, "config", { span: found.node.span, note: "learners over the nodes" })
    : unknown("the learners are not in the text");
};

const isGrpo = (config: Config): boolean => /grpo/.test(config.variant.command?.target ?? "");

export const openInstruct: Framework = {
  id: "open-instruct",
  name: "open-instruct",
  docs: { url: "https://allenai.github.io/open-instruct/algorithms/grpo/", formats: ["shell", "YAML"] },
  signs: {
    words: {
      data: ["\\bnum_(samples_per|unique)_prompts?_rollout\\b"],
      shell: ["\\bnum_(samples_per|unique)_prompts?_rollout\\b", "\\bopen_instruct\\b"],
    },
    metrics: [
      { glob: "eval/pass_at_1", on: "evaluation", tells: "success" },
      { glob: "eval/*/pass_at_1", on: "evaluation", tells: "success" },
      { glob: "objective/verifiable_correct_rate", on: "training", tells: "success" },
    ],
  },
  detect: (config) => {
    if (/(^|\/)open_instruct\/grpo\w*\.py$/.test(config.variant.command?.target ?? ""))
      return config.has("--num_samples_per_prompt_rollout") || config.has("--num_unique_prompts_rollout") ? 0.95 : 0.6;
    return config.has("--num_unique_prompts_rollout") || config.has("--num_samples_per_prompt_rollout") ? 0.85 : 0;
  },
  cost: openInstructCost,
  responseScope: "trajectory",
  fields: {
    model: { read: text("--model_name_or_path"), help: "The policy that is trained." },
    promptsPerStep: {
      unit: "prompts per step",
      help: "Unique prompts per step; each is rolled out `num_samples_per_prompt_rollout` times.",
      read: prompts,
    },
    groupSize: { unit: "rollouts per prompt", help: groupHelp("Samples of each prompt."), read: groupSize },
    steps: {
      unit: "samples in all",
      help: "`total_episodes` counts **samples** over the whole run: steps = total_episodes // (prompts × rollouts per prompt). `num_epochs` is something else: updates per batch.",
      read: (config) => {
        const fact = combined(
          [episodes, prompts, groupSize],
          ([all, p, n]) => Math.floor(all / (p * n)),
          " // ",
        )(config);
        return fact && isKnown(fact)
          ? { ...fact, note: `total_episodes // (prompts × rollouts): ${fact.note ?? ""}` }
          : fact;
      },
    },
    epochs: {
      help: "Episodes end the run; `num_epochs` counts updates per batch.",
      read: () => unknown("episodes end the run; num_epochs counts updates per batch"),
    },
    tasks: {
      unit: "samples",
      help: "Pairs of dataset and amount: `1` is **one sample**, `1.0` the whole dataset, `0.1` a tenth, `512` that many samples.",
      read: tasks,
      otherwise: "the datasets are named, their rows are not in the file",
    },
    environments: {
      unit: "tools",
      help: "Tools are environments to act in; without them the datasets and their verifiers are one.",
      read: first(count("--tools"), (config) =>
        config.has("--dataset_mixer_list") || config.has("--dataset_mixer")
          ? assumedOne("verifiable rewards without tools")
          : undefined,
      ),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt; longer ones are left out.",
      read: first(number("--max_prompt_token_length"), byDefault(256, LOADER)),
    },
    maxResponseTokens: {
      unit: "tokens per rollout",
      help: "Longest response, all turns and tool results together. `per_turn_max_tokens` limits one turn.",
      read: first(number("--response_length"), byDefault(256, LOADER)),
    },
    maxTurns: {
      unit: "turns",
      help: "Most turns with an environment; `max_steps` does not count training steps here.",
      read: first(number(["--max_steps", "--max_tool_calls"]), (config) =>
        config.has("--tools")
          ? byDefault(5, "open_instruct/environments/tools/utils.py")(config)
          : constant(1, "no tools")(config),
      ),
      otherwise: "no limit on turns is set",
    },
    gpus: { unit: "GPUs", help: "GPUs that the launcher asks for, or learners and engines together.", read: gpus },
    algorithm: {
      help: "The training script.",
      read: (config) =>
        isGrpo(config) ? known("grpo", "config", { note: `\`${config.variant.command?.target ?? ""}\`` }) : undefined,
    },
  },
  knobs: {
    duration: [{ paths: ["--total_episodes"], counts: "rollouts" }],
    groupSize: { paths: ["--num_samples_per_prompt_rollout"] },
  },
  remainders: {
    tasks: "the amount of each dataset stands in dataset_mixer_list: `512` takes that many samples, `1.0` all",
    environments: "add or remove tools in --tools",
  },
  traps: (config) => {
    const words = itemsOf(config.peek("--dataset_mixer_list")?.node);
    return words.flatMap((word, index) =>
      index % 2 === 1 && word.kind === "scalar" && word.text.replaceAll(/["']/g, "") === "1"
        ? [
            {
              span: word.span,
              severity: "warning" as const,
              code: "batch.unit",
              message: "`1` takes one sample of this dataset; `1.0` takes all of it.",
            },
          ]
        : [],
    );
  },
};
