/** Families that think at length before they answer: their answers come nearer to the cap. */
const THINKING =
  /thinking|reason(er|ing)|(^|[-_/ .])r1($|[-_/ .])|qwq|deepscaler|skywork-or|openthink|(^|[-_/ .])o[134]($|[-_ ])|magistral|acereason/i;

/** Models that see images: `Qwen2.5-VL-7B`, `InternVL3`, `(multimodal)`. */
const VISION =
  /(^|[-_/ .(])(vl|vlm|vla|vision|multimodal|omni)m?(\d|$|[-_/ .)])|internvl|llava|pixtral|minicpm-?[vo]|smolvl|gui-/i;

export function thinksAtLength(name: string): boolean {
  return THINKING.test(name) && !/non-?thinking|instruct/i.test(name.replace(/.*\//, ""));
}

export function seesImages(name: string): boolean {
  return VISION.test(name);
}

/** What an algorithm's name says of the passes over a trajectory. Null: it does not say. */
export interface AlgorithmTraits {
  readonly critic: boolean | null;
  readonly referencePass: boolean | null;
  readonly async: boolean;
}

export function algorithmTraits(name: string): AlgorithmTraits {
  const critic = /without (a )?critic|critic-?free/i.test(name)
    ? false
    : /^(ppo|gae)\b|\bppo\b|vapo/i.test(name) && !/grpo|gspo|rloo|reinforce/i.test(name)
      ? true
      : /grpo|gspo|rloo|dapo|cispo|reinforce|gigpo/i.test(name)
        ? false
        : null;
  return {
    critic,
    // Neither has a KL term, so that no reference is asked.
    referencePass: /dapo|cispo|scalerl|dr\.?[-_ ]?grpo/i.test(name) ? false : null,
    async: /async|off-?policy|one-?step-?off|\d-?step-?off/i.test(name) && !/synchronous(?<!asynchronous)/i.test(name),
  };
}
