import * as z from "zod/mini";

/** A number, or text with a unit: `readers.ts` checks the value. */
export const quantity = () => z.union([z.number(), z.string()]);
/** A number, its interval, or both. */
const stated = () => z.union([z.number(), z.string(), z.array(quantity())]);

export function documented<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
): z.ZodMiniOptional<Schema> {
  z.globalRegistry.add(schema, { description });
  return z.optional(schema);
}

const synthesisPlan = (axis: string) =>
  z.strictObject({
    method: documented(
      z.string(),
      `The generator of the synthetic ${axis}; the fit's discount κ is looked up by this name.`,
    ),
    real: documented(quantity(), `Number of real ${axis}.`),
    synthetic: documented(quantity(), `Number of synthetic ${axis}. With \`real\` it makes up the total.`),
    discount: documented(
      stated(),
      `κ, what one of the synthetic ${axis} is worth in real ones, where you know it: \`0.5\`, or with its 95 % interval \`[0.4, 0.6]\`. It goes before a fitted one.`,
    ),
    critical_ratio: documented(
      stated(),
      `r*, synthetic per real ${axis} up to which more of them help, where you know it: \`3\`, or with its 95 % interval \`[2, 5]\`.`,
    ),
  });

/** How much of each axis is real, how much synthetic, and what that is worth. */
export const synthesis = () =>
  z.strictObject({
    environments: documented(synthesisPlan("environments"), "How many environments are real and how many generated."),
    worlds: documented(synthesisPlan("worlds"), "How many worlds are real and how many generated."),
    structures: documented(synthesisPlan("structures"), "How many structures are real and how many generated."),
    tasks: documented(synthesisPlan("tasks"), "How many tasks are real and how many generated."),
    trajectories: documented(
      synthesisPlan("trajectories"),
      "How many trajectories are collected and how many generated.",
    ),
  });
