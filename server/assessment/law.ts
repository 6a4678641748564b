import { type FitFile, openFit } from "../core/fit/index";
import type { AxisName } from "../core/axes";
import { neverVaried, withUnvaried } from "../core/allocation";
import type { TableNote } from "../core/table";
import type { FitState, LoadedFit } from "./types";
import type { FittedLaw } from "../core/laws/law";

/** A fit made ready for use. */
export function loadedFit(file: FitFile, name: string, id: string, notes: readonly TableNote[] = []): FitState {
  const opened = openFit(file);
  if (!opened.ok)
    return { kind: "failed", code: opened.problem.code, reason: `${name}: ${opened.problem.message}`, notes };
  const fit: LoadedFit = {
    id,
    name,
    file,
    law: opened.value,
    notes,
    runs: file.rows,
    simulated: file.simulated,
    prior: file.provenance.kind === "published-recipe",
  };
  return { kind: "ready", fit };
}

/** Laws by setting are opened once a fit. */
const opened = new WeakMap<FitFile, Map<string, FittedLaw>>();

/** Whether two settings may be the same: one states no more than the other, and nothing that contradicts it. */
function compatible(one: string, other: string): boolean {
  const [a, b] = [one, other].map((setting) => setting.split(" · ").filter((part) => part !== ""));
  return a.every((part) => b.includes(part)) || b.every((part) => a.includes(part));
}

/**
 * The law for a setting, and whether it is the setting's own. A setting that states less (or more) than a fitted one is taken for it,
 * where there is only one such; else the reference's law holds, and is borrowed.
 */
export function lawFor(
  fit: LoadedFit,
  setting: string,
): { readonly law: FittedLaw; readonly setting: string; readonly own: boolean } {
  const reference = fit.file.reference;
  const fitted = fit.file.settings.length === 0 ? [reference] : fit.file.settings.map((one) => one.setting);
  const fits = fitted.includes(setting) ? [setting] : fitted.filter((one) => compatible(one, setting));
  const own = fits.length === 1;
  const chosen = own ? fits[0] : reference;
  if (chosen === reference) return { law: fit.law, setting: reference, own };
  let laws = opened.get(fit.file);
  if (!laws) opened.set(fit.file, (laws = new Map()));
  let law = laws.get(chosen);
  if (!law) {
    const made = openFit(fit.file, chosen);
    if (!made.ok) return { law: fit.law, setting: reference, own: false };
    laws.set(chosen, (law = made.value));
  }
  return { law, setting: chosen, own: true };
}

const extended = new WeakMap<FittedLaw, Map<string, FittedLaw>>();

/** A law with the axes that never varied and whose amount is stated; made once for the same axes. */
export function withStatedUnvaried(law: FittedLaw, stated: readonly AxisName[]): FittedLaw {
  const axes = neverVaried(law)
    .map(({ axis }) => axis)
    .filter((axis) => stated.includes(axis));
  if (axes.length === 0) return law;
  let made = extended.get(law);
  if (!made) extended.set(law, (made = new Map()));
  const key = axes.join(" ");
  let found = made.get(key);
  if (!found) made.set(key, (found = withUnvaried(law, axes)));
  return found;
}
