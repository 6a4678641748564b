import type { Estimate } from "../estimate";
import type { LawInstance } from "../laws/law";
import { estimate, thin } from "../numerics/quantiles";
import { costOn, optimalPath } from "./paths";
import type { Path } from "./paths";
import { drawsAt } from "./predict";
import { lawLevels } from "./problem/prepare";
import type { Prepared } from "./problem/prepare";
import type { Goal } from "./solve/compile";
import { solve } from "./solve/solve";
import type { Solved } from "./solve/solve";

/** Draws that the multiplier's interval is read from. */
const MULTIPLIER_DRAWS = 400;

/**
 * cost(x)/min{cost : P ≥ P(x)}. Its interval holds the recommended path fixed, like the gain's: per draw, the cost at
 * which that path reaches what the draw expects of x (it may be below 1 where the draw prefers x).
 */
export function computeMultiplier(
  prepared: Prepared,
  goal: Goal,
  solved: Solved,
  cost: number,
  now: { point: number; draws: readonly number[] },
  options: { starts: number; seed: number },
): Estimate {
  const least = solve(
    prepared,
    goal,
    { kind: "error", error: now.point },
    { ...options, starts: 1, from: solved.z, ratios: solved.ratios },
  );
  // Unknown where the limits exclude every split as good as the current one.
  const point = least.ok ? Math.max(1, cost / least.value.cost) : NaN;
  const { law } = prepared.problem;
  const path = law.draws.length === 0 ? null : optimalPath(prepared, goal, cost, solved.ratios, solved.z);
  if (!path) return estimate(point, []);
  const drawn = drawsAt(prepared, path.ratios);
  const indices = thin(
    drawn.map((_, b) => b),
    MULTIPLIER_DRAWS,
  );
  const seen = tabulate(prepared, path);
  return estimate(
    point,
    indices.map((b) => cost / costOn(prepared, path, reaches(seen, drawn[b], now.draws[b]))),
  );
}

/** A path as the law sees it, at evenly spaced s. */
interface Tabulated {
  readonly s: readonly number[];
  readonly logs: readonly (readonly number[])[];
}

const TABLE = 64;

function tabulate(prepared: Prepared, path: Path): Tabulated {
  const s = Array.from({ length: TABLE + 1 }, (_, i) => path.from + ((path.to - path.from) * i) / TABLE);
  return { s, logs: s.map((at) => lawLevels(prepared, path.at(at), path.ratios).map(Math.log)) };
}

/** The least s at which a law's error on the path is at most `wanted`; the path's end where it never is. */
function reaches({ s, logs }: Tabulated, instance: LawInstance, wanted: number): number {
  const error = (node: number, share: number): number => {
    const from = logs[node];
    const to = logs[Math.min(node + 1, TABLE)];
    return instance.error(from.map((log, i) => Math.exp(log + share * (to[i] - log))));
  };
  if (error(0, 0) <= wanted) return s[0];
  let low = 0;
  let high = TABLE;
  if (error(TABLE, 0) > wanted) return s[TABLE];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (error(middle, 0) <= wanted) high = middle;
    else low = middle;
  }
  let from = 0;
  let to = 1;
  for (let i = 0; i < 14; i++) {
    const share = (from + to) / 2;
    if (error(low, share) <= wanted) to = share;
    else from = share;
  }
  return s[low] + to * (s[high] - s[low]);
}
