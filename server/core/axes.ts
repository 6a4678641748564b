/** The data axes of a scaling law, in the order in which people read them. */
export const KNOWN_AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"] as const;

/** What a run's rollouts are made of: steps × prompts × rollouts of each. No axes of a law, unless runs vary them. */
export const STEP_PARTS = ["steps", "promptsPerStep", "groupSize"] as const;
export type StepPart = (typeof STEP_PARTS)[number];

export function isStepPart(name: string): name is StepPart {
  return (STEP_PARTS as readonly string[]).includes(name);
}

/** One of the axes that the product knows by name. */
export type KnownAxis = (typeof KNOWN_AXES)[number];

/** Any axis of a law. Loss tables may bring axes of their own (`tokens`, `compute`), so this is open. */
export type AxisName = KnownAxis | (string & {});

export function isKnownAxis(name: string): name is KnownAxis {
  return (KNOWN_AXES as readonly string[]).includes(name);
}

/**
 * Why no config can be set beside a fit's axis that the product does not know by name. A table's numbers carry no unit, and one
 * is not guessed: FLOPs, GPU-hours and dollars differ by many powers of ten.
 */
export function unmatchedReason(axis: AxisName): string {
  return axis === "compute"
    ? "the runs state no unit for it, so this config's compute cannot be compared with theirs"
    : "no config states it";
}

/** What people call an axis. Files and tables call rollouts per task `trajectories`; where people read, a rollout is a rollout. */
export function axisWord(axis: AxisName): string {
  return axis === "trajectories" ? "rollouts per task" : axis;
}

/** The same where room is short, as in the lens: `rollouts never varied in your runs`. */
export function shortAxis(axis: AxisName): string {
  return axis === "trajectories" ? "rollouts" : axis === "parameters" ? "model size" : axis;
}

export interface AxisRange {
  readonly min: number;
  readonly max: number;
  /** Geometric mean of the runs: the point about which the law is centred. */
  readonly centre: number;
  readonly levels: number;
}
