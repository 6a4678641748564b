import type { Span } from "../syntax/text";
import { isKnown, type ExperimentBudget, type Fact, type FrameworkRule } from "./budget";

/** The rules that a budget breaks, as far as its values are known. */
function brokenRules(budget: ExperimentBudget): readonly FrameworkRule[] {
  const value = (fact: Fact<number>) => (isKnown(fact) ? fact.value : null);
  const values = {
    promptsPerStep: value(budget.promptsPerStep),
    groupSize: value(budget.groupSize),
    steps: value(budget.steps),
    epochs: value(budget.epochs),
    gpus: value(budget.gpus),
  };
  return budget.rules.filter((rule) => rule.holds(values) === false);
}

/** The same as problems, each at the value that breaks it, or at `anchor`. */
export function ruleProblems(
  budget: ExperimentBudget,
  anchor: Span,
): { readonly span: Span; readonly severity: "warning"; readonly code: string; readonly message: string }[] {
  return brokenRules(budget).map((rule) => {
    const field = rule.code === "group.too-small" ? "groupSize" : "promptsPerStep";
    const site =
      budget.sites.find((one) => one.field === field) ?? budget.sites.find((one) => one.field === "groupSize");
    return { span: site?.valueSpan ?? anchor, severity: "warning", code: rule.code, message: rule.message };
  });
}
