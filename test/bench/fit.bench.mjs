// Speed of the statistical engine, in CPU time of one core, beside scipy (where python3-scipy is installed) on the same work.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** CPU seconds of this process. */
function cpu(work) {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { value, seconds: (user + system) / 1e6 };
}

async function engine() {
  const folder = mkdtempSync(join(tmpdir(), "fit-bench-"));
  try {
    const outfile = join(folder, "engine.mjs");
    await build({
      entryPoints: [join(here, "fit.entry.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** 100 simulated runs over four axes, multiplicative truth, 2 points of run noise, 600 tasks. */
function hundredRuns(random) {
  const stream = random(42);
  const pick = (levels) => levels[stream.below(levels.length)];
  return Array.from({ length: 100 }, (_, i) => {
    const axes = {
      tasks: pick([100, 400, 1600, 6400]),
      environments: pick([4, 16, 64, 256]),
      trajectories: pick([2, 4, 8, 16]),
      parameters: pick([4e9, 8e9, 14e9, 32e9]),
    };
    const error =
      0.06 +
      0.2 *
        (axes.tasks / 800) ** -0.25 *
        (axes.environments / 32) ** -0.315 *
        (axes.trajectories / 5.7) ** -0.12 *
        (axes.parameters / 1e10) ** -0.24;
    const rate = Math.min(1, Math.max(0, 1 - error + 0.02 * stream.normal()));
    return {
      id: `${i}`,
      axes,
      outcome: { kind: "counts", successes: stream.binomial(600, rate), trials: 600 },
      setting: "",
      files: [],
      simulated: true,
    };
  });
}

function chinchilla() {
  const file = new URL("../../../shared/data/chinchilla-figure4.csv", import.meta.url);
  if (!existsSync(file)) return null;
  return readFileSync(file, "utf8")
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(",").map(Number))
    .sort((a, b) => b[2] - a[2])
    .slice(5)
    .map(([N, C, L]) => ({ N, D: C / (6 * N), L }));
}

export default async function () {
  const { fitTable, solver, huber, binomial, observe, rangesOf, lawFamily, random } = await engine();
  const rows = [];
  const points = chinchilla();
  const scipy = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const request = {};
  let ours = null;
  if (points) {
    // The grid of starts of Hoffmann et al. (2022), a hundred of its 4,500 points.
    const stream = random(7),
      pick = (levels) => levels[stream.below(levels.length)];
    const starts = Array.from({ length: 100 }, () => [
      pick([-1, -0.5, 0, 0.5, 1]),
      pick([0, 5, 10, 15, 20, 25]),
      pick([0, 5, 10, 15, 20, 25]),
      pick([0, 0.5, 1, 1.5, 2]),
      pick([0, 0.5, 1, 1.5, 2]),
    ]);
    request.chinchilla = {
      lnN: points.map(({ N }) => Math.log(N)),
      lnD: points.map(({ D }) => Math.log(D)),
      lnL: points.map(({ L }) => Math.log(L)),
      starts,
    };
    const runs = points.map(({ N, D, L }, i) => ({
      y: L,
      n: 1,
      setting: "",
      row: {
        id: `${i}`,
        axes: { parameters: N, tokens: D },
        outcome: { kind: "loss", loss: L },
        setting: "",
        files: [],
      },
    }));
    const axes = ["parameters", "tokens"],
      ranges = rangesOf(runs, axes),
      seen = observe(runs, axes, ranges);
    const [model] = lawFamily("additive").members(axes, { response: "loss", top: Math.max(...seen.y), ranges });
    const solve = solver(model, seen),
      ones = new Float64Array(seen.m).fill(1),
      loss = huber(1e-3, "log");
    const centre = axes.map((axis) => Math.log(ranges[axis].centre));
    const theta = starts.map(([e, a, b, alpha, beta]) => [
      Math.exp(e),
      a - alpha * centre[0],
      b - beta * centre[1],
      alpha,
      beta,
    ]);
    const pass = () =>
      cpu(() => theta.map((start) => solve.solve(start, ones, loss, { maxIterations: 500 }).objective));
    // Compiled code settles in the first passes; scipy's is compiled already.
    const passes = Array.from({ length: 6 }, pass).slice(2);
    ours = { seconds: Math.min(...passes.map((one) => one.seconds)), objectives: passes[0].value };
  }

  const table = { rows: hundredRuns(random), notes: [] };
  fitTable(table, { law: "multiplicative", bootstrap: 100 });
  for (const law of ["multiplicative", "additive", "interaction", "nested", "auto"]) {
    const { value, seconds } = cpu(() => fitTable(table, { law, bootstrap: 1000 }));
    rows.push({
      name: `fit of 100 runs × 4 axes × 1,000 refits, ${law === "auto" ? "all laws compared" : law}`,
      value: value.ok ? seconds : NaN,
      unit: "s CPU",
      ...(law === "multiplicative" ? { limit: { max: 2 } } : {}),
    });
  }

  const runs = table.rows.map((row) => ({
    y: 1 - row.outcome.successes / row.outcome.trials,
    n: row.outcome.trials,
    setting: "",
    row,
  }));
  const axes = ["tasks", "environments", "trajectories", "parameters"],
    ranges = rangesOf(runs, axes),
    seen = observe(runs, axes, ranges);
  const [model] = lawFamily("multiplicative").members(axes, { response: "success", top: 1, ranges });
  const solve = solver(model, seen),
    ones = new Float64Array(100).fill(1);
  const estimate = solve.solve([0.1, -1.5, 0.3, 0.3, 0.3, 0.3], ones, binomial).theta;
  const stream = random(3);
  const weights = Array.from({ length: 1000 }, () => {
    const weight = new Float64Array(100);
    for (let i = 0; i < 100; i++) weight[stream.below(100)] += 1;
    return weight;
  });
  const refits = cpu(() =>
    weights.map((weight) => solve.solve(estimate, weight, binomial, { tolerance: 1e-8 }).objective),
  );
  request.refits = {
    u: axes.map((_, a) => Array.from(seen.u.subarray(a * 100, (a + 1) * 100))),
    y: Array.from(seen.y),
    n: Array.from(seen.n),
    start: Array.from(estimate),
    weights: weights.map((weight) => Array.from(weight)),
  };

  let peer = null,
    why = points ? "" : "the reference data are absent";
  try {
    // Without the data the peer still does the refits: an empty list of starts.
    const input = JSON.stringify(
      points ? request : { ...request, chinchilla: { lnN: [], lnD: [], lnL: [], starts: [] } },
    );
    peer = JSON.parse(
      execFileSync(scipy, [join(here, "fit.bench.py")], {
        input,
        maxBuffer: 1 << 28,
        stdio: ["pipe", "pipe", "ignore"],
        env: { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
      }).toString(),
    );
  } catch {
    why ||= "python3-scipy is not installed";
  }

  if (ours && peer) {
    const best = Math.min(...ours.objectives, ...peer.chinchilla.objectives, ...peer.chinchillaGradient.objectives);
    const share = (objectives) => objectives.filter((one) => one <= best * 1.0001).length / objectives.length;
    const expected = ({ seconds, objectives }) => (1000 * seconds) / objectives.length / share(objectives);
    const name = "Chinchilla: expected time to the best optimum (time a start ÷ share that reaches it)";
    const told = (one) =>
      `same 100 starts: ${expected(one).toFixed(0)} ms (share ${share(one.objectives).toFixed(2)}; ours ${share(ours.objectives).toFixed(2)})`;
    rows.push({
      name,
      value: expected(ours),
      unit: "ms CPU",
      peer: `scipy BFGS, ${told(peer.chinchilla)}`,
      ratio: expected(ours) / expected(peer.chinchilla),
      limit: { max: 1 / 40 },
    });
    rows.push({
      name: `${name}, peer given the gradient`,
      value: expected(ours),
      unit: "ms CPU",
      peer: `scipy BFGS with analytic gradient, ${told(peer.chinchillaGradient)}`,
      ratio: expected(ours) / expected(peer.chinchillaGradient),
    });
    rows.push({
      name: "Chinchilla: best objective",
      value: Math.min(...ours.objectives),
      unit: "(sum of Huber)",
      peer: `scipy BFGS: ${Math.min(...peer.chinchilla.objectives).toPrecision(9)}`,
      ratio: Math.min(...ours.objectives) / Math.min(...peer.chinchilla.objectives),
      limit: { max: 1 + 1e-6 },
    });
  } else rows.push({ name: "Chinchilla: expected time to the best optimum", value: NaN, unit: "ms CPU", skipped: why });
  if (peer) {
    rows.push({
      name: "1,000 bootstrap refits (100 runs, 4 axes, multiplicative)",
      value: refits.seconds,
      unit: "s CPU",
      peer: `scipy L-BFGS-B, analytic gradient: ${peer.refits.seconds.toFixed(2)} s`,
      ratio: refits.seconds / peer.refits.seconds,
      limit: { max: 0.5 },
    });
    rows.push({
      name: "refits: worst objective against scipy's, relative",
      value: Math.max(...refits.value.map((one, i) => one / peer.refits.objectives[i] - 1)),
      unit: "",
      limit: { max: 1e-6 },
    });
  } else rows.push({ name: "1,000 bootstrap refits", value: refits.seconds, unit: "s CPU", limit: { max: 2 } });
  return rows;
}
