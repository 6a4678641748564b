import { ok, refused } from "../result";
import type { Result } from "../result";
import { hardware } from "./hardware";
import { evaluateTerms, parts, total } from "./evaluate";
import { rolloutCost, sourceOf, valueOf } from "./rollout";
import type { RolloutCost } from "./rollout";
import type { Assumption, CostInputs, CostModel, CostTerm, CostUnit, Footprint, Levels, Money, Ratios } from "./types";

/**
 * Cost of an experiment as a posynomial in its axes, in one unit:
 * Σ_i p_i·max(0, x_i − owned_i) + (cost of a rollout)·|Ω|·D_τ, with |Ω| tasks × environments × coverage (factorial) or
 * tasks × environments per task (nested).
 *
 * Codes: `cost.input` (a number that cannot be), `cost.no-conversion` (prices cannot be brought to one unit),
 * `cost.rollout-unknown` (data are priced, the compute of a rollout is not known).
 */
export function costModel(inputs: CostInputs): Result<CostModel> {
  const wrong = invalid(inputs);
  if (wrong) return refused("cost.input", wrong);
  const priced = Object.values(inputs.prices ?? {}).some(
    (price) => price?.real !== undefined || price?.synthetic !== undefined,
  );
  const needsHardware = priced || inputs.unit === "USD" || inputs.unit === "GPUh";
  const gpu = inputs.hardware ?? (needsHardware ? hardware(undefined) : undefined);

  const rollout = rolloutCost(inputs, gpu);
  const cells = cellTerm(inputs);
  const defaults: Levels = {
    ...(valueOf(inputs.parameters) === null ? {} : { parameters: valueOf(inputs.parameters) ?? 0 }),
  };
  const toUnit = converter(rollout, gpu?.usdPerGpuHour ?? null);
  const unit: CostUnit =
    inputs.unit ??
    (priced ? "USD" : rollout.flops !== null ? "FLOPs" : rollout.gpuHours !== null ? "GPUh" : "rollouts");
  if (priced && rollout.flops === null && rollout.gpuHours === null) {
    return refused(
      "cost.rollout-unknown",
      `Making data has a price, but rollouts cannot be priced: ${rollout.missing.join(" and ")}.`,
    );
  }
  const perRollout = rolloutIn(unit, rollout, toUnit);
  if (!perRollout.ok) return perRollout;

  const making = makingTerms(inputs, unit, toUnit);
  if (!making.ok) return making;
  const parameterExponent = valueOf(inputs.parameterExponent) ?? 1;
  const scalesWithN = unit !== "rollouts" && defaults.parameters !== undefined;
  const rolloutTerm: CostTerm = {
    ...cells.term,
    coefficient:
      (cells.term.coefficient * perRollout.value) / (scalesWithN ? (defaults.parameters ?? 1) ** parameterExponent : 1),
    exponents: { ...cells.term.exponents, ...(scalesWithN ? { parameters: parameterExponent } : {}) },
  };
  const terms = [...making.value.terms, rolloutTerm];
  const assumptions = [...rollout.assumptions, ...cells.assumptions, ...making.value.assumptions];
  if (scalesWithN && parameterExponent !== 1)
    assumptions.push({
      name: "parameter exponent of a rollout",
      value: parameterExponent,
      unit: "k_N",
      source: sourceOf(inputs.parameterExponent),
    });

  return ok({
    unit,
    terms,
    defaults,
    assumptions,
    design: cells.design,
    cost: (levels: Levels, ratios?: Ratios) => {
      const costs = evaluateTerms(terms, levels, defaults, ratios);
      return costs.ok ? ok(total(costs.value)) : costs;
    },
    breakdown: (levels: Levels, ratios?: Ratios) => {
      const costs = evaluateTerms(terms, levels, defaults, ratios);
      return costs.ok ? ok(parts(terms, costs.value)) : costs;
    },
    convert: toUnit,
    footprint: (levels: Levels) =>
      footprint(levels, cells.term, defaults, rollout, valueOf(inputs.tokensPerTrajectory), parameterExponent, toUnit),
  });
}

/** A cost given as terms, for closed forms and for units that the product does not know. */
export function posynomialCost(terms: readonly CostTerm[], unit: CostUnit = "FLOPs", defaults: Levels = {}): CostModel {
  const evaluate = (levels: Levels, ratios?: Ratios): Result<number[]> =>
    evaluateTerms(terms, levels, defaults, ratios);
  return {
    unit,
    terms,
    defaults,
    design: "stated cost terms",
    assumptions: [],
    cost: (levels, ratios) => {
      const costs = evaluate(levels, ratios);
      return costs.ok ? ok(total(costs.value)) : costs;
    },
    breakdown: (levels, ratios) => {
      const costs = evaluate(levels, ratios);
      return costs.ok ? ok(parts(terms, costs.value)) : costs;
    },
    convert: (value, from, to) =>
      from === to ? ok(value) : refused("cost.no-conversion", "This cost is given as terms in one unit."),
    footprint: () => refused("cost.no-conversion", "This cost is given as terms: rollouts are not told apart."),
  };
}

