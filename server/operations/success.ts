import { ok, refused, type Result } from "../core/result";

/** A success rate as typed: `0.42`, `42` and `42 %` are the same. Code: `calibrate.rate`. */
export function readSuccess(text: string): Result<number> {
  const found = /^\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(%?)\s*$/.exec(text);
  const value = found ? Number(found[1].replace(",", ".")) : NaN;
  const rate = found?.[2] === "%" || value > 1 ? value / 100 : value;
  return rate > 0 && rate < 1
    ? ok(rate)
    : refused("calibrate.rate", `"${text}" is no success rate between 0 and 100 %: 0.42, 42 and 42 % are the same one`);
}
