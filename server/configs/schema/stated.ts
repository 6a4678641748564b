import type { Estimate } from "../../core/estimate";
import { entryOf } from "../../syntax/nodes";
import type { MapNode } from "../../syntax/tree";
import type { QuantityRules, Reader } from "./reader";

/** A number that people state with what they know of it: `0.5`, `[0.4, 0.6]` (95 %) or `[0.4, 0.55, 0.6]` with the estimate between. */
function statedEstimate(
  reader: Reader,
  map: MapNode | undefined,
  key: string,
  rules: QuantityRules,
): Estimate | undefined {
  const node = map && entryOf(map, key)?.value;
  if (node?.kind !== "list") {
    const read = reader.quantity(map, key, rules);
    return read && { estimate: read.value, low: read.value, high: read.value };
  }
  const values = node.items.flatMap((item) => reader.quantityOf(item, rules)?.value ?? []);
  if (values.length !== node.items.length) return undefined;
  const [low, high] = [values[0], values[values.length - 1]];
  const estimate = values.length === 3 ? values[1] : (low + high) / 2;
  if ((values.length === 2 || values.length === 3) && low <= estimate && estimate <= high)
    return { estimate, low, high };
  reader.report(
    node.span,
    "budget.value",
    `\`${key}\` is one number, its 95 % interval \`[low, high]\`, or \`[low, estimate, high]\`, in rising order.`,
    "error",
  );
  return undefined;
}

/** κ and r* where people state them; without an interval both ends are the estimate. */
export interface StatedWorth {
  readonly discount?: Estimate;
  readonly criticalRatio?: Estimate;
}

/** What a plan says of the worth of its synthetic data. */
export function statedWorth(reader: Reader, plan: MapNode): StatedWorth {
  const discount = statedEstimate(reader, plan, "discount", { atLeast: 0 });
  const criticalRatio = statedEstimate(reader, plan, "critical_ratio", { above: 0 });
  return { ...(discount && { discount }), ...(criticalRatio && { criticalRatio }) };
}
