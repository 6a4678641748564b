import { known, unknown } from "../budget/budget";
import { entryOf } from "../syntax/nodes";
import type { MapNode } from "../syntax/tree";
import { because, itemsOf, type Config, type Framework, type TrainFile } from "./reading/read";

interface Agent {
  readonly settings: MapNode;
  readonly files: readonly TrainFile[];
}

/** The agents of a file that training data are written for; those with examples or evaluations alone are none. */
function agents(config: Config): readonly Agent[] {
  const root = config.variant.root;
  if (root.kind !== "map") return [];
  return root.entries.flatMap(({ value }) => {
    const kinds = value.kind === "map" ? entryOf(value, "responses_api_agents")?.value : undefined;
    if (kinds?.kind !== "map") return [];
    return kinds.entries.flatMap(({ value: settings }) => {
      if (settings.kind !== "map") return [];
      const files = itemsOf(entryOf(settings, "datasets")?.value).flatMap((item) => {
        if (item.kind !== "map" || textOf(item, "type") !== "train") return [];
        const path = textOf(item, "jsonl_fpath");
        return path === undefined ? [] : [{ path }];
      });
      return files.length > 0 ? [{ settings, files }] : [];
    });
  });
}

function textOf(map: MapNode, key: string): string | undefined {
  const node = entryOf(map, key)?.value;
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
}

/** The environments' side of a training: agents, servers and their data. The trainer's config (NeMo-RL's, verl's) names it. */
export const nemoGym: Framework = {
  id: "nemo-gym",
  name: "NeMo-Gym",
  docs: { url: "https://docs.nvidia.com/nemo/gym/latest/", formats: ["YAML"] },
  signs: { words: { data: ["\\bresponses_api_agents\\b"] } },
  detect: (config) => (config.variant.command === null && agents(config).length > 0 ? 0.85 : 0),
  fragment: () => true,
  responseScope: () => null,
  fields: {
    promptsPerStep: {
      unit: "prompts per step",
      help: "The trainer's (`grpo.num_prompts_per_step` in NeMo-RL).",
      read: because("the trainer's config decides it"),
    },
    groupSize: {
      unit: "rollouts per prompt",
      help: "The trainer's. `num_repeats` of a dataset is for collecting rollouts and for benchmarks.",
      read: because("the trainer's config decides it"),
    },
    environments: {
      unit: "agents with training data",
      help: "Agents that training data are written for: each with its server of resources is an environment.",
      read: (config) => {
        const found = agents(config);
        return found.length > 0 ? known(found.length, "derived", { note: "agents with training data" }) : undefined;
      },
    },
    maxTurns: {
      unit: "steps of the agent",
      help: "`max_steps` of the agent: its calls of the model in one trajectory.",
      read: (config) => {
        const limits = agents(config).map(({ settings }) => entryOf(settings, "max_steps")?.value);
        const first = limits[0];
        if (limits.length > 1) return unknown("several agents, each with its own");
        if (first?.kind !== "scalar" || typeof first.value !== "number") return undefined;
        return known(first.value, "config", {
          span: first.span,
          ...(first.file ? { file: first.file } : {}),
          note: "`max_steps` of the agent",
        });
      },
      otherwise: "no limit is set: the agent decides",
    },
  },
  trainFiles: (config) => agents(config).flatMap(({ files }) => files),
  knobs: { duration: [{ paths: ["grpo.max_num_steps"], counts: "steps" }] },
  remainders: {
    trajectories: "the trainer's config holds the steps and the rollouts per prompt",
    environments: "add an agent with its resources server and training data, and name its file in the trainer's config",
  },
};
