import type { RunRow } from "../table";

/** A usable run: levels in axis order, y = 1 − success rate or the loss, n = evaluation tasks or 0 where unknown. */
export interface Run {
  readonly row: RunRow;
  readonly y: number;
  readonly n: number;
  readonly setting: string;
}
