import type { AxisName } from "../axes";
import type { Posynomial } from "./law";

/** What a parameter does; it decides its prior, its name for people, and how it is turned into raw units. */
export type ParameterRole =
  /** E, the error that no amount of data removes. */
  | "floor"
  /** Success that remains with no data at all, as a share of what data can reach. */
  | "start"
  /** Success that no amount of data exceeds, 1 − E. */
  | "ceiling"
  /** ln of a coefficient at the centre of the data. */
  | "log-coefficient"
  /** α of an axis. */
  | "exponent"
  /** Exponent of a control variable (reward density): may have either sign. */
  | "control"
  /** Anything else; used as it is. */
  | "shape"
  /** ln of something positive; shown as exp of it. */
  | "log-shape";

export interface Parameter {
  /** Unique in its model, such as `alpha_tasks`; the name people see. */
  readonly name: string;
  readonly role: ParameterRole;
  /** The axis it belongs to, where it belongs to one. */
  readonly axis?: AxisName;
  readonly low: number;
  readonly high: number;
  /** Normal prior in θ's own coordinate for few runs, where the role has none of its own. */
  readonly prior?: { readonly mean: number; readonly sd: number };
}

/** What a law must know of the data: successes live in [0, 1], losses anywhere above 0; some laws need raw levels. */
export interface LawContext {
  readonly response: "success" | "loss";
  /** Largest error that the data show (1 for successes). */
  readonly top: number;
  readonly ranges: Readonly<Record<string, { readonly min: number; readonly max: number; readonly centre: number }>>;
}

/**
 * A law without its numbers. Internal parameters θ are centred: u_i = ln(x_i / centre_i), coefficients as logs at u = 0.
 * Raw units make A and α correlate at 1.00; these do not.
 */
export interface Model {
  /** Family, such as `interaction`. */
  readonly law: string;
  /** Which member of the family, such as `environments leads`; null where the family has one. */
  readonly variant: string | null;
  readonly axes: readonly AxisName[];
  readonly parameters: readonly Parameter[];
  /** Made for certain rows: fewer of them cannot be evaluated. */
  readonly bound?: boolean;
  /**
   * e for m rows, with derivatives where arrays are given.
   * `u`: axes × m, one axis after the other. `jacobian`: parameters × m. `byLevel`: ∂e/∂u, axes × m.
   */
  evaluate(
    theta: ArrayLike<number>,
    u: Float64Array,
    m: number,
    e: Float64Array,
    jacobian: Float64Array | null,
    byLevel?: Float64Array | null,
  ): void;
  /** Error that remains at infinite levels. */
  floor(theta: ArrayLike<number>): number | null;
  /** In centred levels u, or null where the law is none. */
  posynomial(theta: ArrayLike<number>): Posynomial | null;
  /** A posynomial, in centred levels, that the error rises with, where the law is none itself (`LawInstance.increasingIn`). */
  increasingIn?(theta: ArrayLike<number>): Posynomial | null;
  /**
   * Variable projection: for trial exponents the law is nearly linear in its coefficients. `bases` gives those columns;
   * `assemble` turns the non-negative coefficients [floor, …] back into θ. Null: the model brings its own starts.
   */
  readonly projection: {
    /** How many exponents the grid runs over. */
    readonly exponents: number;
    /** Fills columns (count × m) for trial exponents and returns their count; the floor's column of ones is not among them. */
    bases(exponents: ArrayLike<number>, u: Float64Array, m: number, columns: Float64Array): number;
    readonly maximumColumns: number;
    assemble(exponents: ArrayLike<number>, coefficients: ArrayLike<number>): number[];
  } | null;
  /** Starts of a law that has no projection, from the data's error range. */
  starts?(u: Float64Array, m: number, y: Float64Array, count: number, next: () => number): number[][];
  /** θ → the number shown under each parameter's name, in raw units. */
  natural(theta: ArrayLike<number>, logCentre: ArrayLike<number>): number[];
}

/** A family of laws: one file, one line in `list.ts`. Schemas, completion, `--law` and reports read what they say of it here. */
export interface LawFamily {
  readonly name: string;
  /** As a formula, for people. */
  readonly form: string;
  /** What it says, in one short sentence. */
  readonly note: string;
  /** Never a candidate of `auto`. */
  readonly byNameOnly?: boolean;
  /** Its members over these axes; empty where it does not apply (a sigmoid needs exactly one axis). */
  members(axes: readonly AxisName[], context: LawContext): Model[];
  /** Its members once some axes have no effect, where those are not `members` over the rest. Names of parameters stay. */
  reduced?(axes: readonly AxisName[], context: LawContext): Model[];
  /** Share of belief beforehand beside other families over so many axes; its members divide it. Default 1. */
  share?(axes: number): number;
}

/** Bounds of model.md section 3. */
export const EXPONENT_BOUNDS = { low: 0.02, high: 1.5 } as const;

export function exponent(axis: AxisName): Parameter {
  return { name: `alpha_${axis}`, role: "exponent", axis, ...EXPONENT_BOUNDS };
}

/** E ∈ [0, 1) for successes: observed rates never bound it. */
export function floorParameter(context: LawContext): Parameter {
  return { name: "E", role: "floor", low: 0, high: context.response === "success" ? 0.999 : context.top };
}

export function logCoefficient(name: string, context: LawContext, axis?: AxisName): Parameter {
  const base = Math.log(context.top);
  return { name, role: "log-coefficient", low: base - 12, high: base + 2.5, ...(axis === undefined ? {} : { axis }) };
}
