import { textOf, type Command } from "./command";
import { optimise } from "./optimise";

export const optimiseSameSuccess: Command = {
  id: "scalingLens.optimiseSameSuccess",
  title: "Optimise at equal success (cheapest)",
  when: "scalingLens.hasBudget",
  run: (tools, target, experiment) =>
    optimise(tools, target, { experiment: textOf(experiment), mode: { kind: "same-success" } }),
};
