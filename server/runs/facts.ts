import { modelSize } from "../budget/modelName";
import { KNOWN_AXES } from "../core/axes";
import type { SyntheticShare } from "../core/table";
import { type ConfigReading, type ExperimentBudget, type Fact, isKnown } from "../budget/budget";
import { isObject, type JsonObject, parseJson, toNumber } from "../records/json";
import { baseName } from "../records/files";
import { nearest } from "../syntax/nearest";
import { scaleOf } from "./scale";
import type { Notes } from "../records/notes";
import type { RunFacts } from "./options";
import { defined } from "../records/defined";

/** Facts of the first that states them: run.json, then the config, then `scaling.yaml`. */
export function mergeFacts(...all: readonly (RunFacts | undefined)[]): RunFacts {
  let merged: RunFacts = {};
  for (const facts of [...all].reverse()) {
    if (!facts) continue;
    merged = {
      ...merged,
      ...defined(facts),
      ...(merged.axes || facts.axes ? { axes: { ...merged.axes, ...facts.axes } } : {}),
      ...(merged.levels || facts.levels ? { levels: { ...merged.levels, ...facts.levels } } : {}),
      ...(merged.synthesis || facts.synthesis ? { synthesis: { ...merged.synthesis, ...facts.synthesis } } : {}),
    };
  }
  return merged;
}

/**
 * What `run.json` says of its run (see docs/run-logs.md). A value that cannot be is named in a note and counts as unknown.
 * Undefined when the file is no JSON object at all.
 */
export function factsOfRunJson(text: string, file: string, notes: Notes): RunFacts | undefined {
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (!isObject(value)) {
    notes.error("run.bad-json", "run.json is not a JSON object; the run's axes are unknown.", {
      file,
      line: 1,
      column: 1,
    });
    return undefined;
  }
  const place = (key: string) => ({ file, ...lineOf(text, key) });
  const positive = (object: JsonObject, key: string, what = key): number | undefined => {
    if (object[key] === undefined || object[key] === null) return undefined;
    const number = typeof object[key] === "boolean" ? undefined : toNumber(object[key]);
    if (number !== undefined && number > 0 && Number.isFinite(number)) return number;
    notes.warn(
      "run.bad-value",
      `run.json: ${what} is ${JSON.stringify(object[key])}, not a number above 0; it counts as unknown.`,
      place(key),
    );
    return undefined;
  };
  const words = (key: string) =>
    typeof value[key] === "string" || typeof value[key] === "number" ? String(value[key]) : undefined;
  const axes: Record<string, number> = {};
  const stated = isObject(value.axes) ? value.axes : {};
  for (const axis of Object.keys(stated)) {
    const level = positive(stated, axis, `axes.${axis}`);
    if (level !== undefined) axes[axis] = level;
  }
  for (const axis of KNOWN_AXES) {
    const level = axes[axis] === undefined ? positive(value, axis) : undefined;
    if (level !== undefined) axes[axis] = level;
  }
  unknownKeys(value, file, text, notes);
  const density = positive(value, "reward_density");
  if (density !== undefined && density > 1)
    notes.warn(
      "run.bad-value",
      `run.json: reward_density is ${density}, and lies in (0, 1]; it counts as unknown.`,
      place("reward_density"),
    );
  const synthesis = synthesisOf(value, file, notes, text);
  const model = words("model");
  const size = model === undefined || axes.parameters !== undefined ? undefined : parametersOf(model);
  if (size !== undefined) axes.parameters = size;
  const levels = Object.fromEntries(
    Object.keys(axes).map((axis) => [
      axis,
      axis === "parameters" && size !== undefined ? "the model's name in run.json" : "run.json",
    ]),
  );
  return defined({
    axes,
    model,
    algorithm: words("algorithm"),
    domain: words("domain"),
    setting: words("setting"),
    seed: words("seed"),
    metric: words("metric"),
    framework: words("framework"),
    evaluationTasks: isObject(value.evaluation) ? positive(value.evaluation, "tasks", "evaluation.tasks") : undefined,
    rewardDensity: density !== undefined && density <= 1 ? density : undefined,
    rewardScheme: words("reward_scheme"),
    synthesis,
    tokensPerTrajectory: positive(value, "tokens_per_trajectory"),
    gpus: positive(value, "gpus"),
    levels,
    plannedSteps: positive(value, "steps"),
    promptsPerStep: positive(value, "prompts_per_step"),
    groupSize: positive(value, "group_size"),
    rolloutsPerStep: positive(value, "rollouts_per_step"),
    epochs: positive(value, "epochs"),
    scale: scaleOf(value.scale),
    simulated:
      value.simulated !== undefined && value.simulated !== null && value.simulated !== false ? true : undefined,
  });
}

/** Keys of run.json, besides the axes. */
const RUN_KEYS = [
  "axes",
  "model",
  "algorithm",
  "domain",
  "setting",
  "seed",
  "metric",
  "framework",
  "evaluation",
  "reward_scheme",
  "reward_density",
  "synthesis",
  "tokens_per_trajectory",
  "gpus",
  "simulated",
  "steps",
  "prompts_per_step",
  "group_size",
  "rollouts_per_step",
  "epochs",
  "scale",
  "name",
  "id",
  "run",
  "note",
  "notes",
  "description",
  "comment",
  "$schema",
];

