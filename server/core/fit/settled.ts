import { expectedGain, UNCONVERGED_GAIN } from "../forecast/convergence";
import { ok, refused, type Problem, type Result } from "../result";
import { type Run } from "../solve/run";

/** Names runs whose own curve still climbs; they stay, by what they reached, unless they are to be dropped. */
export function settled(
  runs: readonly Run[],
  seed: number,
  convergence: "keep" | "drop",
  warnings: Problem[],
): Result<readonly Run[]> {
  const climbing: string[] = [];
  const kept = runs.filter((run) => {
    const gain = run.row.curve ? expectedGain(run.row.curve, seed) : null;
    if (gain === null || gain <= UNCONVERGED_GAIN) return true;
    climbing.push(`${run.row.id} (+${(100 * gain).toFixed(1)} points)`);
    return false;
  });
  if (climbing.length === 0) return ok(runs);
  const message = `${climbing.length === 1 ? "1 run has" : `${climbing.length} runs have`} not converged: by their own curves they would gain more than 2 points with twice the steps (${climbing.slice(0, 3).join(", ")}${climbing.length > 3 ? ", …" : ""}).`;
  if (convergence === "keep") {
    warnings.push({
      code: "run.unconverged",
      message: `${message} They count as they ended: longer runs may reach more.`,
    });
    return ok(runs);
  }
  if (kept.length < 2) return refused("runs.unconverged", `${message} Too few converged runs are left to fit.`);
  warnings.push({ code: "run.unconverged", message: `${message} They are left out.` });
  return ok(kept);
}
