import { isKnownAxis, type KnownAxis } from "../../core/axes";
import { checkShape } from "../schema/check";
import { docAt, SCALING_KEYS } from "../schema/describe";
import { Reader, type QuantityRules } from "../schema/reader";
import { statedWorth, type StatedWorth } from "../schema/stated";
import { DESIGNS, REWARD_SCHEMES, scalingSchema, SYNTHESIS_AXES } from "../schema/schema";
import { capped } from "../../syntax/capped";
import { EMPTY_MAP, entryOf } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, MapNode, TreeNode } from "../../syntax/tree";
import type { Dimension } from "../../syntax/quantity/units";
import { folderOf } from "../../syntax/uris";
import { amountOf, factGlob } from "./factGlob";
import { modelsOf, type ListedModel } from "./models";
import { parsedScaling } from "./parsed";

/** A value and where it stands in `scaling.yaml`. */
interface Placed<Value> {
  readonly value: Value;
  readonly span: Span;
}

type PriceUnit = "USD" | "GPUh" | "FLOPs";

export interface Price extends Placed<number> {
  readonly unit: PriceUnit;
}

export type PricedAxis = "tasks" | "environments" | "worlds" | "structures" | "trajectories";

/** Facts about configs that match `files`. Only what is stated is there. */
export interface FactRule {
  readonly files: readonly string[];
  readonly span: Span;
  readonly numbers: Readonly<Partial<Record<NumericFact, Placed<number>>>>;
  readonly words: Readonly<Partial<Record<WordFact, Placed<string>>>>;
  readonly owned: Readonly<Partial<Record<string, number>>>;
  readonly synthesis: Readonly<Partial<Record<string, SynthesisRule>>>;
}

interface SynthesisRule extends StatedWorth {
  readonly method: string;
  readonly real?: Placed<number>;
  readonly synthetic?: Placed<number>;
  readonly span: Span;
}

/** Keys of a fact rule, by the budget field that they state. */
const NUMERIC_FACTS = {
  tasks: "tasks",
  environments: "environments",
  worlds: "worlds",
  structures: "structures",
  trajectories: "trajectories",
  rewardDensity: "reward_density",
  tokensPerTrajectory: "tokens_per_trajectory",
  parameters: "parameters",
  activeParameters: "active_parameters",
  steps: "steps",
  promptsPerStep: "prompts_per_step",
  groupSize: "group_size",
  epochs: "epochs",
  maxTurns: "max_turns",
  gpus: "gpus",
  promptTokens: "prompt_tokens",
  responseTokens: "response_tokens",
  turns: "turns",
  evaluationSamples: "evaluation_samples",
  dynamicSampling: "dynamic_sampling",
  passRate: "pass_rate",
  environmentSeconds: "environment_seconds",
  coverage: "coverage",
} as const;
export type NumericFact = keyof typeof NUMERIC_FACTS;

const WORD_FACTS = {
  model: "model",
  algorithm: "algorithm",
  domain: "domain",
  rewardScheme: "reward_scheme",
  design: "design",
  seed: "seed",
  setting: "setting",
} as const;
export type WordFact = keyof typeof WORD_FACTS;

/** USD per million tokens; null: not stated. */
interface StatedTariff {
  readonly model: string;
  readonly provider: string | null;
  readonly prefill: number | null;
  readonly sample: number | null;
  readonly train: number | null;
  readonly span: Span;
}