/** A key that run.json has and nobody reads is named: `taks` would otherwise count as unknown tasks in silence. */
function unknownKeys(value: JsonObject, file: string, text: string, notes: Notes): void {
  const known = [...RUN_KEYS, ...KNOWN_AXES];
  const odd = Object.keys(value).filter((key) => !known.includes(key));
  if (odd.length === 0) return;
  const named = odd.slice(0, 6).map((key) => {
    const meant = nearest(key, known);
    return meant === undefined ? key : `${key} (is ${meant} meant?)`;
  });
  notes.warn(
    "run.unknown-key",
    `run.json: ${named.join(", ")}${odd.length > 6 ? `, and ${odd.length - 6} more` : ""} ${odd.length > 1 ? "are" : "is"} not read. Axes of your own stand in \`axes\`.`,
    { file, ...lineOf(text, odd[0]) },
  );
}

function synthesisOf(
  value: JsonObject,
  file: string,
  notes: Notes,
  text: string,
): Record<string, SyntheticShare> | undefined {
  if (!isObject(value.synthesis)) return undefined;
  const found: Record<string, SyntheticShare> = {};
  for (const [axis, plan] of Object.entries(value.synthesis)) {
    if (!isObject(plan)) continue;
    const real = toNumber(plan.real);
    const synthetic = toNumber(plan.synthetic);
    if (
      real !== undefined &&
      synthetic !== undefined &&
      real >= 0 &&
      synthetic >= 0 &&
      Number.isFinite(real + synthetic)
    ) {
      found[axis] = { real, synthetic, method: typeof plan.method === "string" ? plan.method : "unnamed" };
    } else
      notes.warn(
        "run.bad-value",
        `run.json: synthesis.${axis} needs real and synthetic counts of 0 or more; it counts as unknown.`,
        { file, ...lineOf(text, axis) },
      );
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

function lineOf(text: string, key: string): { line: number; column: number } | undefined {
  const at = text.indexOf(`"${key}"`);
  if (at < 0) return undefined;
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

function valueOf<Value>(fact: Fact<Value>): Value | undefined {
  return isKnown(fact) ? (fact.value as Value) : undefined;
}

/** The axes and names that a run's own config states, through the framework readers. */
export function factsOfConfig(reading: ConfigReading, uri: string, run: string, notes: Notes): RunFacts | undefined {
  const { experiments } = reading;
  if (experiments.length === 0) return reading.framework ? { framework: reading.framework } : undefined;
  const named = experiments.find(({ name }) => name === run);
  if (experiments.length > 1 && !named) {
    const names = experiments
      .map(({ name }) => name)
      .slice(0, 6)
      .join(", ");
    notes.warn(
      "run.config-many",
      `${baseName(uri)} describes ${experiments.length} experiments (${names}) and none is named ${run}; its axes count as unknown.`,
      { file: uri },
    );
    return defined({ framework: reading.framework ?? undefined });
  }
  return factsOfBudget(named ?? experiments[0], reading.framework ?? undefined, baseName(uri));
}

function factsOfBudget(budget: ExperimentBudget, framework: string | undefined, from: string): RunFacts {
  const axes: Record<string, number> = {};
  const levels: Record<string, string> = {};
  for (const axis of KNOWN_AXES) {
    const fact = axis === "parameters" ? budget.model.parameters : budget.axes[axis];
    const level = valueOf(fact);
    if (level === undefined || !(level > 0) || !Number.isFinite(level)) continue;
    axes[axis] = level;
    levels[axis] = originOf(fact, framework, from);
  }
  const synthesis: Record<string, SyntheticShare> = {};
  for (const [axis, plan] of Object.entries(budget.synthesis)) {
    const real = plan && valueOf(plan.real);
    const synthetic = plan && valueOf(plan.synthetic);
    if (plan && real !== undefined && synthetic !== undefined)
      synthesis[axis] = { real, synthetic, method: plan.method };
  }
  const tokens = budget.tokensPerTrajectory;
  return defined({
    axes,
    framework,
    model: valueOf(budget.model.name),
    algorithm: valueOf(budget.algorithm),
    domain: valueOf(budget.domain),
    rewardDensity: valueOf(budget.axes.rewardDensity),
    rewardScheme: valueOf(budget.rewardScheme),
    gpus: valueOf(budget.gpus),
    plannedSteps: valueOf(budget.steps),
    promptsPerStep: valueOf(budget.promptsPerStep),
    groupSize: valueOf(budget.groupSize),
    levels,
    // An upper limit is no measurement: only what the config or scaling.yaml declares counts.
    tokensPerTrajectory:
      isKnown(tokens) && tokens.source !== "derived" && tokens.source !== "default"
        ? (tokens.value as number)
        : undefined,
    synthesis: Object.keys(synthesis).length > 0 ? synthesis : undefined,
  });
}

/** Which file says it: the run's config, a file that the config names, or scaling.yaml; or the framework's default. */
function originOf(fact: Fact<number>, framework: string | undefined, config: string): string {
  if (!isKnown(fact)) return config;
  if (fact.source === "scaling.yaml") return "facts in scaling.yaml";
  if (fact.source === "dataset") return `the data that ${config} names`;
  if (fact.source === "default") return `default${framework === undefined ? "" : ` of ${framework}`}, not in ${config}`;
  return fact.file === undefined ? config : baseName(fact.file);
}

/** Parameters that a model's name states; undefined where it states none. */
export function parametersOf(model: string): number | undefined {
  return modelSize(model).parameters?.value || undefined;
}
