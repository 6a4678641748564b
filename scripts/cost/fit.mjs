/**
 * Fits the coefficients of the cost model to a record of runs: posterior mode of ln(predicted / observed) with Student-t
 * errors (4 degrees), over seconds per step and, where a row tells them, the phases; priors from data sheets and the literature.
 */
import { completeness, observed } from "./record.mjs";

/** Median and spread before any row is seen: of ln for factors, of the value for exponents. */
export const PRIORS = {
  decodeSeconds: [0.02, 0.5],
  bandwidthShare: [0.5, 0.35],
  passRate: [220, 0.5],
  updateRate: [160, 0.5],
  gpuExponent: [0.5, 0.15],
  sizeExponent: [0.25, 0.1],
  tokenExponent: [0.15, 0.08],
  mixtureGeneration: [1, 0.5],
  mixtureTraining: [2.5, 0.5],
  loraGeneration: [1.5, 0.5],
  loraTraining: [1.2, 0.4],
  turnsGeneration: [1.3, 0.5],
  turnsTraining: [1.3, 0.5],
  visionTraining: [1.2, 0.4],
  async: [0.8, 0.3],
  stepSeconds: [8, 0.7],
  stepSecondsPerBillion: [0.05, 0.8],
  meanOfCap: [0.3, 0.4],
  capExponent: [0.45, 0.15],
  thinking: [1.6, 0.25],
  meanOfCapTurns: [0.25, 0.5],
};
const EXPONENTS = new Set(["gpuExponent", "sizeExponent", "tokenExponent", "capExponent"]);
const NAMES = Object.keys(PRIORS);

const toValue = (name, x) => (EXPONENTS.has(name) ? x : Math.exp(x));
const fromValue = (name, value) => (EXPONENTS.has(name) ? value : Math.log(value));
export const valuesOf = (theta) => Object.fromEntries(NAMES.map((name, i) => [name, toValue(name, theta[i])]));

/** Scale of the errors of a phase against that of the whole step: one phase is less certain, and less asked for. */
const SCALES = { mean: 0.5, cap: 0.75, partial: 0.9 };
const PHASE = 1.5;

/** What is known of each row: shape, and ln of what was observed. Rows of one source share its weight. */
export function cases(module, rows, shape) {
  const counts = new Map();
  const found = rows.flatMap((row) => {
    const read = shape(row);
    if (!read.ok) return [];
    const seen = observed(row);
    if (seen.seconds === null) return [];
    counts.set(row.source_name, (counts.get(row.source_name) ?? 0) + 1);
    return [{ row, shape: read.shape, seen, kind: completeness(row) }];
  });
  return found.map((one) => ({ ...one, weight: counts.get(one.row.source_name) ** -0.4 }));
}

/** Residuals ln(predicted / observed) of a case, each with its scale. */
function residualsOf(module, one, k) {
  const s = module.stepSeconds(one.shape, k);
  const scale = SCALES[one.kind];
  const list = [[Math.log(s.step / one.seen.seconds), scale]];
  if (one.shape.layout === "colocated") {
    const add = (predicted, seen) => seen && predicted > 0 && list.push([Math.log(predicted / seen), scale * PHASE]);
    add(s.generation, one.seen.generation);
    add(s.update, one.shape.critic ? null : one.seen.update);
    add(s.passes, one.shape.critic ? null : one.seen.passes);
  }
  return list;
}

export function fit(module, list) {
  const NU = 4;
  const prior = NAMES.map((name) => [fromValue(name, PRIORS[name][0]), PRIORS[name][1]]);
  let theta = prior.map(([mean]) => mean);
  const all = (at) =>
    list.flatMap((one) => residualsOf(module, one, valuesOf(at)).map(([r, scale]) => [r / scale, one.weight]));
  const objective = (at) =>
    all(at).reduce((sum, [r, w]) => sum + w * 0.5 * (NU + 1) * Math.log(1 + (r * r) / NU), 0) +
    at.reduce((sum, x, i) => sum + 0.5 * ((x - prior[i][0]) / prior[i][1]) ** 2, 0);
  let lambda = 0.1;
  let now = objective(theta);
  let hessian = [];
  for (let round = 0; round < 60; round++) {
    const base = all(theta);
    const columns = theta.map((x, i) => {
      const step = 1e-4;
      const moved = all(theta.map((y, j) => (j === i ? y + step : y)));
      return moved.map(([r], row) => (r - base[row][0]) / step);
    });
    const weights = base.map(([r, w]) => (w * (NU + 1)) / (NU + r * r));
    hessian = theta.map((_, i) =>
      theta.map(
        (__, j) =>
          columns[i].reduce((sum, c, row) => sum + weights[row] * c * columns[j][row], 0) +
          (i === j ? prior[i][1] ** -2 : 0),
      ),
    );
    const gradient = theta.map(
      (x, i) =>
        columns[i].reduce((sum, c, row) => sum + weights[row] * c * base[row][0], 0) +
        (x - prior[i][0]) / prior[i][1] ** 2,
    );
    let better = false;
    for (let attempt = 0; attempt < 12 && !better; attempt++) {
      const damped = hessian.map((line, i) => line.map((h, j) => (i === j ? h * (1 + lambda) : h)));
      const step = solve(damped, gradient);
      const next = theta.map((x, i) => x - step[i]);
      const value = objective(next);
      if (value < now) {
        better = now - value > 1e-7;
        theta = next;
        now = value;
        lambda = Math.max(1e-6, lambda / 5);
        break;
      }
      lambda *= 5;
    }
    if (!better) break;
  }
  return { theta, values: valuesOf(theta), cholesky: cholesky(inverse(hessian)), objective: now };
}

