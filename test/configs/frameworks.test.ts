import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ConfigDocument } from "../../server/configs/document";
import { readConfig } from "../../server/configs/read";
import { planEdits } from "../../server/configs/wayBack";
import type { BudgetTarget, ExperimentBudget, Fact } from "../../server/budget/budget";
import { FRAMEWORKS } from "../../server/frameworks";
import { splice } from "../../server/syntax/text";
import { grammars } from "./grammars";

/**
 * Fixtures of every framework: `test/fixtures/configs/FRAMEWORK/x.sh` with what a person expects of it in
 * `x.golden.yaml`. Only what the golden file states is checked; `null` is unknown. A new case is a new pair of files.
 */
interface Golden {
  readonly framework: string | null;
  readonly experiments: readonly (Readonly<Record<string, unknown>> & {
    readonly why?: Record<string, string>;
    readonly source?: Record<string, string>;
    readonly at?: Record<string, string>;
  })[];
  /** Codes, in any order; all that are found must be listed. */
  readonly diagnostics?: readonly string[];
  readonly edits?: readonly {
    readonly experiment?: number;
    readonly target: BudgetTarget;
    readonly changes: readonly string[];
    readonly remainder?: readonly string[];
    readonly after?: Readonly<Record<string, unknown>>;
  }[];
}

const root = new URL("../fixtures/configs/", import.meta.url);
const folders = FRAMEWORKS.map((framework) => framework.id);
const cases = folders
  .filter((id) => existsSync(new URL(`${id}/`, root)))
  .flatMap((id) =>
    readdirSync(new URL(`${id}/`, root))
      .filter((name) => name.endsWith(".golden.yaml"))
      .map((golden) => {
        const stem = golden.replace(".golden.yaml", "");
        const file = readdirSync(new URL(`${id}/`, root)).find(
          (name) => name !== golden && name.replace(/\.\w+$/, "") === stem,
        );
        return { name: `${id}/${file ?? stem}`, golden: `${id}/${golden}` };
      }),
  );

function factsOf(budget: ExperimentBudget): Record<string, Fact<string | number>> {
  return {
    model: budget.model.name,
    parameters: budget.model.parameters,
    activeParameters: budget.model.activeParameters,
    ...budget.axes,
    promptsPerStep: budget.promptsPerStep,
    groupSize: budget.groupSize,
    steps: budget.steps,
    epochs: budget.epochs,
    maxPromptTokens: budget.maxPromptTokens,
    maxResponseTokens: budget.maxResponseTokens,
    maxTurns: budget.maxTurns,
    gpus: budget.gpus,
    algorithm: budget.algorithm,
    tokensPerTrajectory: budget.tokensPerTrajectory,
    domain: budget.domain,
    rewardScheme: budget.rewardScheme,
  };
}

async function read(name: string, text: string): Promise<ConfigDocument> {
  const readText = async (uri: string): Promise<string | undefined> => {
    const url = new URL(uri);
    return existsSync(url) && !uri.endsWith("/") ? readFileSync(url, "utf8") : undefined;
  };
  return readConfig({ uri: new URL(name, root).href, text, readText, grammars });
}

function checkExperiment(text: string, budget: ExperimentBudget, golden: Golden["experiments"][number]): void {
  const facts = factsOf(budget);
  for (const [key, expected] of Object.entries(golden)) {
    if (key === "why" || key === "source" || key === "at") continue;
    if (key === "name") expect(budget.name).toBe(expected);
    else if (key === "responseScope") expect(budget.responseScope).toBe(expected);
    else
      expect({
        [key]: facts[key].value,
        reason: facts[key].value === null && expected !== null ? (facts[key] as { reason: string }).reason : undefined,
      }).toEqual({ [key]: expected, reason: undefined });
  }
  for (const [key, reason] of Object.entries(golden.why ?? {}))
    expect(
      facts[key].value === null ? (facts[key] as { reason: string }).reason : `known: ${facts[key].value}`,
    ).toContain(reason);
  for (const [key, source] of Object.entries(golden.source ?? {}))
    expect({ [key]: facts[key].value === null ? null : (facts[key] as { source: string }).source }).toEqual({
      [key]: source,
    });
  for (const [key, where] of Object.entries(golden.at ?? {})) {
    const span = (facts[key] as { span?: { start: number; end: number } }).span;
    expect({ [key]: span && text.slice(span.start, span.end) }).toEqual({ [key]: where });
  }
}

describe("configs of every framework", () => {
  test.each(cases)("$name", async ({ name, golden: goldenName }) => {
    const golden = parse(readFileSync(new URL(goldenName, root), "utf8")) as Golden;
    const text = readFileSync(new URL(name, root), "utf8");
    const document = await read(name, text);
    expect(document.framework).toBe(golden.framework);
    expect(document.experiments.map((one) => one.name)).toHaveLength(golden.experiments.length);
    golden.experiments.forEach((expected, index) => checkExperiment(text, document.experiments[index], expected));
    expect(document.diagnostics.map((one) => one.code).sort()).toEqual([...(golden.diagnostics ?? [])].sort());
    for (const one of document.diagnostics) expect(one.span.start >= 0 && one.span.end <= text.length).toBe(true);
    for (const budget of document.experiments) {
      for (const site of budget.sites) {
        expect(site.help.length).toBeGreaterThan(10);
        expect(site.editable || site.whyNot !== undefined).toBe(true);
      }
    }
    for (const edit of golden.edits ?? []) {
      const plan = planEdits(document, edit.experiment ?? 0, edit.target);
      expect(plan.edits.map((one) => `${one.path}: ${one.from} -> ${one.to}`)).toEqual(edit.changes);
      expect(plan.remainder.map((one) => one.axis).sort()).toEqual([...(edit.remainder ?? [])].sort());
      for (const one of plan.edits) expect(text.slice(one.span.start, one.span.end)).toBe(one.from);
      const changes = plan.edits.map((one) => ({ span: one.span, newText: one.to }));
      const edited = splice(text, changes);
      const again = await read(name, edited);
      if (edit.after) checkExperiment(edited, again.experiments[edit.experiment ?? 0], edit.after);
      // Undoing the splices gives the bytes back.
      let shift = 0;
      const back = [...plan.edits]
        .sort((a, b) => a.span.start - b.span.start)
        .map((one) => {
          const span = { start: one.span.start + shift, end: one.span.start + shift + one.to.length };
          shift += one.to.length - one.from.length;
          return { span, newText: one.from };
        });
      expect(splice(edited, back)).toBe(text);
    }
  });

  test.each(folders)("%s has a fixture, questions answered in its own words, and a way back", (id) => {
    const framework = FRAMEWORKS.find((one) => one.id === id);
    expect(cases.some((one) => one.name.startsWith(`${id}/`))).toBe(true);
    expect(framework?.fields.promptsPerStep?.unit ?? framework?.fields.groupSize?.unit).toBeTruthy();
    expect(framework?.knobs.duration.length ?? 0).toBeGreaterThan(0);
    for (const spec of Object.values(framework?.fields ?? {})) expect(spec.help.length).toBeGreaterThan(10);
  });
});
