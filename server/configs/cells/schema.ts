import * as z from "zod/mini";
import { LAW_NAMES } from "../../core/laws/list";
import { keysOf, type KeyDoc } from "../schema/describe";

/** The shape of a fit cell, written once: validation, completion and hovers come from here. */
const quantity = () => z.union([z.number(), z.string()]);
const texts = () => z.union([z.string(), z.array(z.string())]);

function documented<Schema extends z.ZodMiniType>(schema: Schema, description: string): z.ZodMiniOptional<Schema> {
  z.globalRegistry.add(schema, { description });
  return z.optional(schema);
}

/** What `show` can draw, in the order in which a notebook shows it. */
export const SHOWN = [
  "axes",
  "exponents",
  "residuals",
  "synthesis",
  "discounts",
  "split",
  "frontier",
  "growth",
  "runs",
  "curves",
] as const;
export type Shown = (typeof SHOWN)[number];

const AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"] as const;
const GROUPS = ["model", "algorithm", "domain"] as const;

const fit = z.strictObject({
  logs: documented(
    texts(),
    "Folders, globs or tables of run logs: `runs/**`, `results.csv`. Relative to the notebook.",
  ),
  file: documented(z.string(), "A saved fit (`*.fit.json`), instead of `logs`."),
  law: documented(
    z.enum(LAW_NAMES),
    "The scaling law. `auto` fits several and chooses by AICc and the error on held-out largest runs.",
  ),
  by: documented(
    z.array(z.enum(GROUPS)),
    "What makes a setting: runs that differ in one of these are fitted apart and summarised together. All three when left out.",
  ),
  axes: documented(z.array(z.enum(AXES)), "The axes to fit. Every axis that most runs state when left out."),
  metric: documented(z.string(), "The success metric's column, with `*` for any part: `val-core/*/acc/mean@1`."),
  final: documented(
    z.enum(["last3", "last"]),
    "How a run's curve becomes one value: mean of the last three evaluations (`last3`, the default) or the last one.",
  ),
  loss: documented(
    z.enum(["binomial", "beta-binomial", "gaussian", "huber", "mse"]),
    "How misfit is counted. Binomial with run-level dispersion where the runs state their trials.",
  ),
  huber_delta: documented(
    quantity(),
    "Where Huber's loss turns from squares to absolute values; about 1.35 × the noise.",
  ),
  bootstrap: documented(
    quantity(),
    "Number of draws behind every interval; 1000 when left out (400 above 2,000 runs).",
  ),
  seed: documented(quantity(), "Seed of the draws. The same seed gives the same intervals."),
});

const levels = z.strictObject({
  tasks: documented(quantity(), "Unique tasks."),
  environments: documented(quantity(), "Distinct environments."),
  worlds: documented(quantity(), "Distinct worlds."),
  structures: documented(quantity(), "Distinct environment structures."),
  trajectories: documented(quantity(), "Rollouts per covered task × environment cell."),
  parameters: documented(quantity(), "Parameters of the model, such as `8.2B`."),
  setting: documented(z.string(), "Which setting's law to use, where there are several."),
});

const allocate = z.strictObject({
  budget: documented(
    z.string(),
    "The experiment's config: a `*.budget.yaml`, or a framework's own. Relative to the notebook.",
  ),
  experiment: documented(z.string(), "Which experiment, where the file holds several."),
  compute: documented(
    quantity(),
    "The compute to spend (`3e19 FLOPs`, `60 GPUh`, `150 USD`). That of the config when left out.",
  ),
  same_success: documented(z.boolean(), "Find the cheapest split with the success that the config would have."),
  pin: documented(z.array(z.enum(AXES)), "Axes to hold at their value in the config."),
});

const plan = z.strictObject({
  budget: documented(z.string(), "The experiment whose allocation the runs should settle."),
  experiment: documented(z.string(), "Which experiment, where the file holds several."),
  runs: documented(quantity(), "At most how many runs to propose; 27 when left out."),
});

const shape = {
  fit: documented(
    z.union([z.string(), fit]),
    "Fits scaling laws to run logs, or reads a saved fit. Cells below use the nearest fit above them; without one, the fit of `scaling.yaml`.",
  ),
  predict: documented(
    z.union([levels, z.array(levels)]),
    "The success rate to expect at these levels, with its interval and how far beyond the fitted range they are. A list gives one row each.",
  ),
  allocate: documented(
    z.union([z.string(), allocate]),
    "How an experiment's budget is split, and how it would be split best.",
  ),
  compare: documented(texts(), "Configs whose predictions and splits are set side by side."),
  measure: documented(texts(), "Rollout files whose tasks, environments, coverage and reward density are counted."),
  forecast: documented(
    texts(),
    "Run logs whose runs are forecast: where each will end, with its curve. Folders, globs or files, relative to the notebook.",
  ),
  plan: documented(z.union([z.string(), plan]), "The runs that would settle the allocation best per unit of cost."),
  show: documented(
    z.array(z.enum(SHOWN)),
    "What to draw: `axes`, `exponents`, `residuals`, `synthesis`, `discounts` of a fit; `split`, `frontier`, `growth` of an allocation; `runs` as a table; `curves` with where runs will end.",
  ),
};

/** Keys that take a text in short, or a map. */
const MAPS = { fit, allocate, plan } as const;

/**
 * The schema for a cell whose long keys are maps or texts as said: against a union, a fault deep in a map would be told as "expected
 * text" at its head.
 */
export function querySchemaFor(isMap: (key: string) => boolean): z.ZodMiniType {
  const long = Object.entries(MAPS).map(([key, map]) => [key, z.optional(isMap(key) ? map : z.string())]);
  return z.strictObject({
    ...shape,
    ...Object.fromEntries(long),
    predict: z.optional(isMap("predict") ? levels : z.array(levels)),
  });
}

/** The keys of a cell. Where a key takes either a text or a map, its children are the map's. */
export const QUERY_KEYS: readonly KeyDoc[] = keysOf(z.strictObject(shape)).map((doc) => {
  const maps: Readonly<Record<string, z.ZodMiniType>> = { ...MAPS, predict: levels };
  if (doc.key in maps) return { ...doc, kind: "map", children: keysOf(maps[doc.key]) };
  return doc;
});
