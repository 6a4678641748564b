import { isKnown, known } from "../budget/budget";
import {
  combined,
  count,
  first,
  groupHelp,
  mapped,
  number,
  text,
  times,
  type Config,
  type Framework,
} from "./reading/read";

const samples = times(number("finetune.train_batch_size"), number("finetune.gradient_accumulation_passes"));
const attempts = first(number("attempts"), number("finetune.attempts"));
const interrupted = number("finetune.interrupt_train_steps", { unless: (steps) => steps < 0 });

/** Generation and training run side by side; a step is an optimiser step, its batch counts samples. */
export const pipelinerl: Framework = {
  id: "pipelinerl",
  name: "PipelineRL",
  docs: { url: "https://github.com/ServiceNow/PipelineRL", formats: ["Hydra YAML", "shell"] },
  signs: {
    words: {
      data: ["\\brollout_policy\\b", "\\bgradient_accumulation_passes\\b", "\\bactor_fraction\\b"],
      shell: ["\\bpipelinerl\\b"],
    },
    metrics: [
      { glob: "eval/*success_mean", on: "evaluation", tells: "success" },
      { glob: "actor/*success_mean", on: "training", tells: "success" },
      { glob: "actor/reward_mean", on: "training", tells: "reward" },
    ],
  },
  detect: (config) => {
    // Its other modules are parts of a training.
    if (/pipelinerl[./]launch/.test(config.variant.command?.target ?? "") && config.has("--config-name")) return 0.85;
    const actor = config.has("actor.rollout_policy") || config.has("world.actor_fraction");
    return actor && (config.has("finetune") || config.has("llm.parameters") || config.has("environments")) ? 0.8 : 0;
  },
  // Its values stand in `base.yaml`: without it, what is not stated is not assumed.
  fragment: () => true,
  stepsOverrideEpochs: true,
  responseScope: (config) =>
    /math|counting|guessing|coding|logic|ifeval|chartqa/.test(policy(config)) ? "trajectory" : null,
  fields: {
    model: { help: "The policy that is trained.", read: text("model_path") },
    promptsPerStep: {
      unit: "samples per optimiser step",
      help: "`train_batch_size` × `gradient_accumulation_passes` **samples** per optimiser step, over all processes; `attempts` of them are of one prompt.",
      read: combined(
        [samples, attempts],
        ([all, n]) => (Number.isInteger(all / n) ? all / n : Number.NaN),
        " samples / ",
      ),
    },
    groupSize: {
      unit: "attempts per prompt",
      help: groupHelp("Rollouts of each prompt (`attempts`)."),
      read: attempts,
    },
    steps: {
      unit: "optimiser steps",
      help: "`interrupt_train_steps` ends the run where it is set, else `max_train_steps`.",
      read: first(interrupted, number("finetune.max_train_steps")),
    },
    environments: {
      unit: "environments",
      help: "Environments that are listed; else the one that is set, or the one domain of the rollout policy.",
      read: first(count("environments"), (config) => {
        const one = config.has("environment._target_") || /domains\.(?!dispatcher|multi)\w/.test(policy(config));
        return one ? known(1, "derived", { note: "one environment" }) : undefined;
      }),
    },
    maxResponseTokens: {
      unit: "tokens per reply",
      help: "Longest reply of one call of the model.",
      read: number("llm.parameters.max_tokens"),
    },
    maxTurns: {
      unit: "loops of the agent",
      help: "Most calls of the model with its environment in one rollout.",
      read: number(["agent_max_loops", "actor.agent_max_loops"]),
      otherwise: "the rollout policy decides",
    },
    algorithm: {
      help: "`policy_loss`: reinforce, ppo (clipped), gspo.",
      // `ppo` is the clipped loss: with a value head it is PPO, with several attempts and none what others call GRPO.
      read: mapped(text("finetune.rl.policy_loss"), (value, config) => {
        if (!/^ppo$/i.test(value)) return value.toLowerCase();
        if (/value-head/.test(config.textAt("finetune.model_class") ?? "")) return "ppo";
        const tries = attempts(config);
        return tries && isKnown(tries) && tries.value > 1 && config.has("finetune.model_class") ? "grpo" : undefined;
      }),
    },
  },
  knobs: {
    duration: [
      { paths: ["finetune.interrupt_train_steps"], counts: "steps", when: (config) => isStated(config) },
      { paths: ["finetune.max_train_steps"], counts: "steps", when: (config) => !isStated(config) },
    ],
    groupSize: { paths: ["attempts", "finetune.attempts"] },
    batch: { paths: ["finetune.gradient_accumulation_passes"], counts: "rollouts" },
  },
  remainders: {
    environments: "environments are domains with datasets of their own: add them to `environments`",
    tasks: "the tasks are those of `train_dataset_names`",
  },
};

function policy(config: Config): string {
  return config.textAt("actor.rollout_policy") ?? "";
}

function isStated(config: Config): boolean {
  const steps = interrupted(config);
  return steps !== undefined && isKnown(steps);
}
