import type { AxisName } from "../../axes";
import type { Estimate } from "../../estimate";
import { instance, weightedMean } from "../../laws/instance";
import type { DrawnSynthesis, FittedLaw, LawInstance, MemberLaw } from "../../laws/law";
import { modelOf } from "../../laws/list";
import { predictive } from "../../laws/predictive";
import { ok, refused, type Result } from "../../result";
import { drawnDiscounts } from "../../synthesis/drawn";
import type { FitFile, FittedModel } from "./file";
import { unpackDraws } from "../../numerics/packed";
import { thin } from "../../numerics/quantiles";

/**
 * The law of a fit, ready for predictions and allocation. `setting` picks one of several settings; without it the reference.
 * Its draws include those of rival laws, in proportion to their weight, so that intervals carry the doubt about the law too.
 * Codes: `fit.unknown-law`, `fit.damaged`, `fit.draws-damaged`, `fit.unknown-setting`.
 */
export function openFit(fit: FitFile, setting?: string): Result<FittedLaw> {
  let body: FittedModel = fit;
  if (setting !== undefined && setting !== fit.reference) {
    const found = fit.settings.find((one) => one.setting === setting);
    if (!found?.model)
      return refused("fit.unknown-setting", `The fit has no law of its own for the setting "${setting}".`);
    body = found.model;
  }
  const made = modelOf(body, fit.response);
  if (!made.ok) return made;
  const model = made.value;
  if (body.theta.length !== model.parameters.length)
    return refused("fit.damaged", "The fit's parameters do not match its law.");
  const rows = unpackDraws(body.draws);
  if (!rows || (rows.length > 0 && body.draws.parameters.length < model.parameters.length))
    return refused("fit.draws-damaged", "The fit's draws cannot be read.");
  const logCentre = model.axes.map((axis) => Math.log(body.ranges[axis].centre));
  const { response } = fit;
  const own = rows.map((theta) => instance(model, theta, logCentre, response));
  const others: MemberLaw[] = [];
  for (const rival of body.rivals) {
    const other = modelOf({ ...body, law: rival.law, variant: rival.variant }, fit.response),
      thetas = unpackDraws(rival.draws);
    if (!other.ok) return other;
    if (!thetas || rival.draws.parameters.length < other.value.parameters.length)
      return refused("fit.draws-damaged", "The draws of a rival law cannot be read.");
    others.push({
      law: rival.law,
      variant: rival.variant,
      weight: rival.weight,
      point: instance(other.value, Float64Array.from(rival.theta ?? meanOf(thetas)), logCentre, response),
      draws: thetas.map((theta) => instance(other.value, theta, logCentre, response)),
    });
  }
  const left = body.weight ?? Math.max(0, 1 - body.rivals.reduce((sum, one) => sum + one.weight, 0));
  const shown: MemberLaw = {
    law: body.law,
    variant: body.variant,
    weight: left,
    point: instance(model, Float64Array.from(body.theta), logCentre, response),
    draws: own,
  };
  const members = [shown, ...others];
  const centre = model.axes.map((axis) => body.ranges[axis].centre);
  if (members.some(({ point }) => !isPlausible(point.error(centre), response)))
    return refused("fit.damaged", "The fit's law gives no error that can be at the centre of its own runs.");
  return ok({
    law: body.law,
    response,
    axes: model.axes,
    point: weightedMean(members),
    members,
    discrepancy: discrepancyOf(body, model.axes, response),
    draws: others.length === 0 ? own : mixed(members.map(({ weight, draws }) => share(draws, weight * own.length))),
    drawKind: body.draws.kind,
    ranges: body.ranges,
    // An exponent that is not shown (`unbounded`) still moves by the law and its draws.
    refused: body.refused.filter(({ code }) => code !== "unbounded"),
    priorOnly: model.axes.filter((axis) => fit.priorOnly.includes(axis)),
    synthesis: synthesisFor(fit, body, rows),
  });
}

/** A success rate is off 0–1 by little, even of a law that knows no bounds. */
function isPlausible(error: number, response: FittedLaw["response"]): boolean {
  return Number.isFinite(error) && (response !== "success" || Math.abs(error) < 10);
}

/** Discounts come from the draws that also gave their estimate: the first of the fit, reference first, that have the method. */
function synthesisFor(fit: FitFile, body: FittedModel, rows: readonly Float64Array[]): DrawnSynthesis[] {
  const bodies: readonly FittedModel[] = [fit, ...fit.settings.flatMap((one) => one.model ?? [])];
  return Object.entries(fit.synthesis).flatMap(([axis, methods]) =>
    Object.entries(methods).flatMap(([method, estimate]): DrawnSynthesis[] => {
      for (const one of bodies) {
        const draws = drawnDiscounts(
          axis,
          method,
          estimate,
          one.draws.parameters,
          one === body ? rows : () => unpackDraws(one.draws),
        );
        if (draws) return [{ axis, method, discount: estimate.discount.estimate ?? NaN, draws }];
      }
      return [];
    }),
  );
}

