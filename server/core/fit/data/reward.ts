import type { AxisName } from "../../axes";
import type { Problem } from "../../result";
import { VIF_LIMIT } from "./identify";
import { capitalised } from "../../numbers";
import { invert } from "../../numerics/linear";
import type { Run } from "../../solve/run";

export interface RewardChecked {
  readonly runs: readonly Run[];
  /** Settings in which reward density enters the law as a factor. */
  readonly controlled: ReadonlySet<string>;
  readonly warnings: readonly Problem[];
}

/**
 * Reward density is a control, not data: runs under different reward schemes are not pooled unless D_R can enter as a
 * factor (known for every run, three levels, not moving with an axis). Otherwise each scheme becomes a setting of its own,
 * or, where only densities are stated, a warning names the confounder.
 */
export function checkReward(runs: readonly Run[], axes: readonly AxisName[]): RewardChecked {
  const controlled = new Set<string>(),
    warnings: Problem[] = [];
  const out: Run[] = [];
  for (const setting of new Set(runs.map((run) => run.setting))) {
    const own = runs.filter((run) => run.setting === setting);
    const name = setting === "" ? "the runs" : `the setting "${setting}"`;
    const schemes = [...new Set(own.map((run) => run.row.rewardScheme ?? "not stated"))];
    const densities = own
      .map((run) => run.row.rewardDensity)
      .filter((d): d is number => d !== undefined && d > 0 && d <= 1);
    const complete = densities.length === own.length;
    const levels = new Set(densities.map((d) => Math.round(Math.log(d) * 50))).size;
    const varies = levels > 1 && Math.max(...densities) / Math.min(...densities) > 1.2;
    const usable = complete && levels >= 3 && varies && own.length >= 12 && !movesWith(own, axes);
    if (usable) {
      controlled.add(setting);
      warnings.push({
        code: "reward.controlled",
        message: `Reward density varies within ${name}: it enters the law as a factor, and predictions hold it at its mean.`,
      });
      out.push(...own);
    } else if (schemes.length > 1) {
      warnings.push({
        code: "reward.confounded",
        message: `${capitalised(name)} mix reward schemes (${schemes.join(", ")}), a confounder: each scheme is fitted apart.`,
      });
      out.push(
        ...own.map((run) => ({
          ...run,
          setting: [setting, run.row.rewardScheme ?? "reward scheme not stated"]
            .filter((part) => part !== "")
            .join(" · "),
        })),
      );
    } else {
      if (varies)
        warnings.push({
          code: "reward.confounded",
          message: `Reward density varies within ${name} but cannot be controlled for (${complete ? (levels < 3 ? "fewer than three levels" : own.length < 12 ? "too few runs" : "it moves with an axis") : "unknown for some runs"}): it may be confounded with the exponents.`,
        });
      out.push(...own);
    }
  }
  return { runs: out, controlled, warnings };
}

/** Whether ln D_R is nearly a combination of the axes' logs. */
function movesWith(runs: readonly Run[], axes: readonly AxisName[]): boolean {
  const columns = [
    runs.map((run) => Math.log(run.row.rewardDensity!)),
    ...axes.map((axis) => runs.map((run) => Math.log(run.row.axes[axis]!))),
  ].flatMap((x) => {
    const centre = x.reduce((a, b) => a + b, 0) / x.length,
      sd = Math.sqrt(x.reduce((s, v) => s + (v - centre) ** 2, 0) / x.length);
    return sd > 1e-6 ? [x.map((v) => (v - centre) / sd)] : [];
  });
  const inverse = invert(
    columns.map((a, i) =>
      columns.map((b, j) => a.reduce((s, v, r) => s + v * b[r], 0) / runs.length + (i === j ? 1e-9 : 0)),
    ),
  );
  return !inverse || inverse[0][0] > VIF_LIMIT;
}
