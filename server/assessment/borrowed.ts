import type { Estimate } from "../core/estimate";
import { openFit, predict, type FitFile } from "../core/fit";
import { randomEffects } from "../core/fit/settings/settings";
import type { FittedLaw } from "../core/laws/law";

/** Settings that a random-effects prediction needs. */
const LEAST_SETTINGS = 3;
/** Rates nearer to the ends than this have no useful logit. */
const EDGE = 1e-4;

const laws = new WeakMap<FitFile, readonly FittedLaw[]>();

function lawsOf(file: FitFile): readonly FittedLaw[] {
  let opened = laws.get(file);
  if (!opened) {
    opened = file.settings.flatMap(({ setting, refused }) => {
      const law = refused ? null : openFit(file, setting);
      return law?.ok ? [law.value] : [];
    });
    laws.set(file, opened);
  }
  return opened;
}

/**
 * Success rate of a setting that has no runs: the random-effects prediction interval over the settings that have some, on the logit
 * scale. Null under three settings: a law of other runs gives no success rate.
 * @param levels effective amounts by axis
 */
export function borrowedSuccess(file: FitFile, levels: Readonly<Record<string, number>>): Estimate | null {
  const effects = lawsOf(file).flatMap((law) => {
    const said = predict(law, levels).successRate;
    if (!said || !(said.high > said.low)) return [];
    const [middle, low, high] = [said.estimate, said.low, said.high].map(logit);
    return [{ value: middle, error: Math.max(1e-3, (high - low) / (2 * 1.96)) }];
  });
  if (effects.length < LEAST_SETTINGS) return null;
  const pooled = randomEffects(effects);
  return (
    pooled && {
      estimate: rate(pooled.mean),
      low: rate(pooled.prediction.low),
      high: rate(pooled.prediction.high),
    }
  );
}

function logit(share: number): number {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, share));
  return Math.log(inside / (1 - inside));
}

function rate(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
