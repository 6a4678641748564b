import { logisticModel } from "./forms/logistic";
import type { LawFamily } from "./model";

/** The logistic curve from 0 to 1: logistic regression on log levels. */
export const logit: LawFamily = {
  name: "logit",
  form: "P = 1/(1 + exp(−(a + Σ b_i·ln x_i)))",
  note: "Log-odds of success rise with each axis; no floor, no ceiling.",
  members: (axes, context) =>
    context.response !== "success" || axes.length < 1 ? [] : [logisticModel("logit", axes, false)],
};
