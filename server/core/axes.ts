/** The data axes of a scaling law, in the order in which people read them. */
export const KNOWN_AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"] as const;

/** One of the axes that the product knows by name. */
export type KnownAxis = (typeof KNOWN_AXES)[number];

/** Any axis of a law. Loss tables may bring axes of their own (`tokens`, `compute`), so this is open. */
export type AxisName = KnownAxis | (string & {});

export function isKnownAxis(name: string): name is KnownAxis {
  return (KNOWN_AXES as readonly string[]).includes(name);
}
