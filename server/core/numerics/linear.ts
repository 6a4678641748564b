/** Small dense linear algebra for a dozen unknowns at most; matrices are row-major Float64Arrays of n × n. */

/** Solves (A + diag) x = b for symmetric positive A by Cholesky, in place of `work`; false when not positive definite. */
export function solveSymmetric(
  a: Float64Array,
  n: number,
  stride: number,
  b: Float64Array,
  x: Float64Array,
  work: Float64Array,
): boolean {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * stride + j];
      for (let k = 0; k < j; k++) sum -= work[i * n + k] * work[j * n + k];
      if (i === j) {
        if (!(sum > 0)) return false;
        work[i * n + i] = Math.sqrt(sum);
      } else work[i * n + j] = sum / work[j * n + j];
    }
  }
  for (let i = 0; i < n; i++) {
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= work[i * n + k] * x[k];
    x[i] = sum / work[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i];
    for (let k = i + 1; k < n; k++) sum -= work[k * n + i] * x[k];
    x[i] = sum / work[i * n + i];
  }
  return true;
}

/** Lower Cholesky factor of a symmetric matrix, or null when it is not positive definite. */
export function cholesky(a: readonly (readonly number[])[]): number[][] | null {
  const n = a.length;
  const l = a.map(() => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i][j];
      for (let k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i === j) {
        if (!(sum > 0)) return null;
        l[i][i] = Math.sqrt(sum);
      } else l[i][j] = sum / l[j][j];
    }
  }
  return l;
}

/** Inverse of a symmetric positive definite matrix, or null. */
export function invert(a: readonly (readonly number[])[]): number[][] | null {
  const l = cholesky(a);
  if (!l) return null;
  const n = a.length;
  const inverse = a.map(() => new Array<number>(n).fill(0));
  for (let c = 0; c < n; c++) {
    const z = new Array<number>(n).fill(0);
    for (let i = 0; i < n; i++) {
      let sum = i === c ? 1 : 0;
      for (let k = 0; k < i; k++) sum -= l[i][k] * z[k];
      z[i] = sum / l[i][i];
    }
    for (let i = n - 1; i >= 0; i--) {
      let sum = z[i];
      for (let k = i + 1; k < n; k++) sum -= l[k][i] * inverse[k][c];
      inverse[i][c] = sum / l[i][i];
    }
  }
  return inverse;
}

/**
 * Non-negative least squares from the normal equations G x = b (Lawson and Hanson's active set).
 * Returns x and the part of the residual sum of squares that depends on it: xᵀGx − 2xᵀb.
 */
export function nonNegative(g: Float64Array, b: Float64Array, n: number): { x: Float64Array; value: number } {
  const x = new Float64Array(n),
    inside = new Array<boolean>(n).fill(false);
  const sub = new Float64Array(n * n),
    rhs = new Float64Array(n),
    sol = new Float64Array(n),
    work = new Float64Array(n * n);
  for (let round = 0; round < 3 * n; round++) {
    let best = -1,
      bestGradient = 1e-10;
    for (let i = 0; i < n; i++) {
      if (inside[i]) continue;
      let gradient = b[i];
      for (let j = 0; j < n; j++) gradient -= g[i * n + j] * x[j];
      const scaled = gradient / Math.sqrt(g[i * n + i] || 1);
      if (scaled > bestGradient) [best, bestGradient] = [i, scaled];
    }
    if (best < 0) break;
    inside[best] = true;
    for (let inner = 0; inner < n + 1; inner++) {
      const set: number[] = [];
      for (let i = 0; i < n; i++) if (inside[i]) set.push(i);
      const s = set.length;
      for (let i = 0; i < s; i++) {
        rhs[i] = b[set[i]];
        for (let j = 0; j < s; j++) sub[i * s + j] = g[set[i] * n + set[j]];
        sub[i * s + i] *= 1 + 1e-10;
      }
      if (!solveSymmetric(sub, s, s, rhs, sol, work)) {
        inside[best] = false;
        break;
      }
      let step = 1;
      for (let i = 0; i < s; i++) if (sol[i] <= 0) step = Math.min(step, x[set[i]] / (x[set[i]] - sol[i]));
      for (let i = 0; i < s; i++) x[set[i]] += step * (sol[i] - x[set[i]]);
      if (step >= 1) break;
      for (const i of set) if (x[i] <= 1e-14) [x[i], inside[i]] = [0, false];
    }
  }
  let value = 0;
  for (let i = 0; i < n; i++) {
    let gx = 0;
    for (let j = 0; j < n; j++) gx += g[i * n + j] * x[j];
    value += x[i] * (gx - 2 * b[i]);
  }
  return { x, value };
}
