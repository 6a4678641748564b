/**
 * The soft clamp of a success rate at 0: a law without a link gives P < 0 far below its runs, and a hard clamp there makes one
 * success of 500 cost 16 nats. τ·ln(1 + e^(P/τ)) is P itself from 3 points up, falls smoothly to 0 below, and never leaves [0, 1].
 */
const SCALE = 0.005;

/** Where the clamp is felt in the last digit. */
const FELT = 40 * SCALE;

/** The error after the clamp, from the law's own error. */
export function softError(error: number): number {
  const success = 1 - error;
  if (success > FELT) return error < 0 ? 0 : error;
  const soft = success < -FELT ? SCALE * Math.exp(success / SCALE) : SCALE * Math.log1p(Math.exp(success / SCALE));
  return 1 - soft;
}

/** ∂softError/∂error. */
export function softSlope(error: number): number {
  const success = 1 - error;
  return success > FELT ? 1 : 1 / (1 + Math.exp(-success / SCALE));
}
