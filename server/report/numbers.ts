import { count, decimal, plural } from "../core/numbers";
import type { Estimate } from "../core/estimate";

/** `61 % success [57–65]` needs the two parts apart: the percent, and its interval in percent. */
export function percentWithInterval(share: Estimate): string {
  const width = 100 * (share.high - share.low);
  const digits = Number.isFinite(width) && width >= 1 ? 0 : 1;
  const show = (value: number) => decimal(100 * value, digits);
  return `${show(share.estimate)} %`;
}

/** `[57–65]`, in percent; empty where there is no interval. */
export function percentInterval(share: Estimate): string {
  if (!Number.isFinite(share.low) || !Number.isFinite(share.high)) return "";
  const digits = 100 * (share.high - share.low) >= 1 ? 0 : 1;
  // A law can leave [0, 1]: that is said, not clipped to a number that looks like an answer.
  const end = (value: number): string => (value < 0 ? "<0" : value > 1 ? ">100" : decimal(100 * value, digits));
  const [low, high] = [end(share.low), end(share.high)];
  return share.high < 0 || share.low > 1 ? `[${low}]` : `[${low}–${high}]`;
}

/** A signed number of percentage points with one decimal: `+1.1`, `−0.3`. */
export function signedPoints(points: number): string {
  const text = decimal(points, 1);
  return points > 0 && text !== "0" ? `+${text}` : text;
}

/** `+1.1 points [0.4–1.9]`, the lens's way; negative ends are signed so that the dash cannot be misread. */
export function pointsInterval(points: Estimate): string {
  if (!Number.isFinite(points.low) || !Number.isFinite(points.high)) return "";
  const separator = points.low < 0 || points.high < 0 ? " to " : "–";
  return `[${decimal(points.low, 1)}${separator}${decimal(points.high, 1)}]`;
}

/** `0.00069`, `6.3k`: an amount, where one too small for two decimals keeps two digits instead of reading 0. */
export function amount(value: number): string {
  const size = Math.abs(value);
  return size > 0 && size < 0.1 ? String(Number(value.toPrecision(2))).replace("-", "−") : count(value);
}

/** `1.7`, `12`, `1.04`: a factor. */
export function factor(value: number): string {
  return decimal(value, value >= 10 ? 0 : value >= 1.1 ? 1 : 2);
}

export { count, decimal, plural };
