import type { ScalingFile } from "../configs/scaling/scalingFile";
import { runCost, type RunCost } from "../core/cost/runCost";
import { count } from "../core/numbers";
import type { Memo } from "./memo";
import type { CostView } from "./runCosts";
import type { Note } from "./types";

/** Hours by a stated utilisation that differ by more than this from those of published runs are told beside them. */
const APART = 1.5;

/** What a stated utilisation replaces, where that is another figure. */
export function utilisationNote(view: CostView, scaling: ScalingFile | null, memo?: Memo): Note[] {
  if (view.kind !== "run" || view.cost.basis === "measured") return [];
  const { cost, shape } = view;
  const { generation, training } = shape.utilisation;
  if (cost.gpuHours === null || (generation === null && training === null)) return [];
  const free = { ...shape, utilisation: { generation: null, training: null } };
  const priceStated = scaling?.hardware.price != null;
  const work = (): RunCost => runCost(free, { calibration: null, team: null, priceStated });
  const { gpuHours } = memo ? memo.get(JSON.stringify(["cost", free, null, null, priceStated]), work) : work();
  if (gpuHours === null || Math.abs(Math.log(gpuHours.estimate / cost.gpuHours.estimate)) < Math.log(APART)) return [];
  const { estimate, low, high } = gpuHours;
  return [
    {
      severity: "information",
      code: "cost.utilisation-stated",
      message: `\`hardware.utilisation\` in scaling.yaml gives ${count(cost.gpuHours.estimate)} GPU-hours in place of the pace of published runs, which gives ${count(estimate)} [${count(low)}–${count(high)}] (80 %). Take it out unless you measured it.`,
    },
  ];
}
