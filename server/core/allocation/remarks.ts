import type { Problem } from "../result";
import { criticalRatio } from "../synthesis/mix";
import { drawnFor } from "./problem/drawn";
import { bounds, ratioCeiling, worth } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { Goal } from "./solve/compile";
import type { Solved } from "./solve/solve";
import type { Corner, Ratios, Split } from "./problem/types";

/** Bounds that a solution runs into. */
export function cornersOf(prepared: Prepared, solved: Solved): Corner[] {
  const corners: Corner[] = [];
  prepared.free.forEach((axis, i) => {
    const range = bounds(prepared, axis, solved.ratios);
    const each = worth(prepared, axis, solved.ratios),
      raw = Math.exp(solved.z[i]) / each;
    if (solved.z[i] - Math.log(range.low) < 1e-7)
      corners.push({ axis, bound: range.trustLow ? "trust" : "lower", value: range.low / each });
    else if (Math.log(range.high) - solved.z[i] < 1e-7)
      corners.push({ axis, bound: range.pool ? "pool" : range.trust ? "trust" : "upper", value: range.high / each });
    else if (ownedEdge(prepared, axis, raw, solved.ratios)) corners.push({ axis, bound: "owned", value: raw });
  });
  for (const mix of prepared.movable) {
    const ratio = solved.ratios[mix.axis] ?? 0;
    if (ratio <= 1e-7 || ratio >= ratioCeiling(mix) * (1 - 1e-7))
      corners.push({ axis: mix.axis, bound: "ratio", value: ratio });
  }
  return corners;
}

/** True where an axis stops exactly at what is already made. */
function ownedEdge(prepared: Prepared, axis: string, raw: number, ratios: Ratios): boolean {
  return prepared.cost.terms.some((term) => {
    if (term.axis !== axis || term.owned <= 0 || term.exponents[axis] !== 1) return false;
    const ratio = ratios[axis] ?? 0;
    const counted = term.part === "synthetic" ? (raw * ratio) / (1 + ratio) : raw / (1 + ratio);
    return Math.abs(counted / term.owned - 1) < 1e-7;
  });
}

/** What a person should know of an allocation. */
export function remarks(prepared: Prepared, goal: Goal, solved: Solved, optimum: Split): Problem[] {
  const notes: Problem[] = [];
  const { law } = prepared.problem;
  if (prepared.free.length === 0)
    notes.push({
      code: "allocation.all-pinned",
      message: "Every axis is pinned, so that the current split is the only one.",
    });
  // Another budget can end an axis where the first does not.
  const alone = (prepared.problem.constraints ?? []).length === 0;
  if (alone && goal.posynomial?.terms.length === 1 && prepared.free.length > 1 && priceIsOneProduct(prepared)) {
    notes.push({
      code: "allocation.corner",
      message:
        "Under one product of amounts, both in the law and in the cost, there is no interior optimum: the budget runs to the axis with the largest exponent, and the limits decide the rest.",
    });
  }
  for (const { axis, level } of prepared.pinned) {
    const [low, high] = prepared.problem.limits?.[axis] ?? [null, null];
    if ((low !== null && level < low) || (high !== null && level > high))
      notes.push({
        code: "allocation.limit-held",
        message: `The limits of ${axis} are ${low ?? "open"} to ${high ?? "open"}, but ${axis} is held at ${level}, outside them.`,
      });
  }
  if (optimum.outOfRange)
    notes.push({
      code: "prediction.out-of-range",
      message: "The law gives the best split no success rate: it is used far outside its data.",
    });
  for (const [axis, factor] of Object.entries(optimum.extrapolation)) {
    // A grid of 40 and an optimum of 41 are no extrapolation to speak of.
    if (factor !== undefined && factor >= 1.05)
      notes.push({
        code: "fit.extrapolating",
        message: `The best split has ${axis} ${factor < 10 ? factor.toFixed(1) : Math.round(factor)} times outside the fitted range.`,
      });
  }
  for (const term of prepared.cost.terms) {
    if (
      term.part === "synthetic" &&
      term.assumed &&
      term.axis !== null &&
      ((solved.ratios[term.axis] ?? 0) > 0 || prepared.movable.some((mix) => mix.axis === term.axis))
    ) {
      notes.push({
        code: "allocation.synthetic-price",
        message: `No price of synthetic ${term.axis} is stated; that of real ones is used.`,
      });
    }
  }
  notes.push(...takenAsKnown(prepared, solved));
  if (law.draws.length === 0)
    notes.push({ code: "fit.no-draws", message: "The fit has no draws, so that no interval can be shown." });
  if (solved.certificate.agreement < 1)
    notes.push({
      code: "allocation.starts-disagree",
      message: `${Math.round(100 * solved.certificate.agreement)} % of the starts agree on the best split.`,
    });
  return notes;
}

/** What of synthetic data has no draws, and so leaves every interval too short by what is unknown of it. */
function takenAsKnown(prepared: Prepared, solved: Solved): Problem[] {
  const { law } = prepared.problem;
  if (law.draws.length === 0) return [];
  return Object.values(prepared.mixes).flatMap((mix): Problem[] => {
    if (!mix || (!(mix.ratio > 0) && !((solved.ratios[mix.axis] ?? 0) > 0))) return [];
    const own = drawnFor(law, mix),
      critical = criticalRatio(mix.shape);
    const what = `synthetic ${mix.axis}${mix.method ? ` by ${mix.method}` : ""}`,
      from = mix.source ? `, ${mix.source}` : "";
    if (!own)
      return [
        {
          code: "synthesis.discount-known",
          message: `The discount of ${what} (${mix.shape.discount.toPrecision(2)}${from}) is taken as known${critical === null ? "" : ", and so is its critical ratio"}: the intervals leave out what is unknown of it.`,
        },
      ];
    return critical === null || mix.shape.kind === "peak" || own.draws[0].criticalRatio !== null
      ? []
      : [
          {
            code: "synthesis.ratio-known",
            message: `The critical ratio of ${what} (${critical.toPrecision(2)}) is taken as known: the intervals include what is unknown of its discount, not of the ratio.`,
          },
        ];
  });
}

function priceIsOneProduct(prepared: Prepared): boolean {
  const moving = prepared.cost.terms.filter((term) => prepared.free.some((axis) => (term.exponents[axis] ?? 0) > 0));
  return moving.length === 1 && (moving[0]?.owned ?? 0) === 0;
}