/** What `scaling.yaml` says. Null: not stated. */
export interface ScalingFile {
  /** Where the file is; globs and paths are relative to its folder. */
  readonly uri: string;
  readonly fit: Placed<string> | null;
  readonly logs: readonly Placed<string>[];
  readonly metric: Placed<string> | null;
  /** Null: as it fits the metric, three evaluations or a window of training rollouts. */
  readonly final: "last3" | "last" | null;
  /** How the metric's values are written, where they are no shares of 1. */
  readonly scale: "percent" | "plus-minus-one" | readonly [number, number] | null;
  readonly columns: Readonly<Record<string, string>>;
  readonly law: Placed<string> | null;
  /** Runs whose curve still climbs; null: kept. */
  readonly convergence: "keep" | "drop" | null;
  /** Runs that a fit uses; null: those that have ended. */
  readonly include: "finished" | "running" | null;
  readonly hardware: {
    readonly gpu: Placed<string> | null;
    readonly count: Placed<number> | null;
    /** USD per GPU-hour. */
    readonly price: Placed<number> | null;
    /** FLOP per second of one GPU. */
    readonly peak: Placed<number> | null;
    /** Shares of the peak, in (0, 1]. */
    readonly utilisation: { readonly generation: Placed<number> | null; readonly training: Placed<number> | null };
  };
  /** Prices of hosted training, USD per million tokens. */
  readonly tariffs: readonly StatedTariff[];
  /** Price of making one more unit. */
  readonly prices: {
    readonly real: Readonly<Partial<Record<PricedAxis, Price>>>;
    readonly synthetic: Readonly<Partial<Record<PricedAxis, Price>>>;
  };
  readonly limits: Readonly<
    Partial<Record<KnownAxis, { readonly low: number; readonly high: number; readonly span: Span }>>
  >;
  readonly pin: readonly KnownAxis[];
  /** Models to choose among where parameters are free, by name or size. */
  readonly models: readonly Placed<ListedModel>[];
  readonly design: "nested" | "factorial" | null;
  readonly facts: readonly FactRule[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

const COUNT: QuantityRules = { atLeast: 1, whole: true };
const SHARE: QuantityRules = { above: 0, atMost: 1 };
const RULES: Readonly<Record<NumericFact, QuantityRules>> = {
  tasks: COUNT,
  environments: COUNT,
  worlds: COUNT,
  structures: COUNT,
  trajectories: { above: 0 },
  rewardDensity: SHARE,
  tokensPerTrajectory: { atLeast: 1 },
  parameters: { above: 0 },
  activeParameters: { above: 0 },
  steps: COUNT,
  promptsPerStep: COUNT,
  groupSize: COUNT,
  epochs: { above: 0 },
  maxTurns: COUNT,
  gpus: COUNT,
  promptTokens: { atLeast: 1 },
  responseTokens: { atLeast: 1 },
  turns: { atLeast: 1 },
  evaluationSamples: { atLeast: 1 },
  dynamicSampling: { atLeast: 1 },
  passRate: SHARE,
  environmentSeconds: { atLeast: 0 },
  coverage: SHARE,
};
const PRICE_KEYS: Readonly<Record<string, PricedAxis>> = {
  task: "tasks",
  environment: "environments",
  world: "worlds",
  structure: "structures",
  trajectory: "trajectories",
};

const USD: Dimension = { usd: 1 };
const USD_PER_HOUR: Dimension = { usd: 1, hour: -1 };
const FLOPS_RATE: Dimension = { flops: 1, hour: -1 };

/** Reads a `scaling.yaml`. Never throws; what cannot be read is not stated, and has a diagnostic on its exact range. */
export function readScalingFile(uri: string, text: string): ScalingFile {
  const syntax = parsedScaling(text);
  const root = syntax.variants[0]?.root ?? EMPTY_MAP;
  const reader = new Reader();
  const shape = checkShape(scalingSchema, listedFacts(root), (path) =>
    (path.length === 0 ? SCALING_KEYS : (docAt(SCALING_KEYS, path)?.children ?? [])).map((doc) => doc.key),
  );
  for (const extra of syntax.variants.slice(1))
    reader.report(extra.anchor, "budget.value", "Only the first document of this file is read.", "warning");
  const hardware = section(root, "hardware");
  const utilisation = section(hardware, "utilisation");
  const peak = reader.quantity(hardware, "peak", { dimensions: [FLOPS_RATE, { flops: 1 }], above: 0 });
  const file: Omit<ScalingFile, "diagnostics"> = {
    uri,
    fit: placedText(reader, root, "fit"),
    logs: texts(entryOf(root, "logs")?.value),
    metric: placedText(reader, root, "metric"),
    final: reader.word(root, "final", ["last3", "last"] as const)?.value ?? null,
    scale: scaleOf(reader, entryOf(root, "scale")?.value),
    columns: columnsOf(section(root, "columns")),
    law: placedText(reader, root, "law"),
    convergence: reader.word(root, "convergence", ["keep", "drop"] as const)?.value ?? null,
    include: reader.word(root, "include", ["finished", "running"] as const)?.value ?? null,
    hardware: {
      gpu: placedText(reader, hardware, "gpu"),
      count: placedNumber(reader, hardware, "count", COUNT),
      price: placedNumber(reader, hardware, "price", {
        dimensions: [USD_PER_HOUR, { usd: 1, hour: -1, gpu: -1 }],
        atLeast: 0,
      }),
      // `989 TFLOPs` is taken a second, as data sheets mean it; a rate was read per hour.
      peak:
        peak === undefined
          ? null
          : { value: !peak.bare && peak.dimension.hour === -1 ? peak.value / 3600 : peak.value, span: peak.node.span },
      utilisation: {
        generation: placedNumber(reader, utilisation, "generation", SHARE),
        training: placedNumber(reader, utilisation, "training", SHARE),
      },
    },
    tariffs: tariffsOf(reader, entryOf(root, "tariffs")?.value),
    prices: {
      real: pricesOf(reader, section(root, "prices")),
      synthetic: pricesOf(reader, section(section(root, "prices"), "synthetic")),
    },
    limits: limitsOf(reader, section(root, "limits")),
    pin: texts(entryOf(root, "pin")?.value)
      .map(({ value }) => value)
      .filter(isKnownAxis),
    models: modelsOf(reader, entryOf(root, "models")?.value),
    design: reader.word(root, "design", DESIGNS)?.value ?? null,
    facts: factsOf(reader, entryOf(listedFacts(root), "facts")?.value),
  };
  return { ...file, diagnostics: capped([...syntax.diagnostics, ...shape, ...reader.diagnostics]) };
}

function section(map: MapNode | undefined, key: string): MapNode | undefined {
  const node = map === undefined ? undefined : entryOf(map, key)?.value;
  return node?.kind === "map" ? node : undefined;
}

function placedText(reader: Reader, map: MapNode | undefined, key: string): Placed<string> | null {
  const found = reader.text(map, key);
  return found === undefined || found.value === "" ? null : { value: found.value, span: found.node.span };
}

function placedNumber(
  reader: Reader,
  map: MapNode | undefined,
  key: string,
  rules: QuantityRules,
): Placed<number> | null {
  const found = reader.quantity(map, key, rules);
  return found === undefined ? null : { value: found.value, span: found.node.span };
}

function texts(node: TreeNode | undefined): readonly Placed<string>[] {
  const items = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  return items.flatMap((item) =>
    item.kind === "scalar" && typeof item.value === "string" && item.value !== ""
      ? [{ value: item.value, span: item.span }]
      : [],
  );
}

function columnsOf(map: MapNode | undefined): Readonly<Record<string, string>> {
  const pairs = (map?.entries ?? []).flatMap(({ key, value }) =>
    value.kind === "scalar" && value.value !== null ? [[key, String(value.value)] as const] : [],
  );
  return Object.fromEntries(pairs);
}

function pricesOf(reader: Reader, map: MapNode | undefined): Readonly<Partial<Record<PricedAxis, Price>>> {
  const result: Partial<Record<PricedAxis, Price>> = {};
  for (const [key, axis] of Object.entries(PRICE_KEYS)) {
    const read = reader.quantity(map, key, { dimensions: [USD, { gpu: 1, hour: 1 }, { flops: 1 }], atLeast: 0 });
    if (read === undefined) continue;
    const unit: PriceUnit = read.dimension.flops === 1 ? "FLOPs" : read.dimension.gpu === 1 ? "GPUh" : "USD";
    result[axis] = { value: read.value, unit, span: read.node.span };
  }
  return result;
}

function tariffsOf(reader: Reader, node: TreeNode | undefined): readonly StatedTariff[] {
  if (node?.kind !== "list") return [];
  return node.items.flatMap((item) => {
    const model = item.kind === "map" ? placedText(reader, item, "model") : null;
    if (item.kind !== "map" || model === null) return [];
    const price = (key: string): number | null =>
      placedNumber(reader, item, key, { dimensions: [USD], atLeast: 0 })?.value ?? null;
    return [
      {
        model: model.value,
        provider: placedText(reader, item, "provider")?.value ?? null,
        prefill: price("prefill"),
        sample: price("sample"),
        train: price("train"),
        span: model.span,
      },
    ];
  });
}

function limitsOf(reader: Reader, map: MapNode | undefined): ScalingFile["limits"] {
  const result: Partial<Record<KnownAxis, { low: number; high: number; span: Span }>> = {};
  for (const { key, value } of map?.entries ?? []) {
    if (!isKnownAxis(key) || value.kind !== "list") continue;
    const bounds = value.items.map((item) => reader.quantityOf(item, { above: 0 })?.value);
    const [low, high] = bounds;
    if (value.items.length !== 2)
      reader.report(value.span, "budget.value", "Expected the least and the most: `[1, 200]`.");
    else if (low !== undefined && high !== undefined && low > high)
      reader.report(value.span, "budget.value", `The least (${low}) is above the most (${high}).`);
    else if (low !== undefined && high !== undefined) result[key] = { low, high, span: value.span };
  }
  return result;
}

/** `facts` may be a map from globs to what holds for them; it is read as the list of rules that it stands for. */
function listedFacts(root: MapNode): MapNode {
  const at = root.entries.findIndex(({ key }) => key === "facts");
  const facts = root.entries[at]?.value;
  if (facts?.kind !== "map") return root;
  const items = facts.entries.map((entry): MapNode => {
    const rule = entry.value.kind === "map" ? entry.value : { ...EMPTY_MAP, span: entry.keySpan };
    const files = {
      ...entry,
      key: "files",
      value: { kind: "scalar", value: entry.key, span: entry.keySpan } as unknown as TreeNode,
    };
    return { ...rule, entries: [files, ...rule.entries] };
  });
  const list = { kind: "list", items, span: facts.span } as unknown as TreeNode;
  return { ...root, entries: root.entries.map((entry, i) => (i === at ? { ...entry, value: list } : entry)) };
}

function scaleOf(reader: Reader, node: TreeNode | undefined): ScalingFile["scale"] {
  if (node === undefined) return null;
  if (node.kind === "scalar" && (node.value === "percent" || node.value === "plus-minus-one")) return node.value;
  const [low, high] = node.kind === "list" ? node.items.map((item) => reader.quantityOf(item, {})?.value) : [];
  if (low !== undefined && high !== undefined && high > low) return [low, high];
  reader.report(
    node.span,
    "budget.value",
    "Expected `percent`, `plus-minus-one`, or the values of no success and of full success: `[0, 2]`.",
  );
  return null;
}
/** Each rule is held against each config. */
const MOST_RULES = 500;

function factsOf(reader: Reader, node: TreeNode | undefined): readonly FactRule[] {
  if (node?.kind !== "list") return [];
  const rules = node.items.filter((item) => item.kind === "map");
  if (rules.length > MOST_RULES)
    reader.report(
      rules[MOST_RULES].span,
      "config.too-large",
      `There are ${rules.length} rules; the first ${MOST_RULES} are read.`,
    );
  return rules.slice(0, MOST_RULES).map((rule) => factRule(reader, rule));
}

function factRule(reader: Reader, rule: MapNode): FactRule {
  const numbers: Partial<Record<NumericFact, Placed<number>>> = {};
  for (const [field, key] of Object.entries(NUMERIC_FACTS) as [NumericFact, string][]) {
    const read = placedNumber(reader, rule, key, RULES[field]);
    if (read !== null) numbers[field] = read;
  }
  const words: Partial<Record<WordFact, Placed<string>>> = {};
  for (const [field, key] of Object.entries(WORD_FACTS) as [WordFact, string][]) {
    const allowed: readonly string[] | null =
      field === "design" ? DESIGNS : field === "rewardScheme" ? REWARD_SCHEMES : null;
    const node = field === "seed" ? entryOf(rule, key)?.value : undefined;
    const seed = node?.kind === "scalar" && node.value !== null ? { value: String(node.value), span: node.span } : null;
    const read = field === "seed" ? seed : placedText(reader, rule, key);
    if (read !== null && (allowed === null || allowed.includes(read.value))) words[field] = read;
  }
  const owned: Record<string, number> = {};
  for (const { key } of section(rule, "owned")?.entries ?? []) {
    const read = reader.quantity(section(rule, "owned"), key, { atLeast: 0 });
    if (read !== undefined) owned[key] = read.value;
  }
  const synthesis: Record<string, NonNullable<FactRule["synthesis"][string]>> = {};
  for (const axis of SYNTHESIS_AXES) {
    const plan = section(section(rule, "synthesis"), axis);
    if (plan === undefined) continue;
    const real = placedNumber(reader, plan, "real", { atLeast: 0 });
    const synthetic = placedNumber(reader, plan, "synthetic", { atLeast: 0 });
    synthesis[axis] = {
      method: reader.text(plan, "method")?.value ?? "unnamed",
      ...(real === null ? {} : { real }),
      ...(synthetic === null ? {} : { synthetic }),
      ...statedWorth(reader, plan),
      span: plan.span,
    };
  }
  return {
    files: texts(entryOf(rule, "files")?.value).map(({ value }) => value),
    span: rule.entries[0]?.keySpan ?? rule.span,
    numbers,
    words,
    owned,
    synthesis,
  };
}

/**
 * The rules that hold for a config or a run, in the order of the file: later ones win. A rule that names a folder holds for
 * all that is in it, so that `runs/a`, `runs/a/**` and `runs/a/train.log` say the same of the run in `runs/a`.
 * @param uris all places of one run; `file#name` is a run within a file
 */
export function factRulesFor(scaling: ScalingFile, uris: string | readonly string[]): readonly FactRule[] {
  const folder = `${folderOf(scaling.uri)}/`;
  const paths = (typeof uris === "string" ? [uris] : uris).flatMap((uri) => placesOf(folder, uri));
  return scaling.facts.flatMap((rule) => {
    for (const glob of rule.files)
      for (const path of paths) {
        const levels = factGlob(glob)(path);
        if (levels) return [withLevels(rule, levels)];
      }
    return [];
  });
}

/** A path (an untitled document's name), without its file's ending too, and the folders above it, nearest first. */
function placesOf(folder: string, uri: string): string[] {
  const inside = uri.startsWith(folder);
  const path = decoded(inside ? uri.slice(folder.length) : uri.replace(/^.*\/|^untitled:/, "")).replace("#", "/");
  const parts = path.split("/");
  const found = [path];
  for (let i = parts.length; i > 0; i--) {
    const at = parts.slice(0, i).join("/");
    if (i < parts.length) found.push(at);
    const plain = at.replace(/(\.(?:log|txt|out|err|jsonl|csv|tsv|json|parquet|gz|zst))+$/i, "");
    if (plain !== at) found.push(plain);
  }
  return found;
}

/** A rule with the levels that a file's name states; what the rule states itself comes first. */
function withLevels(rule: FactRule, levels: Readonly<Record<string, string>>): FactRule {
  if (Object.keys(levels).length === 0) return rule;
  const numbers: Partial<Record<NumericFact, Placed<number>>> = {};
  const words: Partial<Record<WordFact, Placed<string>>> = {};
  for (const [field, key] of Object.entries(NUMERIC_FACTS) as [NumericFact, string][]) {
    const value = levels[key] === undefined ? undefined : amountOf(levels[key]);
    if (value !== undefined) numbers[field] = { value, span: rule.span };
  }
  for (const [field, key] of Object.entries(WORD_FACTS) as [WordFact, string][])
    if (levels[key] !== undefined) words[field] = { value: levels[key], span: rule.span };
  return { ...rule, numbers: { ...numbers, ...rule.numbers }, words: { ...words, ...rule.words } };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
