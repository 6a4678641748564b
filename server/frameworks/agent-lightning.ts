import { verlCost } from "./cost/verl";
import type { ConfigVariant, MapNode, TreeNode } from "../syntax/tree";
import {
  assumedOneAt,
  byDefault,
  type Config,
  first,
  type Framework,
  itemsOf,
  keysOf,
  number,
  one,
  when,
} from "./reading/read";
import { verl } from "./verl";

const CONFIG = "agentlightning/verl/config.yaml";
const TRACE = "agentlightning.trace_aggregator";
const byTrajectory = (config: Config): boolean => config.textAt(`${TRACE}.level`) === "trajectory";

/** The dicts of a Python file that are configs of verl. */
function configs(root: MapNode): MapNode[] {
  const found: MapNode[] = [];
  const look = (node: TreeNode | undefined, depth: number): void => {
    if (!node || depth > 4) return;
    if (node.kind === "map") {
      const keys = keysOf(node);
      if (keys.includes("actor_rollout_ref") && (keys.includes("data") || keys.includes("trainer"))) {
        found.push(node);
        return;
      }
      for (const entry of node.entries) look(entry.value, depth + 1);
    } else if (node.kind === "list") for (const item of node.items) look(item, depth + 1);
  };
  look(root.entries.find((entry) => entry.key === "dicts")?.value, 0);
  if (found.length === 0) look(root.entries.find((entry) => entry.key === "names")?.value, 0);
  return found;
}

export const agentLightning: Framework = {
  ...verl,
  id: "agent-lightning",
  name: "Agent Lightning",
  docs: { url: "https://microsoft.github.io/agent-lightning/", formats: ["Python"] },
  signs: {
    words: { shell: ["\\bagentlightning\\b"], python: ["\\bagentlightning\\b", "[\\\"']rollout[\\\"']\\s*:"] },
  },
  detect: (config) => {
    if (/^agentlightning/.test(config.variant.command?.target ?? "")) return 0.95;
    if (config.has("agentlightning") && config.has("actor_rollout_ref")) return 0.95;
    return config.syntax === "python" &&
      /agentlightning|agent_lightning/.test(config.text) &&
      configs(config.variant.root).length > 0
      ? 0.95
      : 0;
  },
  // A Python file holds verl's config as a dict: its keys are then read as if they stood at the top.
  experiments: (variant): readonly ConfigVariant[] =>
    configs(variant.root)
      .slice(0, 1)
      .map((dict) => ({ ...variant, root: { ...dict, entries: [...dict.entries, ...variant.root.entries] } })),
  fragment: (config) => config.variant.command === null && !config.has("data.train_batch_size"),
  fields: {
    ...verl.fields,
    environments: {
      help: "One agent plays one environment on the training rows.",
      read: first(
        one(["agentlightning.local.agent_class", "agentlightning.k8s", "agentlightning.kubernetes"]),
        assumedOneAt("arguments.train_file", "one training set"),
        verl.fields.environments?.read ?? (() => undefined),
      ),
    },
    maxPromptTokens: {
      unit: "tokens",
      help: "Longest prompt. With traces joined to trajectories, `trajectory_max_prompt_length` holds instead of `data.max_prompt_length`.",
      read: first(
        when(byTrajectory, number(`${TRACE}.trajectory_max_prompt_length`)),
        number("data.max_prompt_length"),
        byDefault(512, CONFIG),
      ),
    },
    maxResponseTokens: {
      unit: "tokens",
      help: "Longest response of a call; with traces joined to trajectories, `trajectory_max_response_length` bounds the whole of them.",
      read: first(
        when(byTrajectory, number(`${TRACE}.trajectory_max_response_length`)),
        number("data.max_response_length"),
        byDefault(512, CONFIG),
      ),
    },
    maxTurns: {
      unit: "turns",
      help: "The agent's own code decides on the turns.",
      otherwise: "the agent's code decides on the turns",
      read: number("agentlightning.max_turns"),
    },
  },
  cost: verlCost,
  responseScope: (config) => (byTrajectory(config) ? "trajectory" : "turn"),
  trainFiles: (config) =>
    [...itemsOf(config.peek("data.train_files")?.node), ...itemsOf(config.peek("arguments.train_file")?.node)]
      .slice(0, 1)
      .flatMap((node) => (node.kind === "scalar" && typeof node.value === "string" ? [{ path: node.value }] : [])),
  groupSizeAlso: [],
};
