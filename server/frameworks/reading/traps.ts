import { isKnown, type ExperimentBudget } from "../../budget/budget";
import type { ConfigDiagnostic } from "../../syntax/tree";
import type { Config } from "../sheet/config";
import type { Framework } from "../sheet/sheet";
import { toNumber } from "../sheet/reads";

/** Findings that hold for every framework: group sizes that disagree, rules that the config itself breaks. */
export function sharedTraps(framework: Framework, config: Config, budget: ExperimentBudget): ConfigDiagnostic[] {
  return [...groupsThatDisagree(framework, config, budget), ...brokenRules(config, budget)];
}

function groupsThatDisagree(framework: Framework, config: Config, budget: ExperimentBudget): ConfigDiagnostic[] {
  const group = budget.groupSize;
  if (!isKnown(group)) return [];
  const found: ConfigDiagnostic[] = [];
  for (const path of framework.groupSizeAlso ?? []) {
    const other = config.peek(path);
    const value = other?.node.kind === "scalar" ? toNumber(other.node.value) : undefined;
    if (!other || value === undefined || value === group.value) continue;
    found.push({
      span: other.node.file ? config.variant.anchor : other.node.span,
      severity: "warning",
      code: "group.disagree",
      message: `\`${path}\` says ${value} rollouts per prompt, but the group size is ${group.value}. Both should say the same.`,
    });
  }
  return found;
}

function brokenRules(config: Config, budget: ExperimentBudget): ConfigDiagnostic[] {
  const value = (fact: ExperimentBudget["gpus"]) => (isKnown(fact) ? fact.value : null);
  const values = {
    promptsPerStep: value(budget.promptsPerStep),
    groupSize: value(budget.groupSize),
    steps: value(budget.steps),
    epochs: value(budget.epochs),
    gpus: value(budget.gpus),
  };
  return budget.rules
    .filter((rule) => rule.holds(values) === false)
    .map((rule) => {
      const field = rule.code === "group.too-small" ? "groupSize" : "promptsPerStep";
      const site =
        budget.sites.find((one) => one.field === field) ?? budget.sites.find((one) => one.field === "groupSize");
      return {
        span: site?.valueSpan ?? config.variant.anchor,
        severity: "warning" as const,
        code: rule.code,
        message: rule.message,
      };
    });
}
