import type { CostModel } from "../cost";
import type { Goal } from "./solve/compile";
import type { Prepared } from "./problem/prepare";
import { solveAt } from "./solve/solve";
import type { Solved, Target } from "./solve/solve";
import type { Levels, Sensitivity } from "./problem/types";

/** Relative step of the central differences; the solves are exact enough for errors of its square. */
const STEP = 1e-3;

/**
 * How the optimum moves with each price and each exponent, by solving again a little above and below. An exponent turns
 * about the centre of the fitted range, where the data hold the law.
 */
export function sensitivities(
  prepared: Prepared,
  goal: Goal,
  solved: Solved,
  target: Target,
  points: number,
): Sensitivity[] {
  if (prepared.free.length === 0 || (solved.certificate.kind === "local" && goal.posynomial === null)) return [];
  const found: Sensitivity[] = [];
  const add = (
    parameter: string,
    kind: Sensitivity["kind"],
    at: (factor: number) => { prepared: Prepared; goal: Goal },
  ): void => {
    const ends = [1 + STEP, 1 - STEP].map((factor) => {
      const changed = at(factor);
      return solveAt(changed.prepared, changed.goal, target, solved.ratios, solved.z);
    });
    const [up, down] = ends;
    if (!up?.ok || !down?.ok) return;
    const width = Math.log((1 + STEP) / (1 - STEP));
    const levels: Levels = Object.fromEntries(
      prepared.free.map((axis, i) => [axis, (up.value.z[i] - down.value.z[i]) / width]),
    );
    found.push({ parameter, kind, levels, points: (points * (down.value.error - up.value.error)) / width / 100 });
  };
  for (const term of prepared.cost.terms) {
    if (term.part === "synthetic" && term.axis !== null && !((solved.ratios[term.axis] ?? 0) > 0)) continue;
    add(`price of ${term.label}`, "price", (factor) => ({
      prepared: { ...prepared, cost: repriced(prepared.cost, term.id, factor) },
      goal,
    }));
  }
  const { posynomial } = goal;
  if (posynomial && goal.exact) {
    const { law } = prepared.problem;
    law.axes.forEach((axis, a) => {
      if (!posynomial.terms.some((term) => term.exponents[a] !== 0)) return;
      const centre = Math.log(law.ranges[axis]?.centre ?? 1);
      add(`exponent of ${axis}`, "exponent", (factor) => ({
        prepared,
        goal: {
          ...goal,
          posynomial: {
            floor: posynomial.floor,
            terms: posynomial.terms.map((term) => ({
              logCoefficient: term.logCoefficient - (factor - 1) * term.exponents[a] * centre,
              exponents: term.exponents.map((exponent, i) => (i === a ? exponent * factor : exponent)),
            })),
          },
        },
      }));
    });
  }
  return found;
}

function repriced(cost: CostModel, id: string, factor: number): CostModel {
  return {
    ...cost,
    terms: cost.terms.map((term) => (term.id === id ? { ...term, coefficient: term.coefficient * factor } : term)),
  };
}
