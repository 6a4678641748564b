import type { RunSigns } from "../table";
import type { Centre } from "./centre";
import { expected, type Outlook, reaches } from "./outlook";

/** Whether to go on, said in one word with its reasons. */
export interface Advice {
  readonly kind: "continue" | "stop" | "look" | "unknown";
  readonly reasons: readonly Reason[];
}

export interface Reason {
  /** Stable and dotted. */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
}

/** Stop where less than this is expected of the remaining steps, in rates. */
const WORTH = 0.008;
/** … and a gain of more than a point beyond noise is at most this likely. */
const DOUBT = 0.1;
/** A point of success. */
const POINT = 0.01;
/** One-sided 95 % of noise. */
const BEYOND_NOISE = 1.64;
/** A fall below the peak that is worth a look. */
const FALL = 0.05;
/** Groups without gradient beyond this share stop the learning. */
const DEAD = 0.5;
/** Entropy below this share of its beginning: the policy no longer explores. */
const COLLAPSED = 0.2;

/** What a forecast says about going on. `measured` counts the points behind it. */
export function adviceOf(centre: Centre, outlook: Outlook, measured: number, signs: RunSigns = {}): Advice {
  const why = whySigns(signs);
  const noise = noiseOfGain(centre, measured);
  const fall = centre.peak - centre.now;
  if (fall > FALL + BEYOND_NOISE * noise)
    return {
      kind: "look",
      reasons: [{ code: "forecast.falling", message: `Success is ${points(fall)} below its peak.` }, ...why],
    };
  const gain = expected(outlook) - centre.now;
  const more = reaches(outlook, centre.now + POINT + BEYOND_NOISE * noise);
  if (gain < WORTH && more <= DOUBT)
    return {
      kind: "stop",
      reasons: [
        {
          code: "forecast.no-gain",
          message: `The remaining steps are expected to gain ${gain > 0 ? points(gain) : "nothing"}; more than 1 point beyond noise is ${percent(more)} likely.`,
        },
        ...why,
      ],
    };
  if (why.length > 0) return { kind: "look", reasons: why };
  return {
    kind: "continue",
    reasons: [
      {
        code: "forecast.gain",
        message:
          more < 0.5
            ? `The remaining steps are expected to gain ${points(Math.max(0, gain))}; more than 1 point beyond noise is ${percent(more)} likely.`
            : `A gain of more than 1 point beyond noise is ${percent(more)} likely.`,
      },
    ],
  };
}

/** Standard deviation of the difference between the end value and the level now, by the noise of points alone. */
function noiseOfGain({ variance, share }: Centre, measured: number): number {
  const ahead = Math.max(1, (measured * 0.1) / Math.max(share, 0.01));
  return Math.sqrt(variance / Math.min(measured, 4) + variance / ahead);
}

function whySigns({ deadGroups, entropy }: RunSigns): Reason[] {
  const reasons: Reason[] = [];
  if (deadGroups !== undefined && deadGroups > DEAD)
    reasons.push({
      code: "forecast.dead-groups",
      message: `${percent(deadGroups)} of the rollout groups have no gradient: all their rollouts succeed or all fail.`,
    });
  if (entropy !== undefined && entropy.first > 0 && entropy.now < COLLAPSED * entropy.first)
    reasons.push({
      code: "forecast.entropy",
      message: `Entropy is ${percent(entropy.now / entropy.first)} of its first value: the policy hardly explores.`,
    });
  return reasons;
}

function points(rate: number): string {
  const value = rate * 100;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} points`;
}

function percent(share: number): string {
  if (share > 0 && share < 0.005) return "< 1 %";
  return `${(share * 100).toFixed(0)} %`;
}
