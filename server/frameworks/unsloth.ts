import { trlFamilyCost } from "./cost/others";
import { isKnown, known, type Fact } from "../budget/budget";
import { first, number, type Config, type Framework, type Read } from "./reading/read";
import { imports } from "./sheet/pythonData";
import { completions, prompts, type TrlBatch } from "./sheet/trlBatch";
import { libraryDefault, setting, trl, trlBatch, trlExperiments, trlFields } from "./trl";

const RL = "unsloth/models/rl.py";

/** Unsloth changes two of the trainer's defaults. */
const stated: TrlBatch = {
  ...trlBatch,
  perDevice: first(
    number(setting("per_device_train_batch_size"), { unit: "completions per device" }),
    libraryDefault(4, RL),
  ),
  accumulation: first(number(setting("gradient_accumulation_steps")), libraryDefault(2, RL)),
};

/** Where the completions do not divide by the group size, unsloth raises the batch per device to the group size. */
const raised: Read<number> = (config) => {
  const [all, group] = [completions(stated)(config), stated.generations(config)];
  const fits = !all || !group || !isKnown(all) || !isKnown(group) || all.value % group.value === 0;
  if (fits || stated.generationBatch(config) !== undefined) return stated.perDevice(config);
  const place = stated.perDevice(config);
  return known(group.value, "derived", {
    ...(place && isKnown(place) && place.span ? { span: place.span } : {}),
    note: "unsloth raises the batch per device to num_generations",
  }) as Fact<number>;
};

const batch: TrlBatch = { ...stated, perDevice: raised };

export const unsloth: Framework = {
  ...trl,
  id: "unsloth",
  name: "Unsloth",
  docs: { url: "https://docs.unsloth.ai/get-started/reinforcement-learning-rl-guide", formats: ["Python"] },
  signs: {
    words: { shell: ["\\bunsloth\\b"], python: ["\\bFastLanguageModel\\b"] },
  },
  detect: (config: Config) =>
    config.syntax === "python" && imports(config.variant, /^unsloth\b/) && trlExperiments(config.variant).length > 0
      ? 0.9
      : 0,
  cost: trlFamilyCost,
  responseScope: "turn",
  fields: {
    ...trlFields,
    promptsPerStep: {
      unit: "completions per device",
      help: `${trlFields.promptsPerStep?.help ?? ""} Unsloth raises the batch per device to \`num_generations\` where the completions would not divide by it.`,
      read: prompts(batch),
    },
  },
  rules: (config) => trl.rules?.(config).filter((rule) => rule.id !== "trl-generation-batch") ?? [],
};
