import { isKnown, known, unknown, type ExperimentBudget, type Fact } from "../budget/budget";
import type { Price, PricedAxis, ScalingFile } from "../configs/scaling/scalingFile";
import type { AxisName } from "../core/axes";
import {
  costModel,
  hardware,
  type CostInputs,
  type CostModel,
  type Hardware,
  type Levels,
  type Money,
  type Stated,
} from "../core/cost";
import type { Result } from "../core/result";
import type { Estimate } from "../core/estimate";
import { count, plural } from "../core/numbers";
import type { RunShape } from "../core/cost/shape";
import type { CostView } from "./runCosts";
import type { RunCosts } from "./types";

/** The amounts that a budget states, by axis; unknown ones are left out. */
export function levelsOf(budget: ExperimentBudget): Levels {
  const { tasks, environments, worlds, structures, trajectories } = budget.axes;
  const levels: Record<string, number> = {};
  for (const [axis, fact] of Object.entries({
    tasks,
    environments,
    worlds,
    structures,
    trajectories,
    parameters: budget.model.parameters,
  })) {
    if (isKnown(fact) && fact.value > 0) levels[axis] = fact.value;
  }
  return levels;
}

function stated(fact: Fact<number>): Stated | null {
  return isKnown(fact) ? { value: fact.value, source: fact.note ? `${fact.source}: ${fact.note}` : fact.source } : null;
}

/** Declared hardware over presets; without any, a preset that says it is assumed. */
function hardwareOf(scaling: ScalingFile | null): Hardware {
  const declared = scaling?.hardware;
  return hardware(declared?.gpu?.value, {
    peakFlops: declared?.peak?.value,
    generationUtilisation: declared?.utilisation.generation?.value,
    trainingUtilisation: declared?.utilisation.training?.value,
    usdPerGpuHour: declared?.price?.value,
    source: "scaling.yaml",
  });
}

function pricesOf(scaling: ScalingFile | null): NonNullable<CostInputs["prices"]> {
  const prices: Record<string, { real?: Money; synthetic?: Money }> = {};
  const add = (axis: PricedAxis, part: "real" | "synthetic", price: Price): void => {
    (prices[axis] ??= {})[part] = { value: price.value, unit: price.unit, source: "scaling.yaml" };
  };
  for (const part of ["real", "synthetic"] as const) {
    for (const [axis, price] of Object.entries(scaling?.prices[part] ?? {}))
      if (price) add(axis as PricedAxis, part, price);
  }
  return prices;
}

/** The design that holds, with who said so. Framework configs are nested: each task brings its own environment. */
function designOf(
  budget: ExperimentBudget,
  scaling: ScalingFile | null,
  framework: string | null,
): CostInputs["design"] {
  const said = isKnown(budget.design)
    ? { kind: budget.design.value, source: budget.design.source as string }
    : scaling?.design
      ? { kind: scaling.design, source: "scaling.yaml" }
      : null;
  const kind = said?.kind ?? "nested";
  const source = said?.source ?? (framework === "native" ? "assumed: state `design:`" : "framework configs are nested");
  if (kind === "nested") return { kind, source };
  return {
    kind,
    source,
    ...(isKnown(budget.coverage) && { coverage: { value: budget.coverage.value, source: budget.coverage.source } }),
  };
}

/** Everything the cost model needs, each with its source. */
export function costInputs(
  budget: ExperimentBudget,
  scaling: ScalingFile | null,
  framework: string | null,
  lawAxes: readonly AxisName[],
  gpuHoursPerRollout: { readonly value: number; readonly runs: number } | null = null,
  view: CostView | null = null,
): CostInputs {
  const worlds = lawAxes.includes("worlds") || lawAxes.includes("structures");
  const counted: Pick<CostInputs, "design" | "environmentAxes"> = {
    design: designOf(budget, scaling, framework),
    environmentAxes: { kind: worlds ? "worlds-structures" : "environments" },
  };
  return {
    ...counted,
    prices: pricesOf(scaling),
    hardware: hardwareOf(scaling),
    parameters: stated(budget.model.parameters),
    activeParameters: stated(budget.model.activeParameters),
    tokensPerTrajectory: stated(budget.tokensPerTrajectory),
    owned: budget.owned,
    ...(statedPerRollout(budget, counted) ?? perRollout(gpuHoursPerRollout, view)),
  };
}

