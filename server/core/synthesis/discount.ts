import type { AxisName } from "../axes";
import type { Model } from "../laws/model";
import { warped } from "../laws/forms/warped";
import { bounded, shapeParameters, SHAPES, type ShapeName } from "./shapes";

/** One generator on one axis, with the runs that used it. */
export interface Method {
  readonly axis: AxisName;
  readonly method: string;
  /** Position of the run and its synthetic : real ratio. */
  readonly uses: readonly { readonly row: number; readonly ratio: number }[];
}

/**
 * The law over effective data: on each axis D_real·g(r), every method with its own shape. Bound to the rows it was made for.
 * Parameters are the law's, then each method's in order.
 */
export function discounted(base: Model, rows: number, methods: readonly Method[], shapes: readonly ShapeName[]): Model {
  let model = base;
  for (const axis of new Set(methods.map((one) => one.axis))) {
    const own = methods.flatMap((one, i) => (one.axis === axis ? [{ ...one, shape: SHAPES[shapes[i]] }] : []));
    const offsets: number[] = [];
    const parameters = own.flatMap(({ shape, method, uses }) => {
      const made = shapeParameters(shape, axis, method, Math.max(...uses.map((use) => use.ratio)));
      offsets.push((offsets.at(-1) ?? 0) + made.length);
      return made;
    });
    const from = own.map((_, i) => (i === 0 ? 0 : offsets[i - 1]));
    const slopes = new Float64Array(3);
    model = warped(model, base.law, base.variant, {
      axis: base.axes.indexOf(axis),
      parameters,
      apply(extra, u, m, out, byU, byExtra) {
        for (let i = 0; i < m; i++) {
          out[i] = u[i];
          byU[i] = 1;
        }
        byExtra?.fill(0, 0, parameters.length * m);
        // Another number of rows than it was made for is a prediction, and predictions are in effective units.
        if (m !== rows) return;
        own.forEach(({ shape, uses }, j) => {
          for (const { row, ratio } of uses) {
            const g = bounded(shape, extra, from[j], ratio, byExtra ? slopes : null);
            out[row] = u[row] + Math.log(g);
            if (byExtra) for (let k = 0; k < shape.count; k++) byExtra[(from[j] + k) * m + row] = slopes[k] / g;
          }
        });
      },
      trial: () => parameters.map((one) => one.prior!.mean),
      natural: (extra) => parameters.map((one, i) => (one.role === "log-shape" ? Math.exp(extra[i]) : extra[i])),
    });
  }
  return { ...model, bound: true };
}
