import type { MapEntry } from "../tree";
import type { Launch } from "./interpret/launched";
import { shownOf, textOf, unknownIn, type Word } from "./interpret/value";

const VISIBLE = "CUDA_VISIBLE_DEVICES";
/** How a command that serves a model looks, its words joined by blanks; those of trainers serve the policy to them. */
const SERVERS =
  /^(\S+ run )?(\S*\/)?(vllm serve|sglang serve|lmdeploy serve|trl vllm-serve|swift rollout|swift deploy)\b|\s-m (vllm\.entrypoints\.\S+|sglang\.launch_server|trl\.scripts\.vllm_serve)\b/;
const OF_POLICY = /\b(trl vllm-serve|swift rollout|trl\.scripts\.vllm_serve)\b/;
const SIZES = [
  /^--(tensor[-_]parallel[-_]size|tp|tp[-_]size|vllm[-_]tensor[-_]parallel[-_]size)(=(\d+))?$/,
  /^--(data[-_]parallel[-_]size|dp|dp[-_]size|vllm[-_]data[-_]parallel[-_]size)(=(\d+))?$/,
  /^--(pipeline[-_]parallel[-_]size|pp|pp[-_]size)(=(\d+))?$/,
  /^-(tp|dp)()()$/,
] as const;

/** Devices of `0,1,2`, where each is a number. */
export function devicesIn(text: string): readonly number[] {
  const ids = text.split(",").map((id) => id.trim());
  return ids.every((id) => /^\d+$/.test(id)) ? [...new Set(ids.map(Number))] : [];
}

/**
 * What the servers that a script starts beside its training take, as flags of the training: `beside.devices` lists the
 * GPUs that they are given by name, `beside.rollouts` how many of these serve the policy. A server that is given none
 * by name may share the trainer's, so it says nothing.
 */
export function besideFlags(launches: readonly Launch[]): readonly MapEntry[] {
  const devices = new Set<number>();
  const rollouts = new Set<number>();
  let span: Launch["span"] | undefined;
  for (const launch of launches) {
    const line = launch.words.map(textOf).join(" ");
    const visible = launch.environment.get(VISIBLE) ?? assigned(launch.words);
    if (!SERVERS.test(line.replace(/^(\S+=\S*\s+|env\s+|nohup\s+|setsid\s+)+/, "")) || !visible || unknownIn(visible))
      continue;
    const used = devicesIn(textOf(visible)).slice(0, sizeOf(launch.words));
    if (used.length === 0) continue;
    span ??= launch.span;
    for (const id of used) {
      devices.add(id);
      if (OF_POLICY.test(line)) rollouts.add(id);
    }
  }
  if (!span) return [];
  const entry = (key: string, value: string): MapEntry => ({
    key,
    keySpan: span,
    value: {
      kind: "scalar",
      value,
      text: value,
      span,
      editable: false,
      whyNot: "it is counted from the servers that the script starts",
    },
  });
  return [
    entry("beside.devices", [...devices].join(",")),
    ...(rollouts.size > 0 ? [entry("beside.rollouts", String(rollouts.size))] : []),
  ];
}

/** `env CUDA_VISIBLE_DEVICES=3 …`. */
function assigned(words: readonly Word[]): Word | undefined {
  const word = words.find((one) => textOf(one).startsWith(`${VISIBLE}=`));
  return word && [{ text: textOf(word).slice(VISIBLE.length + 1) }];
}

function sizeOf(words: readonly Word[]): number {
  let size = 1;
  for (const [index, word] of words.entries())
    for (const pattern of SIZES) {
      const found = pattern.exec(shownOf(word));
      if (found) size *= Number(found[3] || textOf(words[index + 1] ?? [])) || 1;
    }
  return size;
}
