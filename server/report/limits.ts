import { VERDICT } from "../assessment/verdict";
import type { Allocation } from "../core/allocation";
import { axisWord } from "../core/axes";
import { count, decimal, list } from "../core/numbers";

/** Less than this share of a budget left over is none. */
const LEFT = 0.01;

/** `48, 3× beyond the fitted runs`: where an axis stops, and by what. */
export function stop({ bound, value }: Allocation["corners"][number]): string {
  return `${count(value)}, ${bound === "trust" ? `${VERDICT.trust}× beyond the fitted runs` : `by its ${bound} limit`}`;
}

/** The same on the command line, where an option goes further. */
export function stopAndFurther(corner: Allocation["corners"][number]): string {
  return corner.bound === "trust" ? `${stop(corner)}: --bold goes further` : stop(corner);
}

/** Each of several budgets: what the split uses of it, what the present one does, and what 10 % more would gain. */
export function limitLines({ constraints, corners }: Allocation): string[] {
  const lines = constraints.map(({ name, amount, used, now, unit, binding, relaxed }) => {
    const state = binding
      ? `used up; 10 % more gains ${relaxed === null ? "an unknown amount" : `${decimal(relaxed, 2)} points`}`
      : `${count(amount - used)} ${unit} left over`;
    return `limit: ${name}: ${count(used)} of ${count(amount)} ${unit} (now ${count(now)}), ${state}`;
  });
  const [first] = constraints;
  if (!first || first.binding || first.amount - first.used <= LEFT * first.amount) return lines;
  const others = constraints.filter(({ binding }) => binding).map(({ name }) => name);
  const ends = corners
    .filter(({ bound }) => bound === "trust" || bound === "upper")
    .map((corner) => `${axisWord(corner.axis)} (${stopAndFurther(corner)})`);
  const held = [...others, ...ends];
  const by = held.length === 0 ? "" : `, held by ${list(held)}`;
  const more = others.includes("money for data") ? "; a limit on money, --usd, frees what data may cost" : "";
  return [...lines, `not all of the ${first.name} is spent${by}${more}`];
}