function invalid(inputs: CostInputs): string | null {
  const positive: [string, number | null][] = [
    ["parameters", valueOf(inputs.parameters)],
    ["active parameters", valueOf(inputs.activeParameters)],
    ["tokens per rollout", valueOf(inputs.tokensPerTrajectory)],
    ["peak FLOP/s", inputs.hardware?.peakFlops ?? null],
    ["utilisation in generation", inputs.hardware?.utilisation.generation ?? null],
    ["utilisation in training", inputs.hardware?.utilisation.training ?? null],
    ["GPU-hours per rollout", valueOf(inputs.gpuHoursPerRollout)],
  ];
  for (const [name, value] of positive)
    if (value !== null && !(value > 0)) return `${name} must be above 0, not ${value}.`;
  for (const [name, value] of positive)
    if (name.startsWith("utilisation") && value !== null && value > 1)
      return `${name} must be at most 1, not ${value}.`;
  for (const [axis, price] of Object.entries(inputs.prices ?? {})) {
    for (const money of [price?.real, price?.synthetic])
      if (money && !(money.value >= 0 && Number.isFinite(money.value)))
        return `The price of ${axis} must be 0 or more, not ${money.value}.`;
  }
  const coverage = inputs.design.kind === "factorial" ? valueOf(inputs.design.coverage) : null;
  if (coverage !== null && !(coverage > 0 && coverage <= 1)) return `coverage must be in (0, 1], not ${coverage}.`;
  return null;
}

function converter(rollout: RolloutCost, usdPerGpuHour: number | null): CostModel["convert"] {
  /** What one GPU-hour comes to in each unit: every conversion goes through GPU-hours. Own GPUs may cost 0 USD. */
  const perHour: Record<CostUnit, number | null> = {
    GPUh: 1,
    FLOPs: rollout.flopsPerGpuHour,
    USD: usdPerGpuHour,
    rollouts: rollout.gpuHours === null ? null : 1 / rollout.gpuHours,
  };
  return (value, from, to) => {
    if (from === to) return ok(value);
    if (rollout.flops !== null && from === "rollouts" && to === "FLOPs") return ok(value * rollout.flops);
    if (rollout.flops !== null && from === "FLOPs" && to === "rollouts") return ok(value / rollout.flops);
    const source = perHour[from];
    const target = perHour[to];
    if (source === null || target === null) {
      const lacking = source === null ? from : to;
      return refused("cost.no-conversion", `${from} cannot be turned into ${to}: ${lackingReason(lacking)}.`);
    }
    if (source === 0)
      return refused("cost.no-conversion", `${from} cannot be turned into ${to}: a GPU-hour costs 0 ${from} here.`);
    return ok((value / source) * target);
  };
}

function lackingReason(unit: CostUnit): string {
  if (unit === "USD") return "the price of a GPU-hour is unknown";
  return unit === "FLOPs" ? "neither hardware nor measured GPU-hours are known" : "the compute of a rollout is unknown";
}

function cellTerm(inputs: CostInputs): { term: CostTerm; design: string; assumptions: Assumption[] } {
  const assumptions: Assumption[] = [];
  const environments = environmentMonomial(inputs, assumptions);
  const base = { id: "rollouts", label: "rollouts and training", axis: null, part: "all" as const, owned: 0 };
  if (inputs.design.kind === "nested") {
    const perTask = valueOf(inputs.design.environmentsPerTask) ?? 1;
    assumptions.push({
      name: "design",
      value: "nested",
      unit: `${perTask} environment${perTask === 1 ? "" : "s"} per task`,
      source: inputs.design.source ?? "default",
    });
    return {
      term: { ...base, coefficient: perTask, exponents: { tasks: 1, trajectories: 1 } },
      design:
        perTask === 1
          ? "nested: each task in one environment, cells = tasks"
          : `nested: each task in ${perTask} environments`,
      assumptions,
    };
  }
  const coverage = valueOf(inputs.design.coverage) ?? 1;
  assumptions.push({
    name: "design",
    value: "factorial",
    unit: `${coverage} of task × environment cells`,
    source: inputs.design.source ?? sourceOf(inputs.design.coverage, "default"),
  });
  return {
    term: {
      ...base,
      coefficient: coverage * environments.coefficient,
      exponents: { tasks: 1, ...environments.exponents, trajectories: 1 },
    },
    design: `factorial: tasks × environments, ${Math.round(coverage * 1000) / 10} % of cells covered`,
    assumptions,
  };
}

