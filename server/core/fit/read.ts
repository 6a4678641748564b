import { ok, refused, type Result } from "../result";
import { FIT_FORMAT, FIT_VERSION, type FitFile } from "./file";
import { openFit } from "./open";

/** Reads a `*.fit.json` that may come from anywhere. Codes: `fit.not-a-fit`, `fit.version`, `fit.damaged` and those of `openFit`. */
export function readFit(json: unknown): Result<FitFile> {
  const fit = json as Partial<FitFile> | null;
  if (typeof fit !== "object" || fit === null || fit.format !== FIT_FORMAT) return refused("fit.not-a-fit", "This is not a Scaling Lens fit.");
  if (fit.version !== FIT_VERSION) return refused("fit.version", "The fit was written by another version.");
  const opened = openFit(fit as FitFile);
  return opened.ok ? ok(fit as FitFile) : opened;
}
