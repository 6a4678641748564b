import { isKnown, type ExperimentBudget } from "../../budget/budget";
import { ruleProblems } from "../../budget/rules";
import type { ConfigDiagnostic } from "../../syntax/tree";
import type { Config } from "../sheet/config";
import type { Framework } from "../sheet/sheet";
import { toNumber } from "../sheet/reads";

/** Findings that hold for every framework: group sizes that disagree, rules that the config itself breaks. */
export function sharedTraps(framework: Framework, config: Config, budget: ExperimentBudget): ConfigDiagnostic[] {
  return [...groupsThatDisagree(framework, config, budget), ...ruleProblems(budget, config.variant.anchor)];
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
