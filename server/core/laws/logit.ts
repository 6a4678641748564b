import { logisticModel } from "./forms/logistic";
import type { LawFamily } from "./model";

/** The logistic curve from 0 to 1: logistic regression on log levels. */
export const logit: LawFamily = {
  name: "logit",
  form: "P = 1/(1 + exp(−(a + Σ b_i·ln x_i)))",
  note: "Log-odds of success rise with each axis; no floor, no ceiling.",
  // One point of the logistic law, which stands beside it (along one axis the sigmoid). At an equal share it outweighed a logistic truth
  // with a ceiling in half of the tables of 64 runs, and at twice their levels three in four were covered.
  share: (axes) => (axes === 1 ? 0.5 : 0.2),
  members: (axes, context) =>
    context.response !== "success" || axes.length < 1 ? [] : [logisticModel("logit", axes, false)],
};
