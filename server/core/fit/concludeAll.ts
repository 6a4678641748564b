import { ok, refused, type Problem, type Result } from "../result";
import { type Run } from "../solve/run";
import { type SynthesisEstimate } from "../synthesis/drawn";
import { ENOUGH, type Choice } from "./explore/choose";
import { lackOfFit, outliersOf } from "./explore/misfit";
import type { Explored, Plan } from "./explore/plan";
import { conclude, type Concluded } from "./intervals/conclude";
import { joinRuns } from "./joint";
import type { Progress } from "./options";
import { effectiveRanges, isSynthetic, methodsOf, synthesisOf, unpriced } from "./synthetic";

type Synthesis = Record<string, Record<string, SynthesisEstimate>>;

/** Phase 3: intervals, misfit and the worth of synthetic data, setting by setting. `count`: draws. Code `fit.cancelled`. */
export function concludeAll(
  {
    explored,
    choice,
    several,
  }: { readonly explored: readonly Explored[]; readonly choice: Choice; readonly several: boolean },
  onReal: readonly Run[],
  planOf: (setting: string) => Plan,
  count: number,
  progress: Progress,
): Result<{
  readonly concluded: readonly Concluded[];
  readonly synthesis: Synthesis;
  readonly warnings: readonly Problem[];
}> {
  const warnings: Problem[] = [];
  const concluded: Concluded[] = [];
  const synthesis: Synthesis = {};
  for (const [i, found] of explored.entries()) {
    const all = onReal.filter((run) => run.setting === found.setting);
    const { axes } = planOf(found.setting);
    const joined = all.some((run) => isSynthetic(run, axes))
      ? joinRuns(found, choice.candidates[i], all, planOf(found.setting), () =>
          progress(0.3, 1, "Pricing synthetic data"),
        )
      : null;
    if (joined === "cancelled") return refused("fit.cancelled", "The fit was cancelled.");
    const one = joined?.explored ?? found,
      candidate = joined?.candidate ?? choice.candidates[i];
    let done = conclude(one, candidate, count, (share) =>
      progress(
        0.3 + (0.65 * (i + share)) / explored.length,
        1,
        one.posterior ? "Sampling the posterior" : refits(share, count),
      ),
    );
    if (!done) return refused("fit.cancelled", "The fit was cancelled.");
    const lack = lackOfFit(
      found,
      choice.candidates[i],
      choice.warnings.some(({ code }) => code === "selection.disagree") && found.runs.length >= ENOUGH,
    );
    done = {
      ...done,
      warnings: [...done.warnings, ...lack.warnings, ...outliersOf(found, choice.candidates[i])],
      fitted: {
        ...done.fitted,
        ...(found.plan.response === "success" ? { discrepancy: lack.discrepancy } : {}),
        ...(lack.probability === null ? {} : { misfit: lack.probability }),
      },
    };
    concluded.push(done);
    if (joined)
      concluded[concluded.length - 1] = { ...done, fitted: { ...done.fitted, ranges: effectiveRanges(joined, done) } };
    const stuck = new Map(done.refused.map(({ axis, reason }) => [axis, reason] as const));
    if (!joined && methodsOf(all, candidate.base.axes).length > 0)
      warnings.push({
        code: "synthesis.assumed",
        message:
          "The discounts of synthetic data could not be fitted with the law: it counts synthetic data as half, up to the published ratio.",
      });
    if (joined)
      merge(
        synthesis,
        Object.fromEntries(Object.entries(synthesisOf(joined, done, warnings)).filter(([axis]) => !stuck.has(axis))),
      );
    merge(
      synthesis,
      unpriced(
        methodsOf(all, axes).filter(({ axis, method }) => !synthesis[axis]?.[method]),
        (axis) => stuck.get(axis) ?? "the runs on real data are too few for a law to measure it by.",
      ),
    );
    for (const problem of [...one.warnings, ...done.warnings])
      warnings.push(
        several ? { code: problem.code, message: `${one.setting || "No setting"}: ${problem.message}` } : problem,
      );
  }
  return ok({ concluded, synthesis, warnings });
}

/** Adds what is not there yet; a refusal gives way to a price. */
function merge(into: Synthesis, from: Readonly<Record<string, Readonly<Record<string, SynthesisEstimate>>>>): void {
  for (const [axis, methods] of Object.entries(from)) {
    for (const [method, value] of Object.entries(methods)) {
      const own = (into[axis] ??= {});
      if (!own[method] || own[method].discount.source === "refused") own[method] = value;
    }
  }
}

/** How many refits are done: they are the last 80 % of a conclusion. */
function refits(share: number, count: number): string {
  return `Refitting resampled runs: ${Math.round(Math.max(0, (share - 0.2) / 0.8) * count)} of ${count}`;
}
