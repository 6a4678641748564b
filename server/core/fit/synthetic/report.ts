import type { Concluded } from "../intervals/conclude";
import type { SynthesisEstimate } from "../../synthesis/drawn";
import type { AxisRange } from "../../axes";
import { solver } from "../../solve/levenberg";
import { scaleOf } from "../../solve/scale";
import { fisher95, quantile } from "../../numerics/special";
import type { Problem } from "../../result";
import type { Method } from "../../synthesis/discount";
import type { Joined } from "./join";
import { bounded, SHAPES } from "../../synthesis/shapes";

/** Discounts and critical ratios of a joint fit, by axis and method. */
export function synthesisOf(
  joined: Joined,
  one: Concluded,
  warnings: Problem[],
): Record<string, Record<string, SynthesisEstimate>> {
  const out: Record<string, Record<string, SynthesisEstimate>> = {};
  let at = one.candidate.base.parameters.length;
  joined.methods.forEach((method, i) => {
    const shape = SHAPES[joined.shapes[i]];
    (out[method.axis] ??= {})[method.method] = estimate(joined, one, method, i, at, warnings);
    at += shape.count;
  });
  return out;
}

/** Fitted ranges in effective units: synthetic data carried some runs beyond their real amounts. */
export function effectiveRanges(
  joined: Joined,
  { fitted, explored: { runs }, theta, candidate }: Concluded,
): Readonly<Record<string, AxisRange>> {
  const out: Record<string, AxisRange> = { ...fitted.ranges };
  let at = candidate.base.parameters.length;
  joined.methods.forEach(({ axis, uses }, i) => {
    const shape = SHAPES[joined.shapes[i]];
    const levels = uses.map(({ row, ratio }) => runs[row].row.axes[axis]! * bounded(shape, theta, at, ratio, null));
    out[axis] = { ...out[axis], min: Math.min(out[axis].min, ...levels), max: Math.max(out[axis].max, ...levels) };
    at += shape.count;
  });
  return out;
}

/** Methods on an axis whose exponent the runs cannot tell have no ruler, and so no price. */
export function unpriced(
  methods: readonly Method[],
  reason: (axis: string) => string,
): Record<string, Record<string, SynthesisEstimate>> {
  const out: Record<string, Record<string, SynthesisEstimate>> = {};
  for (const { axis, method } of methods) {
    const why = `Synthetic ${axis} cannot be priced: ${reason(axis)}`;
    (out[axis] ??= {})[method] = {
      discount: { estimate: null, low: null, high: null, source: "refused", reason: why },
      criticalRatio: { estimate: null, low: null, high: null, shape: "cap", source: "refused", reason: why },
      shapeParameter: null,
      shapes: [],
      evidence: [],
    };
  }
  return out;
}

function estimate(
  joined: Joined,
  one: Concluded,
  method: Method,
  i: number,
  at: number,
  warnings: Problem[],
): SynthesisEstimate {
  const { explored, candidate, draws, theta } = one;
  const shape = SHAPES[joined.shapes[i]];
  const drawn = (j: number): { low: number; high: number } => {
    const values = draws.map((draw) => draw[j]);
    return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
  };
  const least = Math.min(...method.uses.map((use) => use.ratio)),
    largest = Math.max(...method.uses.map((use) => use.ratio));
  const name = `${method.method} on ${method.axis}`;
  const kappa =
    explored.posterior || explored.loss.name === "huber"
      ? drawn(at)
      : profileOf(
          one,
          candidate,
          at,
          candidate.model.parameters[at].low,
          candidate.model.parameters[at].high,
          (v) => v,
        );
  const discount: SynthesisEstimate["discount"] = {
    estimate: theta[at],
    low: Math.min(kappa.low, theta[at]),
    high: Math.max(kappa.high, theta[at]),
    source: explored.posterior && kappa.high - kappa.low > 0.8 * 2 * 1.96 * 0.4 ? "prior" : "fitted",
  };
  if (theta[at] < 0 || theta[at] > 1)
    warnings.push({
      code: "synthesis.discount-outside",
      message: `The discount of ${name} is ${theta[at].toFixed(2)}, outside 0 to 1: it is shown as it came out.`,
    });

  const base = {
    shape: shape.name,
    shapeParameter:
      shape.name === "broken"
        ? theta[at + 2]
        : shape.name === "saturating"
          ? Math.exp(theta[at + 1])
          : shape.name === "peak"
            ? theta[at] / (2 * Math.exp(theta[at + 1]))
            : null,
  };
  let criticalRatio: SynthesisEstimate["criticalRatio"];
  if (!shape.critical) {
    criticalRatio = {
      estimate: null,
      low: null,
      high: null,
      shape: shape.name,
      source: "refused",
      reason:
        "The saturating shape, which fits best, has no critical ratio: more synthetic data help less and less but never turn.",
    };
  } else {
    const point = Math.exp(theta[at + 1]);
    const own = explored.posterior
      ? { low: Math.exp(drawn(at + 1).low), high: Math.exp(drawn(at + 1).high), openHigh: false }
      : ratioProfile(one, candidate, at, Math.max(least / 2, 0.02), largest);
    // Another shape that fits about as well puts its critical ratio elsewhere: the interval spans them.
    const others = joined.supported[i]
      .filter((other) => other.shape !== shape.name && SHAPES[other.shape].critical)
      .map((other) => ratioProfile(one, other, at, Math.max(least / 2, 0.02), largest));
    const range = {
      low: Math.min(own.low, ...others.map((other) => other.low)),
      high: Math.max(own.high, ...others.map((other) => other.high)),
      openHigh: own.openHigh,
    };
    criticalRatio =
      range.openHigh || (explored.posterior && point > largest)
        ? {
            estimate: null,
            low: range.low,
            high: null,
            shape: shape.name,
            source: "refused",
            reason: `The runs go up to a ratio of ${largest.toPrecision(3)} and do not show one: it lies above ${range.low.toPrecision(2)}, if anywhere.`,
          }
        : {
            estimate: point,
            low: Math.min(range.low, point),
            high: Math.max(range.high, point),
            shape: shape.name,
            source: "fitted",
          };
    const rivals = joined.supported[i].map((other) => other.shape).filter((other) => other !== shape.name);
    if (rivals.length > 0)
      warnings.push({
        code: "synthesis.shape-uncertain",
        message: `For ${name} the ${shape.name} shape fits best, but ${rivals.join(", ")} ${rivals.length === 1 ? "fits" : "fit"} about as well: the interval of the critical ratio spans those that have one.`,
      });
    const over = method.uses.filter((use) => use.ratio > point).length;
    if (criticalRatio.estimate !== null && over > 0)
      warnings.push({
        code: "synthesis.over-critical-ratio",
        message: `${over === 1 ? "1 run uses" : `${over} runs use`} ${name} beyond its critical ratio of ${point.toPrecision(2)}.`,
      });
  }
  return {
    discount,
    criticalRatio,
    shapeParameter: base.shapeParameter,
    shapes: joined.compared[i],
    evidence: evidenceOf(one, method),
  };
}

