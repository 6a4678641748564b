import type { AxisName } from "../axes";
import { ok, refused, type Result } from "../result";
import { additive } from "./additive";
import { interaction } from "./interaction";
import type { LawFamily, Model, ResponseScale } from "./model";
import { multiplicative } from "./multiplicative";
import { nested } from "./nested";
import { singleAxis } from "./single";

/** Every law that can be chosen by name or by `auto`. A new law is a new file and a line here. */
export const LAWS: readonly LawFamily[] = [
  singleAxis,
  additive,
  multiplicative,
  interaction,
  nested,
];

export function lawFamily(name: string): LawFamily | undefined {
  return LAWS.find((law) => law.name === name);
}

/** The model that a fit file names. Codes: `fit.unknown-law`. */
export function modelOf(
  fit: { readonly law: string; readonly variant: string | null; readonly axes: readonly AxisName[]; readonly scaleTop: number },
  response: ResponseScale["response"],
): Result<Model> {
  const members = lawFamily(fit.law)?.members(fit.axes, { response, top: fit.scaleTop }) ?? [];
  const found = members.find((member) => member.variant === fit.variant);
  return found ? ok(found) : refused("fit.unknown-law", `No law is known as "${fit.law}" over ${fit.axes.join(", ")}.`);
}
