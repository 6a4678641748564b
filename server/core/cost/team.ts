import { median } from "../numerics/special";
import { COEFFICIENTS } from "./coefficients";
import type { RunShape } from "./shape";
import { lengths, sizes } from "./unstated";

/** How the runs of a team stray from the model together. */
export interface TeamIntercept {
  /** ln(measured ÷ modelled), shrunk: Σe / (n + 1.2). */
  readonly shift: number;
  /** What is left of the spread around the model, as a factor. */
  readonly narrower: number;
  readonly runs: number;
}

/** Variance within a team ÷ between teams, over published runs: how far few runs are trusted. */
const WITHIN_TO_BETWEEN = 1.2;
/** Scale of ln beyond which a run strays from its team. */
const STRAY = 0.4;
/** Scale of the runs of one team around their own mean, against that of all published runs. */
const WITHIN_TEAM = 0.54;

/** A run of the team: ln(measured ÷ modelled), and how much it resembles the one that is asked about, in (0, 1]. */
export interface TeamRun {
  readonly error: number;
  readonly weight: number;
}

/** The intercept of a team from its runs; null without any. */
export function teamIntercept(runs: readonly TeamRun[]): TeamIntercept | null {
  if (runs.length === 0) return null;
  const team = withoutStrays(runs);
  const n = team.reduce((sum, { weight }) => sum + weight, 0);
  // What is not known of the team's mean adds to what its runs stray from it.
  const unknown = (1 - WITHIN_TEAM ** 2) * (WITHIN_TO_BETWEEN / (n + WITHIN_TO_BETWEEN));
  return {
    shift: team.reduce((sum, { error, weight }) => sum + weight * error, 0) / (n + WITHIN_TO_BETWEEN),
    narrower: Math.sqrt(WITHIN_TEAM ** 2 + unknown),
    runs: team.length,
  };
}

/** Runs far from their team's median count less, as under Student's errors: one slow cluster is not the team. */
function withoutStrays(runs: readonly TeamRun[]): readonly TeamRun[] {
  if (runs.length < 3) return runs;
  const middle = median(runs.map(({ error }) => error));
  return runs.map(({ error, weight }) => ({ error, weight: weight / (1 + ((error - middle) / STRAY) ** 2 / 3) }));
}

/**
 * How much the pace of one run tells of that of another, in (0, 1]: by model size, layout, GPU and critic, and by what stood
 * in for what `one` does not say: its error is one of that assumption too, unless the other run shares it.
 */
export function likeness(one: RunShape, other: RunShape): number {
  const apart = Math.log(one.activeParameters / other.activeParameters) / 1.5;
  const same = (holds: boolean, otherwise: number): number => (holds ? 1 : otherwise);
  const shared = new Set(assumed(other).map(({ on }) => on));
  const foreign = assumed(one).reduce((sum, { on, spread }) => sum + (shared.has(on) ? 0 : spread ** 2), 0);
  return (
    (Math.exp(-0.5 * apart ** 2) *
      same(one.layout === other.layout, 0.7) *
      same(one.gpu?.name === other.gpu?.name, 0.7) *
      same(one.critic === other.critic, 0.3)) /
    (1 + foreign / STRAY ** 2)
  );
}

function assumed(shape: RunShape): ReturnType<typeof sizes> {
  return [...lengths(shape, COEFFICIENTS), ...sizes(shape)];
}
