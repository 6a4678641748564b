import { textOf, type Command } from "./command";
import { optimise } from "./optimise";

/** Sets one value to its optimum; inlay hints link here, so it is not in the palette. */
export const setValue: Command = {
  id: "scalingLens.setValue",
  run(tools, target, path, experiment) {
    const only = textOf(path);
    return only ? optimise(tools, target, { experiment: textOf(experiment), only: [only] }) : Promise.resolve(false);
  },
};
