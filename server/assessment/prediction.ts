import type { ExperimentBudget, Unknown } from "../budget/budget";
import { unknown } from "../budget/budget";
import { withDrawnDiscounts } from "../core/allocation";
import type { Estimate } from "../core/estimate";
import { predict } from "../core/fit";
import { effectivePerRaw } from "../core/synthesis/mix";
import { borrowedSuccess } from "./borrowed";
import { levelsOf } from "./costs";
import type { Memo } from "./memo";
import type { PlannedMix } from "./mixes";
import type { LawInForce, Prediction } from "./types";
import { TOO_FAR, tooFar } from "./verdict";

export interface Predicted {
  readonly prediction: Prediction | Unknown;
  /** How far beyond the runs, by axis. */
  readonly beyond: Readonly<Record<string, number>>;
  /** The levels that the law was asked for. */
  readonly levels: Readonly<Record<string, number>>;
}

/** The success rate that a law expects of a budget, or why it gives none. */
export function predictionOf(
  budget: ExperimentBudget,
  inForce: LawInForce,
  mixes: readonly PlannedMix[],
  memo: Memo | undefined,
): Predicted {
  const { law, fit, setting } = inForce;
  const levels: Record<string, number> = {};
  for (const [axis, level] of Object.entries(levelsOf(budget))) {
    const mix = mixes.find((one) => one.mix.axis === axis)?.mix;
    if (typeof level === "number") levels[axis] = mix ? level * effectivePerRaw(mix.shape, mix.ratio) : level;
  }
  const shapes = mixes.map(({ mix }) => mix);
  const key = ["success", fit.id, setting, levels, shapes.map(({ axis, method, ratio }) => [axis, method, ratio])];
  const work = () => predict(withDrawnDiscounts(law, shapes), levels);
  const said = memo ? memo.get(JSON.stringify(key), work) : work();
  const beyond = said.extrapolation;
  const none = (reason: string): Predicted => ({ prediction: unknown(reason), beyond, levels });
  if (!said.successRate) return none("the fit is of a loss, not of success");
  const far = tooFar(beyond, levels, law.ranges);
  if (far !== null) return none(far);
  if (said.outOfRange) return none(TOO_FAR);
  const borrowed = inForce.borrowed ? borrowedSuccess(fit.file, levels) : null;
  if (inForce.borrowed && !borrowed)
    return none(`no run of this setting is fitted, and the law of ${setting} gives no success rate for it`);
  const prediction: Prediction = {
    successRate: within(borrowed ?? said.successRate),
    extrapolation: beyond,
    outOfRange: false,
    held: law.refused
      .filter((one) => levels[one.axis] !== undefined)
      .map(({ axis, level, reason }) => ({ axis, level, reason, moved: said.held.some((one) => one.axis === axis) })),
  };
  return { prediction, beyond, levels };
}

/** A success rate and its interval are between 0 and 1, whatever a draw without a link says. */
function within({ estimate, low, high }: Estimate): Estimate {
  const [a, b, c] = [estimate, low, high].map((value) => Math.min(1, Math.max(0, value)));
  return { estimate: a, low: b, high: c };
}

/** Folders in which frameworks keep the config of the run around them. */
const INNER = /\/(?:\.hydra|configs?|files)$/;

/**
 * The last measured success of the run in whose folder the config stands, where the logs hold one. A run is named by its folder
 * below the logs; of several names that end alike the longest is meant.
 */
export function measuredSuccess(uri: string, { fit }: LawInForce): number | null {
  let folder = uri.slice(0, uri.lastIndexOf("/"));
  try {
    folder = decodeURIComponent(folder);
  } catch {
    // A stray percent sign: the URI is compared as it is.
  }
  const places = [folder, folder.replace(INNER, "")];
  const own = fit.file.runs
    .filter(({ id, rate }) => rate !== undefined && places.some((place) => place.endsWith(`/${id}`)))
    .sort((a, b) => b.id.length - a.id.length);
  return own[0]?.rate ?? null;
}
