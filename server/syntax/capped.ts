import type { ConfigDiagnostic } from "./tree";

/** Problems of one kind that are listed; the rest are counted. */
const LISTED = 50;

/** A file with twenty thousand faults of a kind lists the first of them, and says how many there are. */
export function capped(diagnostics: readonly ConfigDiagnostic[], listed = LISTED): readonly ConfigDiagnostic[] {
  if (diagnostics.length <= listed) return diagnostics;
  const seen = new Map<string, number>();
  const kept: ConfigDiagnostic[] = [];
  for (const one of diagnostics) {
    const count = (seen.get(one.code) ?? 0) + 1;
    seen.set(one.code, count);
    if (count <= listed) kept.push(one);
  }
  for (const [code, count] of seen) {
    const last = count > listed && [...kept].reverse().find((one) => one.code === code);
    if (last) kept.push({ ...last, message: `${count - listed} more like these are not listed.` });
  }
  return kept;
}
