/** Every diagnostic code of the editor, each with its section in `docs/diagnostics.md`. Codes are stable: scripts and settings name them. */
export const DIAGNOSTIC_CODES = [
  "allocation.suboptimal",
  "synthesis.over-critical-ratio",
  "group.too-small",
  "group.disagree",
  "batch.indivisible",
  "batch.unit",
  "budget.unknown",
  "budget.rollouts",
  "budget.value",
  "budget.missing",
  "budget.same-name",
  "compute.disagrees",
  "fit.extrapolating",
  "fit.unidentifiable",
  "config.parse",
  "config.expression",
  "config.duplicate-key",
  "config.base-missing",
  "config.yaml-trap",
  "config.too-large",
] as const;

/** Where a code is explained, in the documentation that comes with the extension; undefined where that is nowhere. */
export function documentationOf(code: string, docsUri: string | undefined): string | undefined {
  if (docsUri === undefined || !(DIAGNOSTIC_CODES as readonly string[]).includes(code)) return undefined;
  return `${docsUri}/diagnostics.md#${code.replace(".", "")}`;
}
