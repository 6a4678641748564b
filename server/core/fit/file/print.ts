import type { FitFile } from "./file";

/** What `fit --json` prints: the contract's fields of the fit file, and nothing of the rest. */
export type PrintedFit = Pick<
  FitFile,
  | "law"
  | "link"
  | "rows"
  | "settings"
  | "parameters"
  | "exponents"
  | "floor"
  | "objective"
  | "starts"
  | "selection"
  | "ordering"
  | "synthesis"
  | "warnings"
  | "provenance"
  | "dispersion"
> & { readonly draws: { readonly kind: "bootstrap" | "posterior"; readonly count: number } };

export function printedFit(fit: FitFile): PrintedFit {
  const {
    law,
    link,
    rows,
    parameters,
    exponents,
    floor,
    objective,
    starts,
    selection,
    ordering,
    synthesis,
    warnings,
    provenance,
    dispersion,
    draws,
  } = fit;
  return {
    law,
    link,
    rows,
    settings: fit.settings.map(({ model: _, ...shown }) => shown),
    parameters,
    exponents,
    floor,
    objective,
    starts,
    selection,
    ordering,
    synthesis,
    warnings,
    provenance,
    dispersion,
    draws: { kind: draws.kind, count: draws.count },
  };
}
