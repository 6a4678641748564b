import * as z from "zod";
import { explanation } from "../report/experiment";
import type { Judged } from "./engine";
import { experiment, file, fitChoice } from "./fields";
import { InputError } from "./inputError";
import type { Operation } from "./operation";

const input = z.strictObject({ file, experiment, ...fitChoice });

export interface Explained {
  readonly config: Judged;
  readonly markdown: string;
}

export const explain: Operation<z.infer<typeof input>, Explained> = {
  name: "explain",
  summary: "why: the verdict of a config with its split, cost, law, assumptions and doubts, as a readable document",
  input,
  writes: false,
  async run(engine, { file: name, experiment: wanted, ...choice }, signal) {
    const config = await engine.judge(name, choice, { thorough: true }, signal);
    const { experiments, fit } = config.assessment;
    if (experiments.length === 0)
      throw new InputError("no experiment budget was recognised in this file", { file: name });
    const chosen = experiments.filter(({ budget }) => wanted === undefined || budget.name === wanted);
    if (chosen.length === 0) throw new InputError(`there is no experiment "${wanted ?? ""}"`, { file: name });
    return { config, markdown: chosen.map((one) => explanation(name, one, fit)).join("\n---\n\n") };
  },
  json: ({ config, markdown }) => ({ file: config.file, markdown }),
};
