import { ok, type Problem, type Result } from "../result";
import { PUBLISHED_EXPONENTS } from "../solve/priors";
import { type Run } from "../solve/run";
import { choose, type Choice } from "./explore/choose";
import { explore, FEW_RUNS } from "./explore/explore";
import type { Explored, Plan } from "./explore/plan";
import type { SettingFit } from "./file/file";
import { ruler } from "./joint";
import type { Progress } from "./options";
import { ownWords, priorsFromOthers, type OwnWords } from "./settings/pooling";

/** Every law tried on every setting, and the one that is chosen. */
interface Tried {
  /** Settings with a fit, the reference first. */
  readonly explored: readonly Explored[];
  /** Settings without one of their own, each with its reason. */
  readonly without: readonly SettingFit[];
  readonly choice: Choice;
  /** What each setting says by itself; null where settings are not pooled. */
  readonly words: OwnWords | null;
  readonly warnings: readonly Problem[];
}

/** Phase 2: every law on the runs of every setting; with few runs again, under priors from what the other settings say. */
export function tryLaws(
  onReal: readonly Run[],
  counts: (setting: string) => number,
  planOf: (setting: string) => Plan,
  progress: Progress,
): Result<Tried> {
  const settings = bySize(onReal);
  const ofSetting = (setting: string) => onReal.filter((run) => run.setting === setting);
  const explored: Explored[] = [],
    without: SettingFit[] = [],
    warnings: Problem[] = [];
  let first: Problem | null = null;
  for (const [i, setting] of settings.entries()) {
    const one = explore(setting, ruler(ofSetting(setting), planOf(setting).axes), planOf(setting), () =>
      progress(0.3 * (i / settings.length), 1, "Fitting laws"),
    );
    if (one.ok) {
      explored.push(one.value);
      continue;
    }
    if (one.problem.code === "fit.cancelled") return one;
    first ??= one.problem;
    without.push({
      setting,
      rows: counts(setting),
      exponents: {},
      floor: { estimate: null, low: null, high: null, reason: one.problem.message },
      dispersion: null,
      refused: one.problem,
    });
    warnings.push({
      code: "setting.refused",
      message: `The setting "${setting}" has no fit of its own: ${one.problem.message}`,
    });
  }
  if (explored.length === 0) return { ok: false, problem: first! };
  let choice = choose(explored);
  // Settings share what they know: the same again under priors from what the others say.
  const words = planOf(settings[0]).priors ? null : ownWords(explored, choice.candidates);
  if (words && explored.some((one) => one.runs.length < FEW_RUNS)) {
    for (const [i, { setting }] of explored.entries()) {
      const again = explore(
        setting,
        ruler(ofSetting(setting), planOf(setting).axes),
        { ...planOf(setting), priors: priorsFromOthers(words, i, (axis) => PUBLISHED_EXPONENTS[axis] ?? 0.25) },
        () => progress(0.3, 1, "Sharing between settings"),
      );
      if (again.ok) explored[i] = again.value;
      else if (again.problem.code === "fit.cancelled") return again;
    }
    choice = choose(explored);
  }
  return ok({ explored, without, choice, words, warnings });
}

/** Settings by number of runs, most first; the first is the reference. */
function bySize(runs: readonly Run[]): string[] {
  const sizes = new Map<string, number>();
  for (const run of runs) sizes.set(run.setting, (sizes.get(run.setting) ?? 0) + 1);
  return [...sizes].sort((a, b) => b[1] - a[1]).map(([setting]) => setting);
}
