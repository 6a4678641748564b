import fc from "fast-check";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConfigDocument } from "../../server/configs/document";
import { readConfig } from "../../server/configs/read";
import { documentAfter, planEdits } from "../../server/configs/wayBack";
import { mergeEdits } from "../../server/configs/shared";
import type { BudgetTarget, ExperimentBudget } from "../../server/budget/budget";
import { FRAMEWORKS } from "../../server/frameworks";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { splice } from "../../server/syntax/text";
import { grammars } from "./grammars";

const root = new URL("../fixtures/configs/", import.meta.url);
const files = [...FRAMEWORKS.map(({ id }) => id), "native"].flatMap((id) => {
  const folder = new URL(`${id}/`, root);
  return statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.includes("golden"))
        .map((entry) => `${id}/${entry.name}`)
    : [];
});
const facts = readScalingFile("file:///scaling.yaml", 'facts: [{ files: "**", tasks: 3000, environments: 7 }]\n');
const read = (name: string, text: string): Promise<ConfigDocument> =>
  readConfig({ uri: new URL(name, root).href, text, readText: async () => undefined, grammars, facts });
const numbers = ({ axes, promptsPerStep, groupSize, steps, epochs }: ExperimentBudget) =>
  [axes.tasks, axes.environments, axes.trajectories, promptsPerStep, groupSize, steps, epochs].map(
    (fact) => fact.value,
  );

const target: fc.Arbitrary<BudgetTarget> = fc.record(
  {
    trajectories: fc.integer({ min: 1, max: 4000 }),
    tasks: fc.integer({ min: 1, max: 3000 }),
    environments: fc.integer({ min: 1, max: 50 }),
  },
  { requiredKeys: [] },
);

describe("what a file says once edits are made", () => {
  test.each(files)("%s: the same as a fresh reading, also of edits after edits", async (name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    const document = await read(name, text);
    await fc.assert(
      fc.asyncProperty(target, target, async (first, second) => {
        for (const index of document.experiments.keys()) {
          const edits = planEdits(document, index, first).edits;
          const once = documentAfter(document, index, edits)!;
          const all = mergeEdits(edits, planEdits(once, index, second).edits);
          for (const [after, made] of [
            [once, edits],
            [documentAfter(document, index, all)!, all],
          ] as const) {
            const again = await read(
              name,
              splice(
                text,
                made.map(({ span, to }) => ({ span, newText: to })),
              ),
            );
            // Two rounds of a sweep may come to say the same, and are then one.
            if (again.experiments.length === document.experiments.length)
              expect(numbers(after.experiments[index])).toEqual(numbers(again.experiments[index]));
          }
        }
      }),
      { numRuns: 5, seed: 3 },
    );
  });
});
