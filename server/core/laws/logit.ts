import { logisticModel } from "./forms/logistic";
import type { LawFamily } from "./model";

/** The logistic curve from 0 to 1: logistic regression on log levels. */
export const logit: LawFamily = {
  name: "logit",
  form: "P = 1/(1 + exp(−(a + Σ b_i·ln x_i)))",
  note: "Log-odds of success rise with each axis; no floor, no ceiling.",
  // Along one axis it is the sigmoid from 0 to 1, which stands beside it.
  share: (axes) => (axes === 1 ? 0.5 : 1),
  members: (axes, context) =>
    context.response !== "success" || axes.length < 1 ? [] : [logisticModel("logit", axes, false)],
};
