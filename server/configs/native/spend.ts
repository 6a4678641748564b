import type { SpendFacts } from "../../budget/budget";
import { entryOf } from "../../syntax/nodes";
import type { MapNode } from "../../syntax/tree";
import type { Dimension } from "../../syntax/quantity/units";
import type { Reader, ReadQuantity } from "../schema/reader";
import type { NativeReads } from "./cost";

const FLOPS: Dimension = { flops: 1 };
const GPU_HOURS: Dimension = { gpu: 1, hour: 1 };
const USD: Dimension = { usd: 1 };
const HOURS: Dimension = { hour: 1 };
const LEAST_BARE = 1e12;

const CONSTRAINTS = [
  ["usd", "usd", USD, "USD"],
  ["gpuHours", "gpu_hours", GPU_HOURS, "GPU-hours"],
  ["deadline", "deadline", HOURS, "hours on the wall"],
] as const;

/** What is to be spent, what was measured, and what may not be passed. */
export function nativeSpend({ reader, root, site }: NativeReads): SpendFacts {
  site(root, "", "compute", "compute", "FLOPs, GPUh or USD");
  const compute = computeOf(reader, root);
  const taken = reader.map(entryOf(root, "measured")?.value);
  site(taken, "measured", "measured", "gpu_hours", "GPU-hours");
  site(taken, "measured", "measured", "rollouts", "rollouts");
  const hours = reader.quantity(taken, "gpu_hours", { dimensions: [GPU_HOURS], above: 0, share: false });
  const rollouts = reader.quantity(taken, "rollouts", { atLeast: 1, whole: true, share: false });
  const alone = reader.entry(taken, "gpu_hours") === undefined ? rollouts?.node.span : undefined;
  if (alone)
    reader.report(
      alone,
      "budget.missing",
      "`measured.rollouts` says nothing without `measured.gpu_hours`, the hours that these rollouts took.",
      "warning",
    );
  const limits = reader.map(entryOf(root, "constraints")?.value);
  const constraints = CONSTRAINTS.flatMap(([name, key, dimension, unit]) => {
    site(limits, "constraints", "constraints", key, unit);
    const read = reader.quantity(limits, key, { dimensions: [dimension], above: 0, share: false });
    return read === undefined ? [] : [[name, read.value] as const];
  });
  return {
    ...(compute && {
      compute: {
        value: compute.value,
        unit: compute.dimension.flops === 1 ? "FLOPs" : compute.dimension.usd === 1 ? "USD" : "GPUh",
        span: compute.node.span,
      },
    }),
    ...(hours && {
      measured: { gpuHours: hours.value, rollouts: rollouts?.value ?? null, span: hours.node.span },
    }),
    ...(constraints.length > 0 && { constraints: Object.fromEntries(constraints) }),
  };
}

/** An amount without a unit is FLOPs, as far as it can be: no training takes fewer than `LEAST_BARE`. */
function computeOf(reader: Reader, root: MapNode): ReadQuantity | undefined {
  const read = reader.quantity(root, "compute", { dimensions: [FLOPS, GPU_HOURS, USD], above: 0, share: false });
  if (!read?.bare || read.value >= LEAST_BARE) return read;
  const { node, value } = read;
  reader.report(
    node.span,
    "config.expression",
    `${value} of what? An amount needs a unit: \`${value} GPUh\`, \`${value} USD\`, or FLOPs as in \`3e19 FLOPs\`.`,
  );
  return undefined;
}
