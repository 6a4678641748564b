import { exponent, floorParameter, logCoefficient, type LawFamily } from "./model";
import { singleAxis } from "./single";
import { posynomialModel } from "./forms/posynomial";

/** e = E + A·∏ x_i^−α_i. */
export const multiplicative: LawFamily = {
  name: "multiplicative",
  form: "e = E + A·∏ x_i^−α_i",
  note: "Axes multiply: little on one axis spoils the others.",
  members: (axes, context) =>
    axes.length < 2
      ? []
      : [
          posynomialModel(
            "multiplicative",
            null,
            axes,
            [floorParameter(context), logCoefficient("A", context), ...axes.map(exponent)],
            [{ coefficient: 1, powers: axes.map((_, i) => ({ exponent: 2 + i, axis: i })) }],
          ),
        ],
  reduced: (axes, context) => (axes.length === 1 ? singleAxis : multiplicative).members(axes, context),
};