/** Where nothing else is known, laws are off by a point within their runs and by two at twice their ends or beyond. */
const FLOOR = { inside: 0.01, beyond: 0.02 } as const;

function discrepancyOf(
  { ranges, discrepancy }: FittedModel,
  axes: readonly AxisName[],
  response: FittedLaw["response"],
): NonNullable<FittedLaw["discrepancy"]> {
  const { inside, beyond } = discrepancy ?? (response === "success" ? FLOOR : { inside: 0, beyond: 0 });
  return (x) => {
    let factor = 1;
    axes.forEach((axis, i) => (factor = Math.max(factor, x[i] / ranges[axis].max, ranges[axis].min / x[i])));
    return inside + (beyond - inside) * Math.min(1, Math.log2(factor));
  };
}

/** As many of a law's draws as its weight asks for, evenly spread. */
function share(draws: readonly LawInstance[], count: number): readonly LawInstance[] {
  return thin(draws, Math.max(1, Math.round(count)));
}

function meanOf(rows: readonly Float64Array[]): Float64Array {
  return rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
}

/** Merges lists so that any first part of the result holds each in proportion. */
function mixed<Item>(lists: readonly (readonly Item[])[]): Item[] {
  return lists
    .flatMap((list, l) => list.map((item, i) => ({ item, at: (i + 0.5) / list.length + 1e-9 * l })))
    .sort((a, b) => a.at - b.at)
    .map((one) => one.item);
}

export interface Prediction {
  /** In the response's own unit: a success rate, or a loss. It may leave [0, 1]; then `outOfRange`. */
  readonly value: Estimate;
  /** Null where the fit is of a loss. */
  readonly successRate: Estimate | null;
  readonly loss: Estimate | null;
  /** Per axis: 1 inside the fitted range, else how many times beyond its nearer end. */
  readonly extrapolation: Readonly<Record<string, number>>;
  /** The estimate leaves [0, 1]. */
  readonly outOfRange: boolean;
  /** Refused axes that were asked for at another level than the runs'. */
  readonly held: readonly { readonly axis: AxisName; readonly level: number; readonly asked: number }[];
  /** Axes for which no level was given: taken at the runs' geometric mean. */
  readonly assumed: readonly AxisName[];
}

/** What the law says at these levels (raw units), with a 95 % interval from the draws. Levels that are not positive numbers count as not given. */
export function predict(law: FittedLaw, levels: Readonly<Partial<Record<AxisName, number>>>): Prediction {
  const given = (axis: AxisName): number | undefined => {
    const level = levels[axis];
    return level !== undefined && Number.isFinite(level) && level > 0 ? level : undefined;
  };
  const extrapolation: Record<string, number> = {};
  const assumed: AxisName[] = [];
  const steps = new Map(law.refused.map((one) => [one.axis, rayStep(one, given(one.axis))] as const));
  // On the runs' own line, axes that only ever moved together may move together.
  const onRay = ({ axis, with: others }: FittedLaw["refused"][number]): boolean => {
    const own = steps.get(axis);
    return (
      own != null &&
      (others ?? []).length > 0 &&
      others!.every((other) => steps.get(other) != null && Math.abs(steps.get(other)! - own) < 0.05)
    );
  };
  const held = law.refused.flatMap((one) => {
    const { axis, level } = one,
      asked = given(axis);
    return !onRay(one) && asked !== undefined && Math.abs(Math.log(asked / level)) > 0.01
      ? [{ axis, level, asked }]
      : [];
  });
  const x = law.axes.map((axis) => {
    const range = law.ranges[axis],
      stuck = law.refused.find((one) => one.axis === axis);
    const level = stuck && !onRay(stuck) ? stuck.level : given(axis);
    if (level === undefined) assumed.push(axis);
    return level ?? range.centre;
  });
  for (const axis of new Set([...law.axes, ...law.refused.map((one) => one.axis)])) {
    const range = law.ranges[axis],
      level = given(axis);
    if (!range) continue;
    extrapolation[axis] = level === undefined ? 1 : Math.max(level / range.max, range.min / level, 1);
  }
  const success = law.response === "success";
  const shown = (one: LawInstance): number => (success ? 1 - one.error(x) : one.error(x));
  const estimate = shown(law.point);
  const value = predictive(law, x, estimate, law.draws.map(shown));
  return {
    value,
    successRate: success ? value : null,
    loss: success ? null : value,
    extrapolation,
    outOfRange: success && !(estimate >= 0 && estimate <= 1),
    held,
    assumed,
  };
}

function rayStep({ level, ray }: FittedLaw["refused"][number], asked: number | undefined): number | null {
  return ray === undefined || asked === undefined ? null : Math.log(asked / level) / ray;
}
