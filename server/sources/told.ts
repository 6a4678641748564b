import type { RunFacts } from "../runs/options";
import { secondsPerRow } from "../runs/row";
import type { RunMetrics } from "../runs/series";

/** A log that was written for less than this at once is a copy, whose times say nothing of its run (milliseconds). */
const COPIED = 20_000;

/** Milliseconds from one logged row to the next: as the log times its steps, or by when it was begun and last written. */
export function paceOf(
  metrics: RunMetrics,
  facts: RunFacts,
  modified: number,
  created: number | undefined,
): number | undefined {
  const timed = secondsPerRow(metrics, facts);
  if (timed !== undefined) return 1000 * timed;
  const { firstStep, lastStep, gap } = metrics;
  if (created === undefined || modified - created < COPIED || firstStep === undefined || lastStep === undefined)
    return undefined;
  const rows = (lastStep - firstStep) / (gap ?? 1);
  return rows >= 1 ? (modified - created) / rows : undefined;
}

interface Lacking {
  readonly metrics: RunMetrics;
  readonly base: number | undefined;
  readonly refusals: readonly { readonly key: string; readonly reason: string }[];
  readonly asked: string | undefined;
  /** Whether a name is that of a success metric. */
  readonly isWanted: (key: string) => boolean;
}

/** Why a run has no value. */
export function whyNone({ metrics, base, refusals, asked, isWanted }: Lacking): string {
  if (base !== undefined)
    return `only the model before the training was evaluated (${(100 * base).toFixed(1)} %); that is no result of the run.`;
  const barren = [...metrics.names].filter((key) => isWanted(key) && !metrics.series.has(key)).slice(0, 4);
  if (barren.length > 0 && metrics.nonFinite > 0 && refusals.length === 0)
    return `${barren.join(", ")} ${barren.length > 1 ? "have" : "has"} no value that is a finite number.`;
  if (refusals.length > 0)
    return `${refusals
      .map(({ key }) => key)
      .slice(0, 4)
      .join(
        ", ",
      )} cannot be read as a success rate, for the reason given; \`metric\` or \`scale\` in scaling.yaml says otherwise.`;
  const seen = [...metrics.names].slice(0, 12).join(", ") || "none";
  return asked === undefined
    ? `no known success metric. Name one as metric in scaling.yaml. Names seen: ${seen}.`
    : `nothing is named ${asked}. Names seen: ${seen}.`;
}