/** What a rollout took, where the budget states it. */
function statedPerRollout(
  budget: ExperimentBudget,
  inputs: Pick<CostInputs, "design" | "environmentAxes">,
): Pick<CostInputs, "gpuHoursPerRollout"> | null {
  const taken = budget.spend.measured;
  const rollouts = taken && (taken.rollouts ?? rolloutsOf(budget, inputs).value);
  if (!taken || !rollouts) return null;
  const source = `config: measured, ${count(taken.gpuHours)} GPU-hours for ${count(rollouts)} rollouts`;
  return { gpuHoursPerRollout: { value: taken.gpuHours / rollouts, source } };
}

/** What one more rollout takes: measured, else modelled. The start is not a rollout's. */
function perRollout(
  measured: { readonly value: number; readonly runs: number } | null,
  view: CostView | null,
): Pick<CostInputs, "gpuHoursPerRollout"> {
  if (view?.kind === "run" && view.cost.basis === "measured") return modelledPerRollout(view);
  if (measured)
    return {
      gpuHoursPerRollout: {
        value: measured.value,
        source: `measured: median of ${plural(measured.runs, "run")} of this model size`,
      },
    };
  return view?.kind === "run" ? modelledPerRollout(view) : {};
}

/** What hours rest on that nothing measured. */
function modelledOn({ utilisation }: Pick<RunShape, "utilisation">): string {
  return utilisation.generation === null && utilisation.training === null
    ? "modelled on published runs"
    : "modelled by the stated utilisation";
}

/** With its share of the evaluations, which come every so many steps. */
function modelledPerRollout({ cost, shape }: CostView & { kind: "run" }): Pick<CostInputs, "gpuHoursPerRollout"> {
  const { promptsPerStep, groupSize, gpus, steps } = shape;
  if (promptsPerStep === null || groupSize === null || gpus === null) return {};
  const { estimate, low, high } = cost.secondsPerStep;
  const evaluation = steps === null ? 0 : (cost.evaluations * (cost.secondsPerEvaluation ?? 0)) / steps;
  return {
    gpuHoursPerRollout: {
      value: ((estimate + evaluation) * gpus) / 3600 / (promptsPerStep * groupSize),
      source: `${cost.measuredFrom ? `measured: ${cost.measuredFrom}` : modelledOn(shape)}, 80 % within ×/÷ ${Math.sqrt(high / low).toFixed(1)}`,
    },
  };
}

/** Rollouts, tokens, compute, hours and money of the run: what needs no fit. */
export function runCosts(
  budget: ExperimentBudget,
  inputs: CostInputs,
  view: CostView | null = null,
): { readonly costs: RunCosts; readonly model: Result<CostModel> } {
  const model = costModel(inputs);
  const perRollout = model.ok
    ? model.value.footprint({ tasks: 1, environments: 1, worlds: 1, structures: 1, trajectories: 1 })
    : model;
  const rollouts = rolloutsOf(budget, inputs);
  const perStep = product(budget.promptsPerStep, budget.groupSize, "prompts per step × rollouts per prompt");
  const each = (
    pick: (footprint: {
      tokens: number | null;
      flops: number | null;
      gpuHours: number | null;
      usd: number | null;
    }) => number | null,
  ): Fact<number> => {
    if (!perRollout.ok) return unknown(perRollout.problem.message);
    const value = pick(perRollout.value);
    return value === null
      ? unknown(perRollout.value.unknown.join(" and ") || "the hardware is unknown")
      : known(value, "derived");
  };
  const hardwareNote = inputs.hardware
    ? `${inputs.hardware.name}, ${Math.round(100 * inputs.hardware.utilisation.generation)} % of the peak in generation, ${Math.round(100 * inputs.hardware.utilisation.training)} % in training`
    : "";
  const flops = each(({ flops: value }) => value);
  const hoursNote = typeof inputs.gpuHoursPerRollout === "object" ? inputs.gpuHoursPerRollout.source : hardwareNote;
  const taken = budget.spend.measured;
  const own = taken && isKnown(rollouts) && (taken.rollouts ?? rollouts.value) === rollouts.value;
  const gpuHours = own
    ? known(taken.gpuHours, "config", { note: "measured", span: taken.span })
    : product(
        rollouts,
        each(({ gpuHours: value }) => value),
        hoursNote,
      );
  const bound =
    isKnown(budget.tokensPerTrajectory) && budget.tokensPerTrajectory.note
      ? budget.tokensPerTrajectory.note
      : "rollouts × tokens per rollout";
  return {
    model,
    costs: {
      rollouts,
      tokens: product(rollouts, budget.tokensPerTrajectory, bound),
      tokensPerStep: product(perStep, budget.tokensPerTrajectory, bound),
      compute: product(rollouts, flops, "2·N·L generated + 2·N·L reference + 6·N·L trained"),
      computePerStep: product(perStep, flops, "a step"),
      ...((taken ? null : estimated(view, inputs)) ?? {
        gpuHours,
        usd: product(
          rollouts,
          each(({ usd }) => usd),
          inputs.hardware?.usdPerGpuHour == null
            ? ""
            : `${inputs.hardware.usdPerGpuHour} USD per GPU-hour (${inputs.hardware.sources.price})`,
        ),
        wallClockHours: divided(gpuHours, budget.gpus),
      }),
    },
  };
}

