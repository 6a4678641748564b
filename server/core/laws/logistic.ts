import { logisticModel } from "./forms/logistic";
import type { LawFamily } from "./model";

/** A logistic curve over all axes between a floor and a ceiling of its own; along one axis that is the sigmoid. */
export const logistic: LawFamily = {
  name: "logistic",
  form: "P = L + (U − L)/(1 + exp(−(a + Σ b_i·ln x_i)))",
  note: "Success rises along an S from L to U; axes add up inside.",
  members: (axes, context) =>
    context.response !== "success" || axes.length < 2 ? [] : [logisticModel("logistic", axes, true)],
  reduced: (axes) => [logisticModel("logistic", axes, true)],
};
