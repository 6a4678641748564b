import { z } from "zod";
import { inspectJson } from "../report/print/json";
import type { Judged } from "./engine";
import { files, fitChoice } from "./fields";
import type { Operation } from "./operation";

const input = z.strictObject({ files, ...fitChoice });

export const inspect: Operation<z.infer<typeof input>, readonly Judged[]> = {
  name: "inspect",
  summary: "what each config says, what success to expect, what it costs, and whether a better split is known",
  input,
  writes: false,
  async run(engine, { files: names, ...choice }, signal) {
    const judged: Judged[] = [];
    for (const name of names) judged.push(await engine.judge(name, choice, undefined, signal));
    return judged;
  },
  /** One object for one file, a list for several. */
  json(judged) {
    const all = judged.map(({ file, text, assessment }) => inspectJson(file, text, assessment));
    return all.length === 1 ? all[0] : all;
  },
};
