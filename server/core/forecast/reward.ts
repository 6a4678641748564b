import type { Advice, Reason } from "./advice";

/** Signs in a log that tell of a reward as they do of success. */
const SIGNS: ReadonlySet<string> = new Set(["forecast.falling", "forecast.dead-groups", "forecast.entropy"]);
/** Said of how a run stands, whatever it is measured by. */
const STATES: ReadonlySet<string> = new Set(["forecast.crashed", "forecast.unmeasured"]);

/** Advice where only a training reward is logged: what is worth going on for is not known, so that somebody has to look. */
export function rewardAdvice(said: Advice, name: string): Advice {
  const reason: Reason = {
    code: "forecast.training-reward",
    message: `${name} is a training reward, not a success rate: add evaluations; if it is 1 for a success and 0 otherwise, name it as \`metric\` in scaling.yaml.`,
  };
  if (said.kind === "unknown") return { kind: "unknown", reasons: [...said.reasons, reason] };
  const states = said.reasons.filter(({ code }) => STATES.has(code));
  const signs = said.reasons
    .filter(({ code }) => SIGNS.has(code))
    .map(({ code, message }) => ({ code, message: message.replace(/^Success is/, "The reward is") }));
  return { kind: "look", reasons: [...states, reason, ...signs] };
}
