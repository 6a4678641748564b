import type { AxisName } from "../axes";
import { exponent, floorParameter, logCoefficient, type LawFamily } from "./model";
import { posynomialModel } from "./forms/posynomial";

/** Outermost first: a task lives in an environment, a trajectory in a task. */
const ORDER: readonly AxisName[] = ["parameters", "worlds", "environments", "structures", "tasks", "trajectories"];

/** e = E + Σ_j A_j·∏_{i≤j} x_i^−α_j: outer axes enter every inner term. */
export const nested: LawFamily = {
  name: "nested",
  form: "e = E + Σ_j A_j·∏_{i≤j} x_i^−α_j",
  note: "Outer axes enter every inner term.",
  // It comes close to the multiplicative law, which would lose half of its runs to it.
  share: () => 0.5,
  members(axes, context) {
    if (axes.length < 2 || axes.some((axis) => !ORDER.includes(axis))) return [];
    const order = [...axes].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)).map((axis) => axes.indexOf(axis));
    return [
      posynomialModel(
        "nested",
        null,
        axes,
        [
          floorParameter(context),
          ...axes.map((axis) => logCoefficient(`A_${axis}`, context, axis)),
          ...axes.map(exponent),
        ],
        order.map((inner, j) => ({
          coefficient: 1 + inner,
          powers: order.slice(0, j + 1).map((outer) => ({ exponent: 1 + axes.length + inner, axis: outer })),
        })),
      ),
    ];
  },
};
