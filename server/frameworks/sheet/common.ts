import type { FrameworkRule } from "../../budget/budget";

/** What is said of the group size in every framework; the first sentence is the framework's own. */
export function groupHelp(own: string): string {
  return `${own}\n\nDoubling it doubles the rollouts, the generated tokens and the samples trained on per step; it adds no new tasks. Groups whose rollouts all succeed or all fail carry no signal for group-relative advantages: their share is the mean over tasks of p^n + (1 − p)^n.`;
}

/** Rules that several frameworks share. */
export const rules = {
  /** Group-relative estimators need at least two rollouts per prompt. */
  groupAtLeastTwo(message: string): FrameworkRule {
    return {
      id: "group-at-least-two",
      code: "group.too-small",
      message,
      holds: ({ groupSize }) => (groupSize === null ? null : groupSize >= 2),
    };
  },
  /** Rollouts per step must divide by a number (GPUs, a mini batch). */
  rolloutsDivideBy(
    id: string,
    message: string,
    by: (values: { readonly gpus: number | null }) => number | null,
  ): FrameworkRule {
    return {
      id,
      code: "batch.indivisible",
      message,
      holds: ({ promptsPerStep, groupSize, gpus }) => {
        const divisor = by({ gpus });
        return promptsPerStep === null || groupSize === null || divisor === null || divisor === 0
          ? null
          : (promptsPerStep * groupSize) % divisor === 0;
      },
    };
  },
  promptsAtLeast(id: string, message: string, least: number | null): FrameworkRule {
    return {
      id,
      code: "batch.unit",
      message,
      holds: ({ promptsPerStep }) => (promptsPerStep === null || least === null ? null : promptsPerStep >= least),
    };
  },
  promptsDivideBy(id: string, message: string, divisor: number | null): FrameworkRule {
    return {
      id,
      code: "batch.indivisible",
      message,
      holds: ({ promptsPerStep }) => (promptsPerStep === null || !divisor ? null : promptsPerStep % divisor === 0),
    };
  },
} as const;

/** What holds in every framework, after what a field means in this one. */
export const SHARED_HELP: Readonly<Partial<Record<string, string>>> = {
  promptsPerStep:
    "It is never edited by an optimum: it trades noise per step against steps, not data. Steps × prompts per step is how often tasks are drawn; below the rows of the dataset, the rest of the rows is never seen.",
  steps:
    "Tasks seen = the smaller of the rows and steps × prompts per step. Rollouts per task = group size × steps × prompts per step / tasks seen: beyond one pass, more steps are more rollouts of the same tasks.",
  epochs:
    "Each pass gives every task one more group: rollouts per task = group size × passes. Updates within a batch (inner epochs) add none.",
  tasks:
    "Fewer rows at the same steps are seen more often. Whether more tasks or more rollouts per task pay off is read from the fit, and shown above the experiment.",
  environments:
    "Several environments may train one model: how often each is drawn follows its rows, its groups or its weight, as the framework has it. Weights are relative; they need not add up to 1.",
  maxResponseTokens:
    "A limit, not a mean: the cost of a trajectory is estimated from it only until logs give the real tokens.",
  gpus: "GPU-hours = FLOPs / (peak FLOP/s × utilisation): to an order of magnitude without logs.",
};
