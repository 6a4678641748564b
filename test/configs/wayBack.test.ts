import fc from "fast-check";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConfigDocument } from "../../server/configs/document";
import { readConfig } from "../../server/configs/read";
import { planEdits } from "../../server/configs/wayBack";
import type { BudgetTarget, ExperimentBudget, RuleValues } from "../../server/budget/budget";
import { numberLike } from "../../server/frameworks/reading/read";
import { FRAMEWORKS } from "../../server/frameworks";
import { splice } from "../../server/syntax/text";
import { grammars } from "./grammars";

const root = new URL("../fixtures/configs/", import.meta.url);
const files = FRAMEWORKS.flatMap(({ id }) => {
  const folder = new URL(`${id}/`, root);
  return statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".golden.yaml"))
        .map((entry) => `${id}/${entry.name}`)
    : [];
});
const read = (name: string, text: string): Promise<ConfigDocument> =>
  readConfig({ uri: new URL(name, root).href, text, readText: async () => undefined, grammars });

function valuesOf(budget: ExperimentBudget): RuleValues {
  return {
    promptsPerStep: budget.promptsPerStep.value,
    groupSize: budget.groupSize.value,
    steps: budget.steps.value,
    epochs: budget.epochs.value,
    gpus: budget.gpus.value,
  };
}

const target: fc.Arbitrary<BudgetTarget> = fc.record(
  {
    trajectories: fc.integer({ min: 1, max: 4000 }),
    tasks: fc.integer({ min: 1, max: 100_000 }),
    groupSize: fc.integer({ min: 2, max: 128 }),
    environments: fc.integer({ min: 1, max: 50 }),
  },
  { requiredKeys: [] },
);

describe("from an optimum back to a file", () => {
  test.each(files)("%s: prompts per step stay, only numbers change, rules still hold", async (name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    const document = await read(name, text);
    await fc.assert(
      fc.asyncProperty(target, async (wanted) => {
        for (const [index, before] of document.experiments.entries()) {
          const plan = planEdits(document, index, wanted);
          const edited = splice(
            text,
            plan.edits.map((one) => ({ span: one.span, newText: one.to })),
          );
          for (const one of plan.edits) {
            expect(text.slice(one.span.start, one.span.end)).toBe(one.from);
            expect(one.to).toMatch(/^[\d_.eE+]+$/);
          }
          // What was not edited is the same, byte for byte.
          const kept = (source: string, spans: readonly { start: number; end: number }[]): string => {
            let out = "";
            let at = 0;
            for (const span of [...spans].sort((a, b) => a.start - b.start)) {
              out += source.slice(at, span.start);
              at = span.end;
            }
            return out + source.slice(at);
          };
          let shift = 0;
          const placed = [...plan.edits]
            .sort((a, b) => a.span.start - b.span.start)
            .map((one) => {
              const start = one.span.start + shift;
              shift += one.to.length - (one.span.end - one.span.start);
              return { start, end: start + one.to.length };
            });
          expect(kept(edited, placed)).toBe(
            kept(
              text,
              plan.edits.map((one) => one.span),
            ),
          );
          const again = await read(name, edited);
          // Two rounds of a sweep may come to say the same, and are then one.
          if (again.experiments.length !== document.experiments.length) continue;
          const after = again.experiments[index];
          // A batch that cannot be edited here (it stands in a base file) is said, not changed.
          if (before.promptsPerStep.value !== null && plan.remainder.length === 0)
            expect(after.promptsPerStep.value).toBe(before.promptsPerStep.value);
          if (wanted.groupSize === undefined) expect(after.groupSize.value).toBe(before.groupSize.value);
          for (const rule of before.rules) {
            if (rule.holds(valuesOf(before)) !== false)
              expect({ rule: rule.id, holds: rule.holds(valuesOf(after)) !== false }).toEqual({
                rule: rule.id,
                holds: true,
              });
          }
          if (wanted.environments !== undefined && wanted.environments !== before.axes.environments.value)
            expect(plan.remainder.some((one) => one.axis === "environments")).toBe(true);
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe("numbers keep the way they are written", () => {
  test.each<readonly [string, number, string]>([
    ["1_024", 2048, "2_048"],
    ["1_024", 512, "512"],
    ["10_000", 1_234_567, "1_234_567"],
    ["1e3", 2000, "2e3"],
    ["1e3", 12_345, "12345"],
    ["1e3", 12_000, "1.2e4"],
    ["1e3", 1_234_567, "1234567"],
    ["1E+03", 4000, "4E+03"],
    ["8", 16, "16"],
    ["1024.0", 512, "512.0"],
    ["8.", 4, "4."],
    ["0010", 7, "7"],
  ])("%s → %d is %s", (text, value, expected) => expect(numberLike(text, value)).toBe(expected));
  test("whatever the style, the value is the value", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("1_024", "1e3", "2.5e2", "8", "16.0", "1E+02", "007"),
        fc.integer({ min: 1, max: 10_000_000 }),
        (style, value) => {
          expect(Number(numberLike(style, value).replaceAll("_", ""))).toBe(value);
        },
      ),
    );
  });
});