function solve(matrix, vector) {
  const n = vector.length;
  const a = matrix.map((row, i) => [...row, vector[i]]);
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(a[r][i]) > Math.abs(a[pivot][i])) pivot = r;
    [a[i], a[pivot]] = [a[pivot], a[i]];
    for (let r = i + 1; r < n; r++) {
      const f = a[r][i] / a[i][i];
      for (let c = i; c <= n; c++) a[r][c] -= f * a[i][c];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = a[i][n];
    for (let c = i + 1; c < n; c++) x[i] -= a[i][c] * x[c];
    x[i] /= a[i][i];
  }
  return x;
}

function inverse(matrix) {
  const columns = matrix.map((_, i) =>
    solve(
      matrix,
      matrix.map((__, j) => (j === i ? 1 : 0)),
    ),
  );
  return matrix.map((_, i) => columns.map((column) => column[i]));
}

function cholesky(matrix) {
  const l = matrix.map((row) => row.map(() => 0));
  matrix.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      const sum = row[j] - l[i].reduce((total, entry, c) => (c < j ? total + entry * l[j][c] : total), 0);
      l[i][j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / l[j][j];
    }
  });
  return l.map((row, i) => row.slice(0, i + 1));
}

const DEGREES = 4;
const CLASSES = ["dense", "mixture", "lora", "multi-turn"];

/** What `runCost` takes, from a fit and the spread that is left of each class. */
export function fitted(result, residual, list) {
  return {
    values: result.values,
    names: NAMES,
    linear: NAMES.filter((name) => EXPONENTS.has(name)),
    cholesky: result.cholesky,
    residual,
    degrees: DEGREES,
    rows: list.length,
    sources: new Set(list.map(({ row }) => row.source_name)).size,
  };
}

/** Each source predicted by a fit to the others: ln(predicted ÷ observed) and what the model itself is unsure of. */
export function leaveSourcesOut(module, list) {
  const none = Object.fromEntries(CLASSES.map((name) => [name, 0]));
  const found = [];
  const fits = new Map();
  for (const source of new Set(list.map(({ row }) => row.source_name))) {
    const others = list.filter(({ row }) => row.source_name !== source);
    const result = fit(module, others);
    fits.set(source, { result, others });
    for (const one of list.filter(({ row }) => row.source_name === source)) {
      const { secondsPerStep } = module.runCost(one.shape, { coefficients: fitted(result, none, others) });
      found.push({
        ...one,
        error: Math.log(secondsPerStep.estimate / one.seen.seconds),
        unsure: Math.log(secondsPerStep.high / secondsPerStep.low) / 2 / 1.2816,
        kind: one.kind,
        class: module.runClass(one.shape),
      });
    }
  }
  return { errors: found, fits };
}

/** Scale of a Student residual by class, beside what the model is unsure of; classes of few runs lean on all of them. */
export function residualOf(errors) {
  const likelihood = (list, scale) =>
    list.reduce((sum, { error, unsure, weight }) => {
      const s = Math.hypot(scale, unsure);
      return sum - weight * (Math.log(s) + ((DEGREES + 1) / 2) * Math.log(1 + (error / s) ** 2 / DEGREES));
    }, 0);
  const best = (list, prior) => {
    let top = [-Infinity, 0.5];
    for (let scale = 0.1; scale <= 1.2; scale += 0.005) {
      const value = likelihood(list, scale) - (prior ? 0.5 * (Math.log(scale / prior) / 0.25) ** 2 : 0);
      if (value > top[0]) top = [value, scale];
    }
    return top[1];
  };
  const told = errors.filter(({ kind }) => kind !== "partial");
  const all = best(told, null);
  const scales = Object.fromEntries(
    CLASSES.map((name) => [
      name,
      best(
        told.filter((one) => one.class === name),
        all,
      ),
    ]),
  );
  const widened = widening(told, scales);
  for (const name of CLASSES) scales[name] *= widened;
  // A class whose intervals then still hold too few of its own runs is widened by itself.
  return Object.fromEntries(
    CLASSES.map((name) => {
      const own = told.filter((one) => one.class === name);
      return [name, scales[name] * Math.max(1, Math.min(MOST_WIDENED, widening(own, scales)))];
    }),
  );
}

/** Share of left-out runs that an 80 % interval is to hold: a little more, for the record is small. */
const COVERED = 0.83;
/** Some runs are broken: intervals that held them too would tell nothing of the others. */
const MOST_WIDENED = 1.12;
/** Half of a central 80 %: Student's with 4 degrees, and normal. */
const HALVES = [1.533, 1.2816];

/** How much wider the scales must be for intervals to hold what they say. */
function widening(errors, scales) {
  for (let factor = 0.9; factor < 1.6; factor += 0.01) {
    const held = errors.filter(
      ({ error, unsure, class: name }) =>
        Math.abs(error) <= Math.hypot(HALVES[0] * factor * scales[name], HALVES[1] * unsure),
    );
    const share =
      held.reduce((sum, { weight }) => sum + weight, 0) / errors.reduce((sum, { weight }) => sum + weight, 0);
    if (share >= COVERED) return factor;
  }
  return 1.6;
}
