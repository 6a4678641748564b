import type { AxisName } from "../axes";
import { ok, refused, type Result } from "../result";
import { additive } from "./additive";
import { broken } from "./broken";
import { customModel, type CustomLaw } from "./forms/custom";
import { interaction } from "./interaction";
import type { LawFamily, Model, LawContext } from "./model";
import { logistic } from "./logistic";
import { logit } from "./logit";
import { multiplicative } from "./multiplicative";
import { nested } from "./nested";
import { power } from "./power";
import { saturating } from "./saturating";
import { sigmoid } from "./sigmoid";
import { singleAxis } from "./single";

/** Every law that can be chosen by name or by `auto`. A new law is a new file and a line here. */
export const LAWS: readonly LawFamily[] = [
  singleAxis,
  additive,
  multiplicative,
  interaction,
  nested,
  power,
  saturating,
  sigmoid,
  logistic,
  logit,
  broken,
];

/** What may be asked for as a law: `auto`, each by its name, and one's own formula. */
export const LAW_NAMES: readonly string[] = [...new Set(["auto", ...LAWS.map(({ name }) => name), "custom"])];

export function lawFamily(name: string): LawFamily | undefined {
  return LAWS.find((law) => law.name === name);
}

/** The model that a fit file names. Codes: `fit.unknown-law` and those of a custom law. */
export function modelOf(
  fit: {
    readonly law: string;
    readonly variant: string | null;
    readonly axes: readonly AxisName[];
    readonly scaleTop: number;
    readonly ranges: LawContext["ranges"];
    readonly custom?: CustomLaw;
  },
  response: LawContext["response"],
): Result<Model> {
  const context: LawContext = { response, top: fit.scaleTop, ranges: fit.ranges };
  if (fit.law === "custom") return customModel(fit.custom, fit.axes, context);
  const found = lawFamily(fit.law)
    ?.members(fit.axes, context)
    .find((member) => member.variant === fit.variant);
  return found ? ok(found) : refused("fit.unknown-law", `No law is known as "${fit.law}" over ${fit.axes.join(", ")}.`);
}
