import type { RunRow } from "../core/table";

/** Runs that differ in nothing but their seed. */
export interface Replicates {
  readonly setting: string;
  readonly rows: readonly RunRow[];
  /** Seeds as stated; a run without one is `undefined`. */
  readonly seeds: readonly (string | undefined)[];
}

/** Groups a table's rows by setting, axes, synthesis and reward scheme, in the order of their first rows. */
export function replicates(rows: readonly RunRow[]): readonly Replicates[] {
  const groups = new Map<string, RunRow[]>();
  for (const row of rows) {
    const axes = Object.entries(row.axes).sort(([a], [b]) => (a < b ? -1 : 1));
    const synthesis = Object.entries(row.synthesis ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([axis, share]) => [axis, share?.real, share?.synthetic, share?.method]);
    const key = JSON.stringify([row.setting, axes, synthesis, row.rewardScheme ?? null, row.rewardDensity ?? null]);
    const held = groups.get(key);
    if (held) held.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].map((group) => ({
    setting: group[0].setting,
    rows: group,
    seeds: group.map(({ seed }) => seed),
  }));
}
