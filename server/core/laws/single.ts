import { exponent, floorParameter, logCoefficient, type LawFamily } from "./model";
import { posynomialModel } from "./forms/posynomial";

/** e = E + A·x^−α: the per-axis fit, the other axes held where the runs hold them. */
export const singleAxis: LawFamily = {
  name: "single-axis",
  form: "e = E + A·x^−α",
  note: "One axis varies; the others stay as they are.",
  members: (axes, context) =>
    axes.length !== 1
      ? []
      : [
          posynomialModel(
            "single-axis",
            null,
            axes,
            [floorParameter(context), logCoefficient("A", context), exponent(axes[0])],
            [{ coefficient: 1, powers: [{ exponent: 2, axis: 0 }] }],
          ),
        ],
};
