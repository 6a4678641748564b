// Writes the sample run logs. Every run is SIMULATED from the law stated below, by a seeded generator: no real training
// run is behind them, and each run.json says so. Run it again and the bytes are the same.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sample = join(dirname(dirname(fileURLToPath(import.meta.url))), "samples", "appworld");

/** 1 − success = floor + scale · tasks^−a · environments^−b · trajectories^−c. */
const LAW = { floor: 0.06, scale: 8.5, exponents: { tasks: 0.25, environments: 0.32, trajectories: 0.12 } };
/** Standard deviation of a run's true success rate around the law: training-seed noise. */
const RUN_NOISE = 0.02;
const EVALUATION_TASKS = 600;
const EVALUATIONS = 12;

/** mulberry32: small, seeded, the same on every machine. */
function generator(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const binomial = (n, p) => {
    let k = 0;
    for (let i = 0; i < n; i++) if (uniform() < p) k++;
    return k;
  };
  return { uniform, normal, binomial };
}

function successRate(law, { tasks, environments, trajectories }) {
  const { exponents: a } = law;
  return (
    1 - law.floor - law.scale * tasks ** -a.tasks * environments ** -a.environments * trajectories ** -a.trajectories
  );
}

/** Synthetic environments count 0.6 of a real one up to five per real one, and take 0.4 away for each beyond. */
const SYNTHESIS = { discount: 0.6, criticalRatio: 5, harm: 0.4 };

function effective(real, synthetic) {
  const ratio = synthetic / real;
  return (
    real *
    (1 +
      SYNTHESIS.discount * Math.min(ratio, SYNTHESIS.criticalRatio) -
      SYNTHESIS.harm * Math.max(0, ratio - SYNTHESIS.criticalRatio))
  );
}

function describe(law) {
  const { exponents: a } = law;
  return `1 - success = ${law.floor} + ${law.scale} * tasks^-${a.tasks} * environments^-${a.environments} * trajectories^-${a.trajectories}`;
}

/** One run folder: run.json and metrics.jsonl. */
function writeRun(folder, { law, axes, setting, seed, random, synthesis }) {
  mkdirSync(folder, { recursive: true });
  const counted = synthesis ? { ...axes, environments: effective(synthesis.real, synthesis.synthetic) } : axes;
  const final = Math.min(0.995, Math.max(0.005, successRate(law, counted) + RUN_NOISE * random.normal()));
  const steps = Math.max(60, Math.round((axes.tasks * axes.trajectories) / 1024));
  const start = 0.25 * final;
  const run = {
    simulated: {
      law: describe(law),
      note: "Simulated by scripts/simulate.mjs; no training run is behind these numbers.",
      run_noise: RUN_NOISE,
      ...(synthesis
        ? {
            synthesis: `a synthetic environment counts ${SYNTHESIS.discount} up to ${SYNTHESIS.criticalRatio} per real one and costs ${SYNTHESIS.harm} beyond`,
          }
        : {}),
    },
    axes: { ...axes, parameters: setting.parameters },
    model: setting.model,
    algorithm: setting.algorithm,
    domain: "tool-use",
    seed,
    reward_scheme: "terminal",
    tokens_per_trajectory: 32000,
    evaluation: { tasks: EVALUATION_TASKS },
    ...(synthesis ? { synthesis: { environments: { method: "genenv", ...synthesis } } } : {}),
  };
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run, null, 2)}\n`);
  let text = "";
  for (let i = 1; i <= EVALUATIONS; i++) {
    const step = Math.round((steps * i) / EVALUATIONS);
    const rate = start + (final - start) * (1 - Math.exp((-7 * i) / EVALUATIONS));
    text += `${JSON.stringify({ step, successes: random.binomial(EVALUATION_TASKS, rate), trials: EVALUATION_TASKS })}\n`;
  }
  writeFileSync(join(folder, "metrics.jsonl"), text);
}

function grid(levels) {
  return levels.tasks.flatMap((tasks) =>
    levels.environments.flatMap((environments) =>
      levels.trajectories.map((trajectories) => ({ tasks, environments, trajectories })),
    ),
  );
}

const label = ({ tasks, environments, trajectories }) => `t${tasks}-e${environments}-r${trajectories}`;

/** The main grid: 48 runs of one setting, and six repeats with a second seed. */
function mainRuns() {
  const random = generator(20260101);
  const setting = { model: "Qwen3-8B", algorithm: "grpo", parameters: 8e9 };
  const all = grid({ tasks: [500, 1250, 3200, 8000], environments: [6, 15, 38, 96], trajectories: [4, 12, 36] });
  all.forEach((axes) => writeRun(join(sample, "runs", label(axes)), { law: LAW, axes, setting, seed: 1, random }));
  for (const i of [4, 13, 19, 28, 34, 43])
    writeRun(join(sample, "runs", `${label(all[i])}-seed2`), { law: LAW, axes: all[i], setting, seed: 2, random });
}

/** Two more settings with laws of their own, for the comparison of exponents across settings. */
function settingRuns() {
  const settings = [
    {
      model: "Qwen3-4B",
      algorithm: "grpo",
      parameters: 4e9,
      law: { floor: 0.09, scale: 8.9, exponents: { tasks: 0.24, environments: 0.3, trajectories: 0.12 } },
    },
    {
      model: "Qwen3-14B",
      algorithm: "ppo",
      parameters: 14e9,
      law: { floor: 0.05, scale: 8.3, exponents: { tasks: 0.26, environments: 0.33, trajectories: 0.11 } },
    },
  ];
  settings.forEach((setting, i) => {
    const random = generator(20260201 + i);
    for (const axes of grid({ tasks: [500, 2000, 8000], environments: [6, 24, 96], trajectories: [4, 12, 36] })) {
      writeRun(join(sample, "settings", `${setting.model}-${setting.algorithm}`, label(axes)), {
        law: setting.law,
        axes,
        setting,
        seed: 1,
        random,
      });
    }
  });
}

/** Runs at several synthetic-to-real ratios of the environments. */
function synthesisRuns() {
  const random = generator(20260301);
  const setting = { model: "Qwen3-8B", algorithm: "grpo", parameters: 8e9 };
  for (const real of [5, 10, 20]) {
    for (const ratio of [0.6, 1, 2, 3, 4, 5, 6, 7, 8, 10]) {
      const synthetic = Math.round(real * ratio);
      const axes = { tasks: 3200, environments: real + synthetic, trajectories: 12 };
      writeRun(join(sample, "synthesis", `real${real}-synthetic${synthetic}`), {
        law: LAW,
        axes,
        setting,
        seed: 1,
        random,
        synthesis: { real, synthetic },
      });
    }
  }
}

for (const folder of ["runs", "settings", "synthesis"]) rmSync(join(sample, folder), { recursive: true, force: true });
mainRuns();
settingRuns();
synthesisRuns();