/** Hours and money of the whole run, its evaluations included. */
function estimated(
  view: CostView | null,
  { hardware: gpu }: CostInputs,
): Pick<RunCosts, "gpuHours" | "usd" | "wallClockHours"> | null {
  if (view === null || view.kind === "unknown") return null;
  const told = (estimate: Estimate | null, unit: string, note: string): Fact<number> =>
    estimate === null
      ? unknown(note)
      : known(estimate.estimate, "derived", {
          note: `${note}; 80 %: ${count(estimate.low)} to ${count(estimate.high)} ${unit}`,
        });
  if (view.kind === "hosted")
    return {
      gpuHours: unknown(view.reason),
      usd: told(view.usd, "USD", view.reason),
      wallClockHours: unknown(view.reason),
    };
  const { cost, shape } = view;
  const basis = cost.missing ?? (cost.measuredFrom ? `from ${cost.measuredFrom}` : modelledOn(shape));
  const price = gpu?.usdPerGpuHour == null ? "" : `, ${gpu.usdPerGpuHour} USD per GPU-hour (${gpu.sources.price})`;
  return {
    gpuHours: told(cost.gpuHours, "GPU-hours", basis),
    usd: told(cost.usd, "USD", cost.missing ?? `${basis}${price}`),
    wallClockHours:
      shape.gpus === null ? unknown("the number of GPUs is unknown") : told(cost.wallClockHours, "hours", basis),
  };
}

/** Rollouts of the whole run. */
function rolloutsOf(budget: ExperimentBudget, inputs: Pick<CostInputs, "design" | "environmentAxes">): Fact<number> {
  const { promptsPerStep, groupSize, steps } = budget;
  if (isKnown(promptsPerStep) && isKnown(groupSize) && isKnown(steps)) {
    return known(promptsPerStep.value * groupSize.value * steps.value, "derived", {
      note: `${promptsPerStep.value} prompts × ${groupSize.value} rollouts × ${steps.value} steps`,
    });
  }
  const model = costModel({ design: inputs.design, environmentAxes: inputs.environmentAxes, unit: "rollouts" });
  const levels = levelsOf(budget);
  const counted = model.ok ? model.value.cost(levels) : model;
  if (counted.ok)
    return known(counted.value, "derived", {
      note:
        inputs.design.kind === "nested" ? "tasks × rollouts per task" : "tasks × environments × coverage × rollouts",
    });
  const reasons = [budget.axes.tasks, budget.axes.trajectories]
    .filter((fact) => !isKnown(fact))
    .map((fact) => (isKnown(fact) ? "" : fact.reason));
  return unknown(reasons[0] ?? counted.problem.message);
}

function product(a: Fact<number>, b: Fact<number>, note: string): Fact<number> {
  if (!isKnown(a)) return a;
  if (!isKnown(b)) return b;
  return known(a.value * b.value, "derived", note ? { note } : {});
}

function divided(a: Fact<number>, b: Fact<number>): Fact<number> {
  if (!isKnown(a)) return a;
  if (!isKnown(b)) return unknown(`the number of GPUs is unknown: ${b.reason}`);
  return known(a.value / b.value, "derived", { note: `GPU-hours over ${b.value} GPUs` });
}
