/** A smooth convex function of a few variables. `evaluate` overwrites the gradient and the row-major Hessian. */
export interface Convex {
  readonly size: number;
  value(y: Float64Array): number;
  evaluate(y: Float64Array, gradient: Float64Array, hessian: Float64Array): number;
}

/** A sum of monomials Σ_t exp(logs_t + Σ_i exponents_{t,i}·y_i), flat for speed. */
export interface Monomials {
  readonly size: number;
  readonly count: number;
  readonly logs: Float64Array;
  /** count × size, row-major. */
  readonly exponents: Float64Array;
}

export function monomials(
  size: number,
  terms: readonly { readonly log: number; readonly exponents: ArrayLike<number> }[],
): Monomials {
  const kept = terms.filter((term) => term.log > -Infinity);
  const logs = new Float64Array(kept.length);
  const exponents = new Float64Array(kept.length * size);
  kept.forEach((term, t) => {
    logs[t] = term.log;
    for (let i = 0; i < size; i++) exponents[t * size + i] = term.exponents[i] ?? 0;
  });
  return { size, count: kept.length, logs, exponents };
}

function arguments_(sum: Monomials, y: Float64Array, into: Float64Array): number {
  let largest = -Infinity;
  for (let t = 0; t < sum.count; t++) {
    let argument = sum.logs[t];
    const row = t * sum.size;
    for (let i = 0; i < sum.size; i++) argument += sum.exponents[row + i] * y[i];
    into[t] = argument;
    if (argument > largest) largest = argument;
  }
  return largest;
}

/** ln Σ monomials − shift: convex in y whatever the exponents. */
export function logSum(sum: Monomials, shift = 0): Convex {
  const { size, count } = sum;
  const weights = new Float64Array(count);
  return {
    size,
    value(y) {
      const largest = arguments_(sum, y, weights);
      let total = 0;
      for (let t = 0; t < count; t++) total += Math.exp(weights[t] - largest);
      return largest + Math.log(total) - shift;
    },
    evaluate(y, gradient, hessian) {
      const largest = arguments_(sum, y, weights);
      let total = 0;
      gradient.fill(0);
      hessian.fill(0);
      for (let t = 0; t < count; t++) {
        const weight = Math.exp(weights[t] - largest);
        total += weight;
        const row = t * size;
        for (let i = 0; i < size; i++) {
          const scaled = weight * sum.exponents[row + i];
          gradient[i] = gradient[i] + scaled;
          for (let j = 0; j <= i; j++) hessian[i * size + j] = hessian[i * size + j] + scaled * sum.exponents[row + j];
        }
      }
      for (let i = 0; i < size; i++) gradient[i] = gradient[i] / total;
      for (let i = 0; i < size; i++) {
        for (let j = 0; j <= i; j++) {
          const entry = hessian[i * size + j] / total - gradient[i] * gradient[j];
          hessian[i * size + j] = entry;
          hessian[j * size + i] = entry;
        }
      }
      return largest + Math.log(total) - shift;
    },
  };
}

/** Σ monomials + Σ linear_i·y_i + constant: convex, where a logarithm would not be (kinks, epigraph variables). */
export function plainSum(sum: Monomials, linear: Float64Array | null, constant: number): Convex {
  const { size, count } = sum;
  const weights = new Float64Array(count);
  return {
    size,
    value(y) {
      arguments_(sum, y, weights);
      let total = constant;
      for (let t = 0; t < count; t++) total += Math.exp(weights[t]);
      if (linear) for (let i = 0; i < size; i++) total += linear[i] * y[i];
      return total;
    },
    evaluate(y, gradient, hessian) {
      arguments_(sum, y, weights);
      gradient.fill(0);
      hessian.fill(0);
      let total = constant;
      for (let t = 0; t < count; t++) {
        const weight = Math.exp(weights[t]);
        total += weight;
        const row = t * size;
        for (let i = 0; i < size; i++) {
          const scaled = weight * sum.exponents[row + i];
          gradient[i] = gradient[i] + scaled;
          for (let j = 0; j < size; j++)
            hessian[i * size + j] = hessian[i * size + j] + scaled * sum.exponents[row + j];
        }
      }
      if (linear) {
        for (let i = 0; i < size; i++) {
          total += linear[i] * y[i];
          gradient[i] = gradient[i] + linear[i];
        }
      }
      return total;
    },
  };
}

/** slope·(y − at) + ½(y − at)ᵀB(y − at): the model that a quasi-Newton step minimises. B is positive definite. */
export function quadratic(at: Float64Array, slope: Float64Array, curvature: Float64Array): Convex {
  const size = at.length;
  const value = (y: Float64Array): number => {
    let total = 0;
    for (let i = 0; i < size; i++) {
      const step = y[i] - at[i];
      let row = 0;
      for (let j = 0; j < size; j++) row += curvature[i * size + j] * (y[j] - at[j]);
      total += step * (slope[i] + row / 2);
    }
    return total;
  };
  return {
    size,
    value,
    evaluate(y, gradient, hessian) {
      hessian.set(curvature);
      for (let i = 0; i < size; i++) {
        let row = slope[i];
        for (let j = 0; j < size; j++) row += curvature[i * size + j] * (y[j] - at[j]);
        gradient[i] = row;
      }
      return value(y);
    },
  };
}
