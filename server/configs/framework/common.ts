import type { FrameworkRule } from "../budget";

/** What is said of the group size in every framework; the first sentence is the framework's own. */
export function groupHelp(own: string): string {
  return `${own}\n\nDoubling it doubles the rollouts, the generated tokens and the samples trained on per step; it adds no new tasks. Groups whose rollouts all succeed or all fail carry no signal for group-relative advantages: their share is the mean over tasks of p^n + (1 − p)^n.`;
}

/** Rules that several frameworks share. */
export const rules = {
  /** Group-relative estimators need at least two rollouts per prompt. */
  groupAtLeastTwo(message: string): FrameworkRule {
    return { id: "group-at-least-two", code: "group.too-small", message, holds: ({ groupSize }) => groupSize === null ? null : groupSize >= 2 };
  },
  /** Rollouts per step must divide by a number (GPUs, a mini batch). */
  rolloutsDivideBy(id: string, message: string, by: (values: { readonly gpus: number | null }) => number | null): FrameworkRule {
    return {
      id, code: "batch.indivisible", message,
      holds: ({ promptsPerStep, groupSize, gpus }) => {
        const divisor = by({ gpus });
        return promptsPerStep === null || groupSize === null || divisor === null || divisor === 0 ? null : (promptsPerStep * groupSize) % divisor === 0;
      },
    };
  },
  promptsAtLeast(id: string, message: string, least: number | null): FrameworkRule {
    return { id, code: "batch.unit", message, holds: ({ promptsPerStep }) => promptsPerStep === null || least === null ? null : promptsPerStep >= least };
  },
  promptsDivideBy(id: string, message: string, divisor: number | null): FrameworkRule {
    return { id, code: "batch.indivisible", message, holds: ({ promptsPerStep }) => promptsPerStep === null || !divisor ? null : promptsPerStep % divisor === 0 };
  },
} as const;
