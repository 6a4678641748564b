import * as z from "zod";
import { type PowerAnswer, powerOf, resolution } from "../core/forecast/power";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const rate = z.number().gt(0).lt(1);

const input = z.strictObject({
  difference: rate.optional().describe("the difference in success rate to be found, in 0–1: 0.02 is 2 points"),
  baseline: rate.optional().describe("the success rate about which it is (default 0.5)"),
  discordant: rate.optional().describe("share of tasks that one arm solves and the other does not (default 0.2)"),
  seedNoise: z.number().min(0).lt(1).optional().describe("standard deviation of success between seeds (default 0.025)"),
  power: rate.optional().describe("how often a true difference is found (default 0.8)"),
  tasks: z.int().min(1).optional().describe("the least difference that so many tasks show"),
});

export interface Power {
  readonly answer: PowerAnswer | null;
  readonly tasks: number | null;
  /** The smallest differences that `tasks` tell, as rates. */
  readonly resolves: ReturnType<typeof resolution> | null;
}

export const power: Operation<z.infer<typeof input>, Power> = {
  name: "power",
  summary:
    "how many evaluation tasks and seeds show a difference, and the least difference that an evaluation of a given size shows",
  input,
  writes: false,
  run(_engine, { difference, baseline = 0.5, discordant, seedNoise, power: wanted, tasks }) {
    if (difference === undefined && tasks === undefined)
      return Promise.reject(new InputError("name a difference, or a number of tasks"));
    if (tasks !== undefined && !(tasks >= 1))
      return Promise.reject(new InputError("An evaluation has at least 1 task."));
    let answer: PowerAnswer | null = null;
    if (difference !== undefined) {
      const found = powerOf({ difference, baseline, discordant, seedNoise, power: wanted });
      if (!found.ok) return Promise.reject(new InputError(found.problem.message));
      answer = found.value;
    }
    return Promise.resolve({
      answer,
      tasks: tasks ?? null,
      resolves: tasks === undefined ? null : resolution(tasks, baseline, discordant),
    });
  },
  json: ({ answer, tasks, resolves }) => ({ ...answer, ...(resolves && { tasks, resolves }) }),
};
