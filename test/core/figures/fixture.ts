import type { FitFile } from "../../../server/core/fit/file/file";
import type { SynthesisEstimate } from "../../../server/core/synthesis/drawn";
import { fitTable } from "../../../server/core/fit/index";
import type { FrontierInput, GrowthInput, PathPoint, SplitInput } from "../../../server/report/figures";
import type { RunRow } from "../../../server/core/table";

/** A seeded stream of numbers in [0, 1). */
export function stream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export type Levels = readonly [environments: number, tasks: number, trajectories: number];

/** The law behind every made-up run, written out here so that figures are checked against something that is not the engine. */
export const TRUTH = { floor: 0.08, alpha: [0.33, 0.25, 0.12] as const, centre: [24, 1500, 12] as const, scale: 0.3 };

export function trueError([e, t, k]: Levels, alpha: readonly number[] = TRUTH.alpha): number {
  const [ce, ct, ck] = TRUTH.centre;
  return TRUTH.floor + TRUTH.scale * (e / ce) ** -alpha[0] * (t / ct) ** -alpha[1] * (k / ck) ** -alpha[2];
}

export function grid(setting: string, seed: number, alpha: readonly number[] = TRUTH.alpha): RunRow[] {
  const next = stream(seed);
  return [6, 15, 38, 96].flatMap((e) =>
    [500, 1250, 3200, 8000].flatMap((t) =>
      [4, 12, 36].map((k): RunRow => {
        const noise = (next() + next() + next() - 1.5) * 0.04;
        const rate = Math.min(0.995, Math.max(0.005, 1 - trueError([e, t, k], alpha) + noise));
        const id = `${setting ? `${setting}/` : ""}t${t}-e${e}-r${k}`;
        return {
          id,
          axes: { environments: e, tasks: t, trajectories: k },
          outcome: { kind: "counts", successes: Math.round(rate * 500), trials: 500 },
          setting,
          simulated: true,
          files: [`runs/${id}/metrics.jsonl`],
        };
      }),
    ),
  );
}

function fitted(rows: readonly RunRow[]): FitFile {
  const made = fitTable({ rows, notes: [] }, { law: "multiplicative", bootstrap: 60, seed: 4, mode: "bootstrap" });
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}

let one: FitFile | undefined;
let several: FitFile | undefined;

/** A fit of 48 made-up runs of one setting. */
export const oneSetting = (): FitFile =>
  (one ??= { ...fitted(grid("Qwen3-8B grpo tool-use", 5)), synthesis: SYNTHESIS });

/** A fit of three settings whose exponents differ a little. */
export const threeSettings = (): FitFile =>
  (several ??= fitted([
    ...grid("Qwen3-8B grpo tool-use", 5),
    ...grid("Qwen3-4B grpo tool-use", 6, [0.31, 0.24, 0.13]),
    ...grid("Qwen3-14B ppo tool-use", 7, [0.36, 0.27, 0.1]),
  ]));

function synthesis(
  kappa: number,
  critical: number | null,
  shape: "cap" | "broken" | "peak" | "saturating",
  parameter: number | null,
  ratios: readonly number[],
): SynthesisEstimate {
  const next = stream(Math.round(kappa * 100));
  return {
    discount: { estimate: kappa, low: kappa - 0.08, high: kappa + 0.08, source: "fitted" },
    criticalRatio:
      critical === null
        ? {
            estimate: null,
            low: null,
            high: null,
            shape,
            source: "refused",
            reason: "The interval of r* spans every ratio that was tried.",
          }
        : { estimate: critical, low: critical * 0.75, high: critical * 1.35, shape, source: "fitted" },
    shapeParameter: parameter,
    shapes: [],
    evidence: ratios.map((ratio) => {
      const limit = critical ?? Infinity;
      const g =
        1 + kappa * Math.min(ratio, limit) - (shape === "broken" ? (parameter ?? 0) * Math.max(0, ratio - limit) : 0);
      return {
        id: `real12-synthetic${Math.round(12 * ratio)}`,
        ratio,
        discount: ratio === 0 ? null : (g - 1) / ratio + (next() - 0.5) * 0.1,
      };
    }),
  };
}

export const SYNTHESIS: FitFile["synthesis"] = {
  environments: { genenv: synthesis(0.55, 5, "broken", 0.12, [0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9]) },
  tasks: { "self-instruct": synthesis(0.3, null, "saturating", 1.2, [0, 0.5, 1, 2, 4]) },
};

const axes = [
  {
    axis: "environments",
    current: 24,
    optimum: 61,
    currentShare: 0.21,
    optimumShare: 0.44,
    shareInterval: { low: 0.36, high: 0.52 },
  },
  {
    axis: "tasks",
    current: 2000,
    optimum: 2300,
    currentShare: 0.32,
    optimumShare: 0.34,
    shareInterval: { low: 0.27, high: 0.41 },
  },
  {
    axis: "trajectories",
    current: 16,
    optimum: 6,
    currentShare: 0.47,
    optimumShare: 0.22,
    shareInterval: { low: 0.15, high: 0.29 },
  },
  { axis: "parameters", current: 8.2e9, optimum: 8.2e9, pinned: "the model's size is given" },
] as const;

export const SPLIT_INPUT: SplitInput = {
  experiment: "appworld-8b",
  axes,
  worth: "7.3 points below the best split",
  multiplier: { estimate: 1.7, low: 1.4, high: 2.1 },
  cost: { current: 5200, optimum: 5190, unit: "USD" },
  prices: ["environments 40 USD", "tasks 0.5 USD", "rollouts 2.1e15 FLOPs"],
  design: "nested: each task in its own environment",
  certificate: { kind: "global", gap: 3e-11 },
  paidFor: { trajectories: "all rollouts" },
  simulated: true,
  prior: false,
};

const COSTS = Array.from({ length: 25 }, (_, i) => 1e18 * 10 ** (i / 8));

function point(cost: number, factor: number): PathPoint {
  const p = 0.9 - 0.5 * ((cost * factor) / 3.2e19) ** -0.18;
  return { cost, success: { estimate: p, low: p - 0.03, high: p + 0.025 }, beyond: cost > 2e20 || cost < 4e18 };
}

export const FRONTIER_INPUT: FrontierInput = {
  experiment: "appworld-8b",
  unit: "FLOPs",
  current: COSTS.map((cost) => point(cost, 1)),
  optimum: COSTS.map((cost) => point(cost, 1.7)),
  here: point(3.2e19, 1),
  best: point(3.2e19, 1.7),
  equalSuccessCost: 3.2e19 / 1.7,
  gain: { estimate: 1.7, low: 1.4, high: 2.1 },
  simulated: true,
  prior: false,
};

export const GROWTH_INPUT: GrowthInput = {
  experiment: "appworld-8b",
  unit: "FLOPs",
  here: 3.2e19,
  simulated: true,
  prior: false,
  points: COSTS.map((cost) => {
    const c = cost / 3.2e19;
    return {
      cost,
      levels: { environments: 61 * c ** 0.45, tasks: 2300 * c ** 0.35, trajectories: 6 * c ** 0.2, parameters: 8.2e9 },
      shares: { environments: 0.44, tasks: 0.34 - 0.02 * Math.log10(c), trajectories: 0.22 + 0.02 * Math.log10(c) },
      beyond: cost > 2e20 || cost < 4e18,
    };
  }),
};
