/** Dense linear algebra for a handful of unknowns. Matrices are row-major, n × n, and are overwritten. */

/** Least pivot of a scaled system; below it a direction counts as flat. */
const RIDGE = 1e-15;

/**
 * Solves A·x = b for a symmetric positive definite A by Cholesky, scaled to a unit diagonal first: near an optimum the
 * barrier makes some diagonal entries 10²⁰ times others. A pivot that is not positive is lifted, so that a nearly singular
 * Newton system still gives a descent direction.
 */
export function solveSymmetric(matrix: Float64Array, right: Float64Array, size: number): void {
  const scale = new Float64Array(size);
  for (let i = 0; i < size; i++) scale[i] = 1 / Math.sqrt(Math.max(matrix[i * size + i], 1e-300));
  for (let i = 0; i < size; i++) {
    right[i] *= scale[i];
    for (let j = 0; j < size; j++) matrix[i * size + j] *= scale[i] * scale[j];
  }
  for (let j = 0; j < size; j++) {
    let pivot = matrix[j * size + j];
    for (let k = 0; k < j; k++) pivot -= matrix[j * size + k] ** 2;
    const root = Math.sqrt(pivot > RIDGE ? pivot : RIDGE);
    matrix[j * size + j] = root;
    for (let i = j + 1; i < size; i++) {
      let sum = matrix[i * size + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k] * matrix[j * size + k];
      matrix[i * size + j] = sum / root;
    }
  }
  for (let i = 0; i < size; i++) {
    let sum = right[i];
    for (let k = 0; k < i; k++) sum -= matrix[i * size + k] * right[k];
    right[i] = sum / matrix[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = right[i];
    for (let k = i + 1; k < size; k++) sum -= matrix[k * size + i] * right[k];
    right[i] = sum / matrix[i * size + i];
  }
  for (let i = 0; i < size; i++) right[i] *= scale[i];
}

/** Solves A·x = b by Gaussian elimination with row scaling and partial pivoting. Null where A is singular to working precision. */
export function solveGeneral(matrix: Float64Array, right: Float64Array, size: number): Float64Array | null {
  for (let i = 0; i < size; i++) {
    let scale = 0;
    for (let j = 0; j < size; j++) scale = Math.max(scale, Math.abs(matrix[i * size + j]));
    if (!(scale > 0) || !Number.isFinite(scale)) return null;
    for (let j = 0; j < size; j++) matrix[i * size + j] = matrix[i * size + j] / scale;
    right[i] = right[i] / scale;
  }
  for (let column = 0; column < size; column++) {
    let best = column;
    for (let i = column + 1; i < size; i++) {
      if (Math.abs(matrix[i * size + column]) > Math.abs(matrix[best * size + column])) best = i;
    }
    if (Math.abs(matrix[best * size + column]) < 1e-13) return null;
    if (best !== column) {
      for (let j = 0; j < size; j++) {
        const held = matrix[column * size + j];
        matrix[column * size + j] = matrix[best * size + j];
        matrix[best * size + j] = held;
      }
      const held = right[column];
      right[column] = right[best];
      right[best] = held;
    }
    for (let i = column + 1; i < size; i++) {
      const factor = matrix[i * size + column] / matrix[column * size + column];
      if (factor === 0) continue;
      for (let j = column; j < size; j++)
        matrix[i * size + j] = matrix[i * size + j] - factor * matrix[column * size + j];
      right[i] = right[i] - factor * right[column];
    }
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = right[i];
    for (let j = i + 1; j < size; j++) sum -= matrix[i * size + j] * right[j];
    right[i] = sum / matrix[i * size + i];
  }
  return right;
}
