import { exponent, floorParameter, logCoefficient, type LawFamily } from "./model";
import { posynomialModel } from "./forms/posynomial";

/** e = E + Σ A_i·x_i^−α_i, the form of Hoffmann et al. (2022). */
export const additive: LawFamily = {
  name: "additive",
  form: "e = E + Σ A_i·x_i^−α_i",
  note: "Each axis removes its own part of the error.",
  members: (axes, context) =>
    axes.length < 2
      ? []
      : [
          posynomialModel(
            "additive",
            null,
            axes,
            [
              floorParameter(context),
              ...axes.map((axis) => logCoefficient(`A_${axis}`, context, axis)),
              ...axes.map(exponent),
            ],
            axes.map((_, i) => ({ coefficient: 1 + i, powers: [{ exponent: 1 + axes.length + i, axis: i }] })),
          ),
        ],
};
