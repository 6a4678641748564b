// One solve against its limit, its certificate, and scipy's SLSQP from the same problems in the same run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/setup.mjs";

const fixtures = join(root, "test", "fixtures", "allocation");
const entry = `
  export { allocate } from "./server/core/allocation";
  export { posynomialCost } from "./server/core/cost";
  export { goalOf } from "./server/core/allocation/solve/compile";
  export { prepare, freeLogs } from "./server/core/allocation/problem/prepare";
  export { solveAt } from "./server/core/allocation/solve/solve";
`;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function instance(axes, floor, terms) {
  const value = (term, x) =>
    Math.exp(term.logCoefficient + term.exponents.reduce((sum, exponent, i) => sum + exponent * Math.log(x[i]), 0));
  return {
    axes,
    error: (x) => floor + terms.reduce((sum, term) => sum + value(term, x), 0),
    gradient: (x) => axes.map((_, i) => terms.reduce((sum, term) => sum + term.exponents[i] * value(term, x), 0)),
    posynomial: () => ({ floor, terms }),
  };
}

/** A recorded problem as an allocation problem; `draws` spread its exponents, for the timing of intervals. */
function problemOf(engine, recorded, draws = 0) {
  const { axes, floor, terms } = recorded;
  const spread = (b) =>
    terms.map((term) => ({
      logCoefficient: term.logCoefficient,
      exponents: term.exponents.map((exponent, i) => exponent * (1 + 0.1 * Math.sin(b * (i + 1)))),
    }));
  return {
    law: {
      law: "recorded",
      response: "success",
      axes,
      point: instance(axes, floor, terms),
      drawKind: "posterior",
      refused: [],
      priorOnly: [],
      draws: Array.from({ length: draws }, (_, b) => instance(axes, floor, spread(b))),
      ranges: Object.fromEntries(axes.map((axis) => [axis, { min: 1, max: 1e4, centre: 30 }])),
    },
    cost: engine.posynomialCost(
      recorded.cost.map((term, i) => ({
        id: `term ${i}`,
        label: `term ${i}`,
        axis: null,
        part: "all",
        coefficient: term.coefficient,
        owned: term.owned,
        exponents: Object.fromEntries(axes.map((axis, a) => [axis, term.exponents[a]])),
      })),
    ),
    current: Object.fromEntries(axes.map((axis, a) => [axis, Math.sqrt(recorded.low[a] * recorded.high[a])])),
    limits: Object.fromEntries(axes.map((axis, a) => [axis, [recorded.low[a], recorded.high[a]]])),
    mode: { kind: "budget", amount: recorded.budget },
  };
}

/** Median seconds of one SLSQP start on this machine, or why it was not measured. */
function slsqpSeconds() {
  for (const python of ["/usr/bin/python3", "python3"]) {
    const run = spawnSync(python, [join(fixtures, "slsqp.py"), "--time", "40"], { encoding: "utf8" });
    if (run.status === 0) return { seconds: JSON.parse(run.stdout).median };
  }
  return { reason: "needs Debian's python3-scipy" };
}

export default async function bench() {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-bench-"));
  try {
    const outfile = join(folder, "engine.cjs");
    await build({
      stdin: { contents: entry, resolveDir: root, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile,
      logLevel: "error",
    });
    const engine = createRequire(import.meta.url)(outfile);
    const { problems } = JSON.parse(readFileSync(join(fixtures, "slsqp.json"), "utf8"));

    const single = [];
    let worst = -Infinity;
    let gap = 0;
    for (let round = 0; round < 3; round++) {
      for (const recorded of problems) {
        const problem = problemOf(engine, recorded);
        const prepared = engine.prepare(problem).value;
        const goal = engine.goalOf(problem.law.point);
        const from = engine.freeLogs(prepared, prepared.base, {});
        const began = performance.now();
        const point = engine.solveAt(prepared, goal, { kind: "budget", budget: recorded.budget }, {}, from);
        const took = performance.now() - began;
        // The first round warms the machine up.
        if (round === 0) continue;
        single.push(took);
        gap = Math.max(gap, point.value.gap);
        worst = Math.max(worst, point.value.error / recorded.slsqp.error - 1);
      }
    }

    const whole = [];
    for (const recorded of problems.slice(0, 60)) {
      const problem = { ...problemOf(engine, recorded, 1000), options: { sensitivity: false, robustDraws: 0 } };
      const began = performance.now();
      engine.allocate(problem);
      whole.push(performance.now() - began);
    }

    const ours = median(single);
    const peer = slsqpSeconds();
    return [
      { name: "allocation: one solve, median of 200 problems", value: ours, unit: "ms", limit: { max: 5 } },
      {
        name: "allocation: one solve against one SLSQP start",
        value: ours,
        unit: "ms",
        limit: { max: 1 },
        ...(peer.seconds === undefined
          ? { skipped: peer.reason }
          : { peer: `scipy SLSQP ${(1000 * peer.seconds).toFixed(2)} ms`, ratio: ours / (1000 * peer.seconds) }),
      },
      { name: "allocation: largest duality gap of ln e", value: gap, unit: "", limit: { max: 1e-8 } },
      {
        name: "allocation: worst error over SLSQP's best of 20 starts",
        value: worst,
        unit: "relative",
        limit: { max: 1e-8 },
      },
      {
        name: "allocation: six starts and every interval from 1,000 draws, median",
        value: median(whole),
        unit: "ms",
        limit: { max: 60 },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
