import { firstKeys, isJsonArray } from "../../../records/jsonArray";
import { recordFormat } from "../../../records/recordTypes";
import { ROLLOUT_NAMES, type RolloutField } from "../../../rollouts/fields";
import type { Probe } from "../readers/reader";
import { isGroup } from "./art";
import { isArtYaml, isStepYaml } from "./artYaml";

const TEXTS = [
  "input",
  "output",
  "prompt",
  "prompts",
  "completion",
  "completions",
  "messages",
  "trajectory",
  "trajectories",
  "response",
  "responses",
  "conversation",
  "transcript",
  "task_text",
  "instruction",
  "question",
  "input_prompt",
  "output_response",
  "task_id",
  "instance_id",
  "example_id",
  "problem_id",
];
const OUTCOMES = [
  "score",
  "scores",
  "reward",
  "rewards",
  "total_reward",
  "success",
  "correct",
  "acc",
  "gts",
  "advantage",
  "is_correct",
  "final_reward",
  "metrics",
];

/** Whether a file holds rollouts: a task's text or name with a reward, one trajectory a row. */
export function isRolloutDump(probe: Probe): boolean {
  if (isStepYaml(probe.name)) return isArtYaml(probe.text());
  const isList = isJsonArray(probe.file.name, probe.text().slice(0, 64));
  if (!recordFormat(probe.file.name) && !isList) return false;
  if (/(^|_)rollout_summaries\.jsonl$/.test(probe.name) || probe.name === "traces.jsonl") return true;
  const columns = isList ? firstKeys(probe.text()) : probe.columns();
  if (columns.has("trajectories") && probe.objects(1).some(isGroup)) return true;
  return TEXTS.some((name) => columns.has(name)) && OUTCOMES.some((name) => columns.has(name));
}

/**
 * Whether the columns of a file name a task and how its rollout ended: enough to measure it where rollouts were asked for, and
 * too little to pass over a file among run logs.
 * @param mapped our field → the dump's name
 */
export function namesRollouts(there: ReadonlySet<string>, mapped: Readonly<Record<string, string>> = {}): boolean {
  const has = (field: RolloutField) =>
    [mapped[field], ...ROLLOUT_NAMES[field]].some((name) => name !== undefined && there.has(name));
  return (has("task") || has("task_id")) && (has("reward") || has("success"));
}