/** How many environments there are, as a monomial in the axes of the law. */
function environmentMonomial(
  inputs: CostInputs,
  assumptions: Assumption[],
): { coefficient: number; exponents: Levels } {
  const axes = inputs.environmentAxes;
  if (axes?.kind !== "worlds-structures") return { coefficient: 1, exponents: { environments: 1 } };
  const share = valueOf(axes.pairShare) ?? 1;
  assumptions.push({
    name: "environments per world × structure pair",
    value: share,
    unit: "share of pairs",
    source: sourceOf(axes.pairShare, axes.pairShare === undefined ? "default: every pair exists" : "stated"),
  });
  return { coefficient: share, exponents: { worlds: 1, structures: 1 } };
}

function makingTerms(
  inputs: CostInputs,
  unit: CostUnit,
  convert: CostModel["convert"],
): Result<{ terms: CostTerm[]; assumptions: Assumption[] }> {
  const terms: CostTerm[] = [];
  const assumptions: Assumption[] = [];
  for (const [axis, price] of Object.entries(inputs.prices ?? {})) {
    if (!price || unit === "rollouts") continue;
    const stock = inputs.owned?.[axis];
    const owned =
      typeof stock === "number"
        ? { real: stock, synthetic: 0 }
        : { real: stock?.real ?? 0, synthetic: stock?.synthetic ?? 0 };
    const monomial =
      axis === "environments" ? environmentMonomial(inputs, []) : { coefficient: 1, exponents: { [axis]: 1 } };
    const real = price.real ?? price.synthetic;
    const synthetic = price.synthetic ?? price.real;
    if (!real || !synthetic) continue;
    const add = (part: "real" | "synthetic", money: Money, free: number, assumed: boolean): Result<number> => {
      const value = convert(money.value, money.unit, unit);
      if (value.ok && value.value > 0) {
        terms.push({
          id: part === "real" ? axis : `${axis}:synthetic`,
          label: part === "real" ? `making ${axis}` : `making synthetic ${axis}`,
          axis,
          part,
          coefficient: value.value * monomial.coefficient,
          exponents: monomial.exponents,
          owned: free / monomial.coefficient,
          ...(assumed ? { assumed } : {}),
        });
      }
      return value;
    };
    for (const added of [
      add("real", real, owned.real, price.real === undefined),
      add("synthetic", synthetic, owned.synthetic, price.synthetic === undefined),
    ])
      if (!added.ok) return added;
    assumptions.push({
      name: `price of making ${axis}`,
      value: real.value,
      unit: real.unit,
      source: price.real ? (real.source ?? "stated") : "assumed equal to the synthetic price",
    });
    if (price.synthetic)
      assumptions.push({
        name: `price of making synthetic ${axis}`,
        value: synthetic.value,
        unit: synthetic.unit,
        source: synthetic.source ?? "stated",
      });
    if (owned.real > 0)
      assumptions.push({ name: `${axis} already made`, value: owned.real, unit: axis, source: "stated: free" });
    if (owned.synthetic > 0)
      assumptions.push({
        name: `synthetic ${axis} already made`,
        value: owned.synthetic,
        unit: axis,
        source: "stated: free",
      });
  }
  return ok({ terms, assumptions });
}

function rolloutIn(unit: CostUnit, rollout: RolloutCost, convert: CostModel["convert"]): Result<number> {
  if (unit === "rollouts") return ok(1);
  if (unit === "FLOPs" && rollout.flops !== null) return ok(rollout.flops);
  if (rollout.gpuHours !== null) return convert(rollout.gpuHours, "GPUh", unit);
  if (rollout.flops !== null) return convert(rollout.flops, "FLOPs", unit);
  return refused("cost.rollout-unknown", `Rollouts cannot be priced in ${unit}: ${rollout.missing.join(" and ")}.`);
}

function footprint(
  levels: Levels,
  cells: CostTerm,
  defaults: Levels,
  rollout: RolloutCost,
  tokens: number | null,
  parameterExponent: number,
  convert: CostModel["convert"],
): Result<Footprint> {
  const rollouts = evaluateTerms([cells], levels, defaults);
  if (!rollouts.ok) return rollouts;
  const count = total(rollouts.value);
  const perCell = levels.trajectories ?? defaults.trajectories ?? 1;
  // Compute is stated for the model's own N; a what-if at another N scales it.
  const scale =
    levels.parameters !== undefined && defaults.parameters !== undefined
      ? (levels.parameters / defaults.parameters) ** parameterExponent
      : 1;
  const flops = rollout.flops === null ? null : rollout.flops * count * scale;
  const gpuHours = rollout.gpuHours === null ? null : rollout.gpuHours * count * scale;
  const usd = gpuHours === null ? null : convert(gpuHours, "GPUh", "USD");
  return ok({
    cells: perCell > 0 ? count / perCell : 0,
    rollouts: count,
    tokens: tokens === null ? null : tokens * count,
    flops,
    gpuHours,
    usd: usd?.ok ? usd.value : null,
    unknown: rollout.missing,
  });
}
