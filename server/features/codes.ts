/** Every diagnostic code that the server reports, with its page. Codes are stable: settings and scripts name them. */
export const DIAGNOSTIC_CODES = [
  "allocation.suboptimal", "synthesis.over-critical-ratio", "group.too-small", "group.disagrees", "batch.indivisible", "batch.unit", "budget.unknown",
  "fit.extrapolating", "fit.unidentifiable", "config.expression", "config.parse", "config.unknown-key", "config.missing", "config.value", "compute.disagrees",
] as const;

/** Where a code is explained: one heading per code. */
export function documentationOf(code: string): string {
  return `https://github.com/scaling-lens/scaling-lens/blob/main/docs/diagnostics.md#${code.replace(/[^a-z-]/g, "")}`;
}
