import { baseName, type FoundFile, parent } from "../../../records/files";
import { isObject, type Json, type JsonObject, parseJson } from "../../../records/json";

/**
 * ART writes the rollouts of a step as groups into `trajectories/<split>/<step>`: a YAML list of groups at first, then JSON
 * lines of a group each, then Parquet with a row per trajectory. A group's trajectories as rows of one rollout each;
 * undefined for a record that is none of these.
 * @param index of the group in its file
 */
export function artRollouts(record: JsonObject, file: FoundFile, index: number): JsonObject[] | undefined {
  const split = baseName(parent(file.uri));
  // A group whose rollouts all failed has none.
  if (Array.isArray(record.trajectories) && record.trajectories.length === 0) return [];
  if (isGroup(record))
    return record.trajectories
      .filter(isObject)
      .map((trajectory) => rollout(trajectory, record.metadata, `${split}/${index}`));
  if (typeof record.group_index !== "number" || !("group_metadata" in record)) return undefined;
  if (record.reward === null && record.messages === null && typeof record.trajectory_json !== "string") return [];
  const whole =
    isObject(record.messages) || Array.isArray(record.messages)
      ? record
      : { ...record, ...object(record.trajectory_json) };
  return [
    rollout(
      { ...whole, metrics: object(record.metrics), metadata: object(record.metadata), tools: json(record.tools) },
      json(record.group_metadata),
      `${split}/${record.group_index}`,
    ),
  ];
}

/** Whether a record is a group of trajectories, each with a reward of its own. */
export function isGroup(record: JsonObject): record is JsonObject & { trajectories: Json[] } {
  const { trajectories } = record;
  return (
    Array.isArray(trajectories) &&
    trajectories.length > 0 &&
    trajectories.every(
      (each) => isObject(each) && "reward" in each && ("messages_and_choices" in each || "metrics" in each),
    )
  );
}

/** What a trajectory's metadata and metrics say of its task and outcome stands beside its messages, as other dumps have it. */
function rollout(trajectory: JsonObject, group: unknown, uid: string): JsonObject {
  const said = (value: unknown) => (isObject(value) ? value : {});
  const messages = Array.isArray(trajectory.messages_and_choices)
    ? trajectory.messages_and_choices.map(messageOf)
    : (trajectory.messages ?? null);
  return {
    ...said(trajectory.metrics),
    ...said(group),
    ...said(trajectory.metadata),
    reward: trajectory.reward ?? null,
    messages,
    tools: trajectory.tools ?? null,
    uid,
  };
}

/** A choice of the model holds its message; other messages stand by themselves. */
function messageOf(item: Json): Json {
  return isObject(item) && isObject(item.message) ? item.message : item;
}

function json(value: unknown): Json {
  return (typeof value === "string" ? parseJson(value) : (value as Json | undefined)) ?? null;
}

function object(value: unknown): JsonObject {
  const read = json(value);
  return isObject(read) ? read : {};
}
