import * as z from "zod";
import { growthOf, type Growth } from "../assessment/growth";
import type { ExperimentAssessment } from "../assessment/types";
import { notReadJson } from "../assessment/unreadSources";
import type { Judged } from "./engine";
import { experiment, file, fitChoice } from "./fields";
import type { Operation } from "./operation";
import { oneExperiment } from "./optimise";

/** Less of a run is none, and more is beyond what any fit tells. */
export const LEAST = 0.01;
export const MOST = 1000;

const input = z.strictObject({
  file,
  experiment,
  times: z
    .array(z.number().min(LEAST).max(MOST))
    .min(1)
    .max(20)
    .optional()
    .describe("multiples of the present cost: [1, 2, 4]"),
  ...fitChoice,
});

export interface Grown {
  readonly config: Judged;
  readonly experiment: ExperimentAssessment;
  readonly growth: Growth;
}

/** Multiples of the present cost that are told where none are asked for. */
const TIMES: readonly number[] = [1, 2, 4, 8];

export const grow: Operation<z.infer<typeof input>, Grown> = {
  name: "grow",
  summary: "the best split of several budgets, what grows with them, and what the published recipe would do instead",
  input,
  writes: false,
  async run(engine, { file: name, experiment: wanted, times, ...choice }, signal) {
    const config = await engine.judge(name, choice, { thorough: true }, signal);
    const chosen = oneExperiment(config, wanted);
    return { config, experiment: chosen, growth: growthOf(chosen, [...new Set(times ?? TIMES)]) };
  },
  json: ({ config, experiment: chosen, growth }) => ({
    file: config.file,
    experiment: chosen.budget.name,
    verdict: chosen.verdict,
    ...growth,
    ...notReadJson([config]),
  }),
};
