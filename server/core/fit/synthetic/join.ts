import type { AxisName } from "../../axes";
import { fitFromMany, type ManyStarts } from "../../solve/manyStarts";
import { problemOf } from "../explore/believe";
import type { Candidate, Explored } from "../explore/plan";
import { aicc } from "../explore/scores";
import { solver } from "../../solve/levenberg";
import type { Observed } from "../../solve/likelihood";
import { posteriorMode } from "../../solve/posteriorMode";
import type { Run } from "../../solve/run";
import { scaleOf } from "../../solve/scale";
import type { Model } from "../../laws/model";
import type { Problem } from "../../result";
import type { SyntheticShare } from "../../table";
import { discounted, type Method } from "../../synthesis/discount";
import { SHAPE_NAMES, SHAPES, type ShapeName } from "../../synthesis/shapes";

export interface Joined {
  readonly explored: Explored;
  readonly candidate: Candidate;
  readonly methods: readonly Method[];
  readonly shapes: readonly ShapeName[];
  /** Per method: QAICc of every shape with the others' shapes as chosen. */
  readonly compared: readonly { readonly shape: ShapeName; readonly aicc: number | null }[][];
  /** Per method: the joint fits under every shape that the runs do not rule out, the chosen one among them. */
  readonly supported: readonly (readonly Supported[])[];
}

interface Supported {
  readonly shape: ShapeName;
  readonly model: Model;
  readonly fit: ManyStarts;
}

/** Shapes within this much QAICc of the best are not ruled out. */
const NOT_RULED_OUT = 6;

/** Ratios outside this are no mixture that could be priced. */
const LEAST_RATIO = 1e-3,
  MOST_RATIO = 1e6;

/** The run's synthetic part on an axis, where it has one worth the name. */
function partOf(run: Run, axis: AxisName): SyntheticShare | null {
  const share = run.row.synthesis?.[axis] as SyntheticShare | undefined;
  return share && share.synthetic > 0 && !(share.real > 0 && share.synthetic / share.real < LEAST_RATIO) ? share : null;
}

/** Whether a run holds synthetic data on any of the axes. */
export function isSynthetic(run: Run, axes: readonly AxisName[]): boolean {
  return axes.some((axis) => partOf(run, axis) !== null);
}

/**
 * Runs with their levels on real data alone, the synthetic part kept beside. Runs without any real data on an axis have no
 * ratio and are left out: `synthesis.no-real`.
 */
export function onRealData(runs: readonly Run[], axes: readonly AxisName[], warnings: Problem[]): Run[] {
  const lost: string[] = [];
  const kept = runs.flatMap((run): Run[] => {
    const levels: Record<string, number | undefined> = { ...run.row.axes };
    for (const axis of axes) {
      const share = partOf(run, axis);
      if (!share) continue;
      if (!(share.real > 0) || !(share.synthetic / share.real < MOST_RATIO)) {
        lost.push(run.row.id);
        return [];
      }
      levels[axis] = share.real;
    }
    return [{ ...run, row: { ...run.row, axes: levels as Run["row"]["axes"] } }];
  });
  if (lost.length > 0)
    warnings.push({
      code: "synthesis.no-real",
      message: `${lost.length === 1 ? "1 run has" : `${lost.length} runs have`} no real data on an axis (${lost.slice(0, 3).join(", ")}): without a ratio they cannot price synthesis, and are left out.`,
    });
  return kept;
}

export function methodsOf(runs: readonly Run[], axes: readonly AxisName[]): Method[] {
  return axes.flatMap((axis) => {
    const uses = new Map<string, { row: number; ratio: number }[]>();
    runs.forEach((run, i) => {
      const share = partOf(run, axis);
      if (!share) return;
      const label = share.method || "unnamed";
      uses.set(label, [...(uses.get(label) ?? []), { row: i, ratio: share.synthetic / share.real }]);
    });
    return [...uses].map(([method, rows]): Method => ({ axis, method, uses: rows }));
  });
}

/**
 * Fits the law, every method's discount and its shape together (averaging inverted values over ratios does not recover the
 * discount). `explored` holds all runs on their real levels; `start` is θ of the law from the real runs.
 */
