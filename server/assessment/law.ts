import { type FitFile, openFit } from "../core/fit/index";
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

/** The law for a setting, and whether it is the setting's own. Without a fit of its own, the reference's holds. */
export function lawFor(
  fit: LoadedFit,
  setting: string,
): { readonly law: FittedLaw; readonly setting: string; readonly own: boolean } {
  const reference = fit.file.reference;
  if (setting === reference || fit.file.settings.length <= 1)
    return { law: fit.law, setting: reference, own: setting === reference };
  let laws = opened.get(fit.file);
  if (!laws) opened.set(fit.file, (laws = new Map()));
  let law = laws.get(setting);
  if (!law) {
    const made = openFit(fit.file, setting);
    if (!made.ok) return { law: fit.law, setting: reference, own: false };
    laws.set(setting, (law = made.value));
  }
  return { law, setting, own: true };
}
