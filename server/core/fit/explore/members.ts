import type { AxisName } from "../../axes";
import { customModel } from "../../laws/forms/custom";
import { checkCustom } from "../../laws/forms/customCheck";
import { LAWS, lawFamily } from "../../laws/list";
import type { LawContext, Model } from "../../laws/model";
import { ok, refused, type Problem, type Result } from "../../result";
import type { Observed } from "../../solve/likelihood";
import type { Run } from "../../solve/run";
import type { Plan } from "./plan";

/** The laws that a plan tries over these axes. Codes: `law.unknown`, `law.not-applicable` and those of a custom law. */
export function membersOf(
  plan: Plan,
  axes: readonly AxisName[],
  context: LawContext,
  { u, m }: Observed,
  runs: readonly Run[],
  warnings: Problem[],
): Result<Model[]> {
  const written = (): Result<Model> => {
    const custom = customModel(plan.custom, axes, context);
    const sound = custom.ok
      ? checkCustom(
          custom.value,
          u,
          m,
          runs.map(({ row }) => row.id),
        )
      : custom;
    return sound.ok ? custom : sound;
  };
  if (plan.law === "custom") {
    const custom = written();
    return custom.ok ? ok([custom.value]) : custom;
  }
  if (plan.law === "auto") {
    const all = LAWS.flatMap((family) => (family.byNameOnly ? [] : family.members(axes, context)));
    const custom = plan.custom ? written() : null;
    // Beside other laws a written one that cannot be used is left out, not silently.
    if (custom && !custom.ok) warnings.push(custom.problem);
    return ok(custom?.ok ? [...all, custom.value] : all);
  }
  const family = lawFamily(plan.law);
  if (!family)
    return refused(
      "law.unknown",
      `No law is known as "${plan.law}"; known are ${LAWS.map((one) => one.name).join(", ")} and custom.`,
    );
  const members = family.members(axes, context);
  if (members.length > 0) return ok(members);
  // With one axis left, additive and multiplicative laws are the single-axis law.
  const single = axes.length === 1 ? lawFamily("single-axis")!.members(axes, context) : [];
  return single.length > 0 && ["additive", "multiplicative", "interaction", "nested"].includes(plan.law)
    ? ok(single)
    : refused("law.not-applicable", `The ${plan.law} law does not apply to the axes ${axes.join(", ")}.`);
}