export function joinSynthesis(
  explored: Explored,
  base: Model,
  start: ArrayLike<number>,
  progress: () => boolean,
): Joined | null {
  const { raw: seen, loss, runs, plan, context, posterior } = explored;
  const methods = methodsOf(runs, base.axes);
  let shapes = methods.map((): ShapeName => "cap");
  let best = fitShapes(base, seen, explored, methods, shapes, start);
  const fitted = new Map<string, { model: Model; fit: ManyStarts }>();
  const fitOf = (trial: readonly ShapeName[]): { model: Model; fit: ManyStarts } => {
    const key = trial.join();
    const known = fitted.get(key) ?? fitShapes(base, seen, explored, methods, trial, best.fit.theta);
    fitted.set(key, known);
    return known;
  };
  const scored = (one: { model: Model; fit: ManyStarts }, dispersion: number): number =>
    aicc(loss, one.fit.objective, one.model, seen.m, dispersion) ?? Infinity;
  let compared: { shape: ShapeName; aicc: number | null }[][] = [];
  let supported: Supported[][] = [];
  let dispersion = 1;
  for (let sweep = 0; sweep < (methods.length > 1 ? 2 : 1); sweep++) {
    compared = [];
    supported = [];
    for (let i = 0; i < methods.length; i++) {
      const trials = SHAPE_NAMES.map((shape) => shapes.map((own, j) => (j === i ? shape : own)));
      const made = trials.map(fitOf);
      if (!progress()) return null;
      // φ by the shape with the least scatter left, as for laws.
      dispersion = Math.min(...made.map(({ model, fit }) => scaleOf(loss, model, fit.theta, seen)));
      const scores = made.map((one) => scored(one, dispersion));
      compared.push(SHAPE_NAMES.map((shape, s) => ({ shape, aicc: Number.isFinite(scores[s]) ? scores[s] : null })));
      const least = Math.min(...scores);
      supported.push(
        SHAPE_NAMES.flatMap((shape, s) => (scores[s] <= least + NOT_RULED_OUT ? [{ shape, ...made[s] }] : [])),
      );
      const winner = scores.indexOf(Math.min(...scores));
      if (winner >= 0 && Number.isFinite(scores[winner])) shapes = trials[winner];
      best = fitOf(shapes);
    }
  }
  const { model, fit } = best;
  const candidate: Candidate = {
    base,
    model,
    fit,
    aicc: aicc(loss, fit.objective, model, seen.m, dispersion),
    heldOutRmse: null,
    mode: posterior ? posteriorMode(problemOf(model, seen, runs, plan, context), []) : null,
    parts: null,
    evidence: null,
  };
  return {
    explored: {
      ...explored,
      seen,
      phi: dispersion,
      dispersion,
      freedom: Math.max(1, seen.m - model.parameters.length),
      candidates: [candidate],
    },
    candidate,
    methods,
    shapes,
    supported,
    compared: compared.map((row) => [...row].sort((a, b) => (a.aicc ?? Infinity) - (b.aicc ?? Infinity))),
  };
}

/** Where kinks make the objective rough, a grid over each critical ratio finds the basin before the free fit. */
function fitShapes(
  base: Model,
  seen: Observed,
  { loss }: Explored,
  methods: readonly Method[],
  shapes: readonly ShapeName[],
  start: ArrayLike<number>,
): { model: Model; fit: ManyStarts } {
  const model = discounted(base, seen.m, methods, shapes);
  const ones = new Float64Array(seen.m).fill(1),
    solve = solver(model, seen);
  const p = base.parameters.length;
  let theta: number[] = [
    ...Array.from({ length: p }, (_, j) => start[j]),
    ...model.parameters.slice(p).map((one) => one.prior!.mean),
  ];
  const starts: number[][] = [];
  let at = p;
  for (const [i, { uses }] of methods.entries()) {
    const count = SHAPES[shapes[i]].count;
    const low = Math.min(...uses.map((use) => use.ratio)),
      high = Math.max(...uses.map((use) => use.ratio));
    const held = model.parameters.map((_, j) => j === at + 1);
    let top: { theta: Float64Array; objective: number } | null = null;
    for (let g = 0; g <= 14; g++) {
      for (const kappa of g % 3 === 0 ? [0.3, 0.8] : [theta[at]]) {
        const trial = [...theta];
        trial[at] = kappa;
        trial[at + 1] = Math.log(0.7 * low) + (g / 14) * Math.log((1.6 * high) / (0.7 * low));
        if (count === 3) trial[at + 2] = 0.2;
        const found = solve.solve(trial, ones, loss, { held, tolerance: 1e-8, maxIterations: 60 });
        if (!top || found.objective < top.objective) top = found;
        if (g % 3 === 0) starts.push(Array.from(found.theta));
      }
    }
    theta = Array.from(top!.theta);
    starts.push(theta);
    at += count;
  }
  return { model, fit: fitFromMany(model, seen, loss, starts) };
}
