import { expect, it } from "vitest";
import { assessDocument } from "../../server/assessment/assess";
import { loadedFit } from "../../server/assessment/law";
import { Memo } from "../../server/assessment/memo";
import { readConfig } from "../../server/configs/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { simulatedFit } from "../server/runs";

const experiment = (name: string, tasks: number, more = "") =>
  `name: ${name}\nmodel: Qwen3-8B\nalgorithm: grpo\ndesign: nested\nbudget: { tasks: ${tasks}, environments: 6, trajectories: 8${more} }\ntokens_per_trajectory: 5000\n`;

const file = (...parts: readonly string[]) => parts.join("---\n");
const FIRST = file(experiment("a", 512), experiment("b", 4000), experiment("a", 512), experiment("c", 900));

/** Hours on the wall are those of as many GPUs; a measured rollout costs the same on any number. */
const BOUND = `${experiment("a", 512)}gpus: 8\nmeasured: { gpu_hours: 40, rollouts: 4096 }\nconstraints: { deadline: 3h }\n`;

/** Each text as it would be typed after the one before. */
const TYPED: readonly string[] = [
  FIRST,
  FIRST.replace("tasks: 512", "tasks: 5129"),
  `# a remark\n${FIRST}`,
  FIRST.replace("name: b", "name: bb"),
  FIRST.replace("tasks: 900", "tasks: 9"),
  file(experiment("c", 900), experiment("b", 4000)),
  file(experiment("c", 900), experiment("b", 4000, ", reward_scheme: terminal"), experiment("d", 40)),
  FIRST.replace("environments: 6", "environments: [6"),
  FIRST,
  BOUND,
  BOUND.replace("gpus: 8", "gpus: 1"),
  BOUND.replace("3h", "30h"),
];

it("what is judged once and moved is what would be judged afresh", async () => {
  const fit = loadedFit(simulatedFit(), "runs", "reuse");
  const scaling = readScalingFile("file:///w/scaling.yaml", "prices: { environment: 40 USD, task: 0.5 USD }\n");
  const memo = new Memo();
  const uri = "file:///w/a.budget.yaml";
  let edits = 0;
  for (const text of TYPED) {
    const document = await readConfig({ uri, text, readText: async () => undefined, facts: scaling });
    const plain = (options: object) =>
      JSON.parse(
        JSON.stringify(assessDocument(document, uri, scaling, fit, { recommend: "optimum", ...options }).experiments),
      ) as unknown;
    const fresh = plain({});
    expect(plain({ memo }), text).toEqual(fresh);
    edits += JSON.stringify(fresh).split('"label"').length - 1;
  }
  expect(edits).toBeGreaterThan(0);
});