/** Profile interval of one parameter on a grid with warm starts both ways: the kinks of the shapes defeat a bracketing search. */
function profileOf(
  one: Concluded,
  { model, fit }: Pick<Concluded["candidate"], "model" | "fit">,
  at: number,
  from: number,
  to: number,
  out: (v: number) => number,
  widened = 1,
): { low: number; high: number; openLow: boolean; openHigh: boolean } {
  const { seen, loss, dispersion, freedom } = one.explored;
  const scale = loss.name === "binomial" ? dispersion : scaleOf(loss, model, fit.theta, seen);
  const rise = (widened * scale * fisher95(freedom)) / 2,
    ones = new Float64Array(seen.m).fill(1);
  const solve = solver(model, seen),
    held = model.parameters.map((_, j) => j === at);
  const steps = 24;
  const side = (end: number): { at: number; open: boolean } => {
    let warm = fit.theta,
      last = fit.theta[at],
      lastRise = 0;
    for (let s = 1; s <= steps; s++) {
      // Finer near the estimate, where narrow intervals end.
      const value = fit.theta[at] + (end - fit.theta[at]) * (s / steps) ** 1.6;
      const start = Float64Array.from(warm);
      start[at] = value;
      const found = solve.solve(start, ones, loss, { held, tolerance: 1e-8, maxIterations: 80 });
      const here = found.objective - fit.objective;
      if (here > rise)
        return {
          at:
            last + ((value - last) * (Math.sqrt(rise) - Math.sqrt(lastRise))) / (Math.sqrt(here) - Math.sqrt(lastRise)),
          open: false,
        };
      warm = found.theta;
      last = value;
      lastRise = Math.max(here, 0);
    }
    return { at: end, open: true };
  };
  const low = side(from),
    high = side(to);
  return { low: out(low.at), high: out(high.at), openLow: low.open, openHigh: high.open };
}

/** At a kink the objective's rise is more often large than χ² says: without this, intervals of r* covered 87 % in simulation. */
const KINKED = 1.4;

/** Interval of a critical ratio; open above where a ratio beyond every run fits as well. */
function ratioProfile(
  one: Concluded,
  candidate: Pick<Concluded["candidate"], "model" | "fit">,
  at: number,
  least: number,
  largest: number,
): { low: number; high: number; openHigh: boolean } {
  const here = candidate.fit.theta[at + 1],
    beyond = Math.max(Math.log(largest * 1.02), here + 0.01);
  return profileOf(
    one,
    candidate,
    at + 1,
    Math.min(Math.log(least), here - 0.01),
    Math.min(beyond, candidate.model.parameters[at + 1].high),
    Math.exp,
    KINKED,
  );
}

/** Each run's own word: the real amount at which the law gives its success, less its real data, per synthetic unit. */
function evidenceOf(one: Concluded, method: Method): SynthesisEstimate["evidence"] {
  const {
    explored: { runs, seen },
    candidate: { base },
    theta,
  } = one;
  const k = base.axes.length,
    a = base.axes.indexOf(method.axis);
  const u = new Float64Array(k),
    e = new Float64Array(1);
  const errorAt = (level: number): number => {
    u[a] = level;
    base.evaluate(theta, u, 1, e, null);
    return e[0];
  };
  return method.uses.map(({ row, ratio }) => {
    for (let j = 0; j < k; j++) u[j] = seen.u[j * seen.m + row];
    const real = u[a],
      target = seen.y[row];
    let low = real - 5,
      high = real + 12;
    let discount: number | null = null;
    if (errorAt(low) >= target && errorAt(high) <= target) {
      for (let i = 0; i < 60; i++) {
        const middle = (low + high) / 2;
        if (errorAt(middle) > target) low = middle;
        else high = middle;
      }
      discount = (Math.exp((low + high) / 2 - real) - 1) / ratio;
    }
    return { id: runs[row].row.id, ratio, discount };
  });
}
