import { normalQuantile } from "../numerics/special";
import { ok, refused, type Result } from "../result";

/** A comparison of two success rates. Rates and differences in [0, 1]. */
export interface PowerQuestion {
  /** The difference to be told from none. */
  readonly difference: number;
  readonly baseline: number;
  /** Probability to find it (default 0.8). */
  readonly power?: number;
  /** Two-sided level of the test (default 0.05). */
  readonly alpha?: number;
  /** Share of tasks that one arm solves and the other does not (default 0.2). */
  readonly discordant?: number;
  /** Standard deviation of success between seeds of one config (default 0.025). */
  readonly seedNoise?: number;
}

export interface PowerAnswer extends Required<PowerQuestion> {
  /** Tasks an arm, each arm on tasks of its own: 2p(1 − p)(z_{1−α/2} + z_{1−β})²/δ². */
  readonly unpaired: number;
  /** Tasks, both arms on the same ones (McNemar): d(z_{1−α/2} + z_{1−β})²/δ². */
  readonly paired: number;
  /** Trainings an arm: 2σ²(z_{1−α/2} + z_{1−β})²/δ². */
  readonly seeds: number;
}

/** How many tasks and seeds tell a difference (normal approximation). */
export function powerOf(question: PowerQuestion): Result<PowerAnswer> {
  const full = {
    power: 0.8,
    alpha: 0.05,
    discordant: 0.2,
    seedNoise: 0.025,
    ...Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined)),
  } as Required<PowerQuestion>;
  const { difference, baseline, discordant, seedNoise, power, alpha } = full;
  if (!(difference > 0 && difference < 1))
    return refused("power.difference", "The difference lies above 0 and below 100 points.");
  if (!(baseline > 0 && baseline < 1)) return refused("power.baseline", "The baseline lies above 0 % and below 100 %.");
  if (!(power > 0.5 && power < 1)) return refused("power.power", "The power lies above 50 % and below 100 %.");
  if (!(alpha > 0 && alpha < 0.5)) return refused("power.alpha", "The level lies above 0 and below 0.5.");
  if (!(discordant >= difference && discordant <= 1))
    return refused("power.discordant", "At least as many tasks must differ as the difference says.");
  if (!(seedNoise >= 0)) return refused("power.seed-noise", "The noise between seeds is 0 or more.");
  const z = square(quantiles(power, alpha)) / square(difference);
  return ok({
    ...full,
    unpaired: Math.ceil(2 * baseline * (1 - baseline) * z),
    paired: Math.ceil(discordant * z),
    seeds: Math.max(1, Math.ceil(2 * square(seedNoise) * z)),
  });
}

/**
 * The smallest difference that an evaluation of `tasks` tells in 80 % of cases at 5 %: with arms on other tasks, and with both
 * on the same ones. Rates.
 */
export function resolution(
  tasks: number,
  baseline = 0.5,
  discordant = 0.2,
): { readonly unpaired: number; readonly paired: number } {
  const z = quantiles(0.8, 0.05);
  return {
    unpaired: z * Math.sqrt((2 * baseline * (1 - baseline)) / tasks),
    paired: z * Math.sqrt(discordant / tasks),
  };
}

function quantiles(power: number, alpha: number): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

function square(value: number): number {
  return value * value;
}
