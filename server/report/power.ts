import type { PowerAnswer, resolution } from "../core/forecast/power";

const whole = (value: number) => value.toLocaleString("en-US");
const points = (rate: number) => `${Number((rate * 100).toPrecision(3))} points`;
const percent = (rate: number) => `${Number((rate * 100).toPrecision(3))} %`;

/** How many tasks and seeds show a difference, in sentences. */
export function powerText(answer: PowerAnswer): string {
  const { difference, baseline, power, alpha, discordant, seedNoise, unpaired, paired, seeds } = answer;
  return [
    `To find ${points(difference)} at ${percent(baseline)} success (${percent(power)} of the time, ${percent(alpha)} two-sided):`,
    `  ${whole(unpaired)} tasks per arm, each arm on tasks of its own`,
    `  ${whole(paired)} tasks, both arms on the same ones, where ${percent(discordant)} of them differ`,
    `  ${whole(seeds)} seeds per arm, where seeds differ by ${points(seedNoise)} (one standard deviation)`,
  ].join("\n");
}

/** The least difference that an evaluation shows, in one sentence. */
export function resolutionText(tasks: number, { unpaired, paired }: ReturnType<typeof resolution>): string {
  return `An evaluation of ${whole(tasks)} tasks shows a difference of ${points(unpaired)} or more; with the same tasks for both runs, of ${points(paired)} or more.`;
}
