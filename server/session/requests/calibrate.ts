import { calibratedRecipe } from "../../operations/calibrate";
import { decimal } from "../../core/numbers";
import { fitReport } from "../../report/fit";
import { Requests, type CalibrateParams, type FitReply } from "../../protocol";
import { handler } from "./types";

export const calibrate = handler<CalibrateParams, FitReply>(Requests.calibrate, async ({ session, model }, params) => {
  const empty = { title: "Published recipe", markdown: "" };
  const found = await model(params.uri);
  const experiment = found?.model.experiments.find(
    ({ assessment }) => params.experiment === undefined || assessment.budget.name === params.experiment,
  );
  if (!experiment) return { ok: false, message: "This document holds no budget that is recognised.", document: empty };
  const fit = calibratedRecipe(experiment.assessment.budget, {
    successRate: params.successRate,
    trials: params.trials,
  });
  if (!fit.ok) return { ok: false, message: fit.problem.message, document: empty };
  const project = await session.projectOf(params.uri);
  project.override(fit.value, "published recipe");
  return {
    ok: true,
    message: `The published recipe is calibrated at ${decimal(100 * params.successRate, 1)} % success; every figure is a prior.`,
    document: { title: "Published recipe", markdown: fitReport(fit.value, "the published recipe") },
  };
});
