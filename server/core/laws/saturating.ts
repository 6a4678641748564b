import type { AxisName } from "../axes";
import { additive } from "./additive";
import type { LawContext, LawFamily, Model } from "./model";
import { multiplicative } from "./multiplicative";
import { singleAxis } from "./single";
import { warped } from "./forms/warped";

/**
 * Saturating repeat (Muennighoff et al., 2023): the trajectories axis is replaced by 1 + R·(1 − exp(−(x − 1)/R)),
 * repeated sampling as repeated data. Levels below one rollout have no meaning here.
 */
export const saturating: LawFamily = {
  name: "saturating",
  form: "multiplicative, rollouts as 1 + R*(1 − e^(−(x−1)/R*))",
  note: "Repeated rollouts wear out.",
  // A refinement of two laws that stand beside it.
  share: () => 0.5,
  members(axes, context) {
    const at = axes.indexOf("trajectories");
    const range = context.ranges["trajectories"];
    if (at < 0 || !range || range.min < 1 || range.max < 2) return [];
    return [singleAxis, multiplicative, additive].flatMap((family) =>
      family.members(axes, context).map((base) => repeat(base, at, axes, context)),
    );
  },
};

function repeat(base: Model, at: number, axes: readonly AxisName[], context: LawContext): Model {
  const logCentre = Math.log(context.ranges["trajectories"].centre);
  return warped(base, "saturating", axes.length === 1 ? null : base.law, {
    axis: at,
    // R* ≈ 15 is Muennighoff et al.'s estimate for repeated tokens.
    parameters: [
      {
        name: "R",
        role: "log-shape",
        axis: "trajectories",
        low: Math.log(0.5),
        high: Math.log(1e4),
        prior: { mean: Math.log(15), sd: 1 },
      },
    ],
    apply(extra, u, m, out, byU, byExtra) {
      const R = Math.exp(extra[0]);
      for (let i = 0; i < m; i++) {
        const x = Math.exp(u[i] + logCentre),
          over = Math.exp(-(x - 1) / R);
        const effective = 1 + R * (1 - over);
        out[i] = Math.log(effective) - logCentre;
        byU[i] = (over * x) / effective;
        // ∂/∂ln R of R(1 − exp(−(x−1)/R)).
        if (byExtra) byExtra[i] = (R * (1 - over) - over * (x - 1)) / effective;
      }
    },
    trial: (t) => [Math.log(2) + Math.log(500) * Math.min(t, 1)],
    natural: (extra) => [Math.exp(extra[0])],
  });
}
