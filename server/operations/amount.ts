import { readQuantity } from "../syntax/quantity/expression";
import { sameDimension, type Dimension } from "../syntax/quantity/units";
import type { Mode } from "../core/allocation";
import { refused, ok, type Result } from "../core/result";

const UNITS: readonly { readonly dimension: Dimension; readonly unit: "FLOPs" | "GPUh" | "USD" }[] = [
  { dimension: { flops: 1 }, unit: "FLOPs" },
  { dimension: { gpu: 1, hour: 1 }, unit: "GPUh" },
  { dimension: { usd: 1 }, unit: "USD" },
];

/** `$500`, `5 gpu-hours`, `60 GPU h`: what people write, as units. */
function written(text: string): string {
  return text
    .trim()
    .replace(/^(?:US)?\$\s*([\d.,_]+\s*[kKM]?)$/, "$1 USD")
    .replace(/\s*(?:US\s?)?(?:\$|dollars?)$/i, " USD")
    .replace(/\s*gpu[\s-]*(?:hours?|hrs?|h)$/i, " GPUh")
    .replace(/(?<=\d),(?=\d{3}\b)/g, "");
}

/** An amount of compute as typed: `3e19 FLOPs`, `60 GPU-hours`, `$150`. Codes: `amount.unreadable`, `amount.not-positive`. */
export function computeMode(text: string): Result<Extract<Mode, { kind: "budget" }>> {
  const read = readQuantity(written(text), [...UNITS.map(({ dimension }) => dimension), {}]);
  // A plain number is read for its own refusal, below.
  if (!read.ok) return refused("amount.unreadable", read.problem.message.replace(" or a plain number", ""));
  const { value, dimension } = read.quantity;
  const unit = UNITS.find((one) => sameDimension(one.dimension, dimension))?.unit;
  if (!unit) return refused("amount.unreadable", "An amount needs a unit: 3e19 FLOPs, 60 GPU-hours or $150.");
  if (!(value > 0)) return refused("amount.not-positive", "The amount must be above 0.");
  return ok({ kind: "budget", amount: value, unit });
}

/** An amount in one unit as typed, a plain number too: `20 kUSD`, `$2k`, `1,000`. Codes: as above. */
export function amountIn(text: string, unit: "GPUh" | "USD"): Result<number> {
  const wanted = UNITS.flatMap((one) => (one.unit === unit ? [one.dimension] : []));
  const read = readQuantity(written(text), [...wanted, {}]);
  if (!read.ok) return refused("amount.unreadable", read.problem.message);
  return read.quantity.value > 0 ? ok(read.quantity.value) : refused("amount.not-positive", "It must be above 0.");
}
