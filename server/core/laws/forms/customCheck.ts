import { random } from "../../numerics/random";
import { ok, refused, type Result } from "../../result";
import { NOT_FINITE } from "./custom";
import type { Model } from "../model";

/** Points of the parameters' box at which the law is tried: enough that a region of a fiftieth of it is missed once in a hundred times. */
const TRIALS = 256;
/** Of those, points at which each parameter is moved by itself. */
const MOVES = 32;
/** Changes below this share of the value are rounding. */
const ROUNDING = 1e-12;

/**
 * Whether a custom law can say anything of these runs: a number at every run, and something of every parameter. `names` label
 * the runs; `u` as in `Model.evaluate`. Codes: `law.custom-not-finite`, `law.custom-no-effect`.
 */
export function checkCustom(model: Model, u: Float64Array, m: number, names: readonly string[]): Result<true> {
  const stream = random(1),
    p = model.parameters.length;
  const point = (): Float64Array =>
    Float64Array.from(model.parameters, ({ low, high }) => low + (high - low) * stream.next());
  const e = new Float64Array(m),
    moved = new Float64Array(m);
  const seen = new Uint8Array(m),
    works = new Uint8Array(p);
  for (let trial = 0; trial < TRIALS; trial++) {
    const theta = point();
    model.evaluate(theta, u, m, e, null);
    for (let i = 0; i < m; i++) if (e[i] !== NOT_FINITE) seen[i] = 1;
    if (trial >= MOVES && works.every((one) => one === 1) && seen.every((one) => one === 1)) break;
    // A parameter that did nothing so far is tried at every point.
    for (let j = 0; j < p; j++) {
      if (works[j] === 1) continue;
      const other = Float64Array.from(theta),
        { low, high } = model.parameters[j];
      other[j] = low + (high - low) * stream.next();
      model.evaluate(other, u, m, moved, null);
      for (let i = 0; i < m; i++)
        if (Math.abs(moved[i] - e[i]) > ROUNDING * Math.max(Math.abs(e[i]), Math.abs(moved[i]))) works[j] = 1;
    }
  }
  const lost = names.filter((_, i) => seen[i] === 0);
  if (lost.length === m)
    return refused(
      "law.custom-not-finite",
      "The expression gives a finite number for no run, whatever its parameters are: it divides by zero, or takes a logarithm or a power of what has none.",
    );
  if (lost.length > 0)
    return refused(
      "law.custom-not-finite",
      `The expression gives no finite number for ${lost.length === 1 ? "1 run" : `${lost.length} runs`} (${lost.slice(0, 3).join(", ")}${lost.length > 3 ? ", …" : ""}), whatever its parameters are: it divides by zero there, or takes a logarithm or a power of what has none.`,
    );
  const idle = model.parameters.filter((_, j) => works[j] === 0).map(({ name }) => name);
  if (idle.length > 0)
    return refused(
      "law.custom-no-effect",
      `The ${idle.length === 1 ? "parameter" : "parameters"} ${idle.join(", ")} ${idle.length === 1 ? "changes" : "change"} nothing: the expression is the same at every run for every value within the bounds (a factor of zero, for example), so that no run can tell ${idle.length === 1 ? "it" : "them"}.`,
    );
  return ok(true);
}

/**
 * Whether the best fit is one. Where it lies outside 0 to 1 at every run the likelihood saw nothing but its own limits. Codes:
 * `law.custom-not-finite`, `law.custom-out-of-range`.
 */
export function checkCustomFit(
  e: ArrayLike<number>,
  response: "success" | "loss",
  names: readonly string[],
): Result<true> {
  const values = Array.from(e),
    lost = names.filter((_, i) => values[i] === NOT_FINITE);
  if (lost.length > 0)
    return refused(
      "law.custom-not-finite",
      `At the best fit the expression gives no finite number for ${lost.length === 1 ? "1 run" : `${lost.length} runs`} (${lost.slice(0, 3).join(", ")}${lost.length > 3 ? ", …" : ""}).`,
    );
  const outside =
    response === "success" ? values.every((value) => !(value > 0 && value < 1)) : values.every((value) => !(value > 0));
  return outside
    ? refused(
        "law.custom-out-of-range",
        response === "success"
          ? "At the best fit the expression lies outside 0 to 1 for every run: it should give the error, 1 − success rate."
          : "At the best fit the expression is not above 0 for any run: it should give the loss.",
      )
    : ok(true);
}
