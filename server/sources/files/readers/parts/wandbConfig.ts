import { parse } from "yaml";
import { isObject, type Json, type JsonObject, parseJson } from "../../../../records/json";

/** W&B's own entries of a config, which are no part of the run's. */
const OWN = /^(_wandb|wandb_version)$/;

/** The config that W&B keeps as `key: {desc, value}`, in the framework's own shape. */
function unwrapWandbConfig(wrapped: JsonObject): JsonObject {
  const config: JsonObject = {};
  for (const [key, entry] of Object.entries(wrapped)) {
    if (OWN.test(key) || key === "__proto__") continue;
    config[key] = isObject(entry) && "value" in entry ? entry.value : entry;
  }
  return config;
}

/** A `config.yaml` of a W&B run folder; undefined when the text is none of W&B's. */
export function wandbConfigOf(text: string): JsonObject | undefined {
  if (!/^wandb_version:|^_wandb:|^ {4}value:|^ {2}value:/m.test(text)) return undefined;
  try {
    const value: unknown = parse(text, { uniqueKeys: false, maxAliasCount: 50, logLevel: "silent" });
    if (!isObject(value)) return undefined;
    const entries = Object.values(value).filter(isObject);
    return entries.length > 0 && entries.some((entry) => "value" in entry) ? unwrapWandbConfig(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Sets a config entry as W&B's records name it: one key, or a path of keys. */
export function setEntry(config: JsonObject, path: readonly string[], json: string): void {
  const value = parseJson(json);
  if (value === undefined || path.length === 0 || path.length > 32 || OWN.test(path[0]) || path.includes("__proto__"))
    return;
  let at = config;
  for (const key of path.slice(0, -1)) {
    const next: Json | undefined = at[key];
    if (isObject(next)) at = next;
    else at = at[key] = {};
  }
  at[path[path.length - 1]] = value;
}
