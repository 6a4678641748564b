import { STEP_COLUMNS } from "../../../../runs/columns";
import { isObject, type JsonObject } from "../../../../records/json";
import { looseObject } from "./consoleText";
import type { PrintedBlock } from "./printedBlocks";
import { pythonValue } from "./pythonValue";

/** A dict as printed, with what is said of it before it. */
export interface PrintedRow {
  readonly values: JsonObject;
  /** Stated beside the dict and not in it. */
  readonly step?: number;
  /** verl prints its first and its last evaluation besides logging them. */
  readonly phase?: "initial" | "final";
}

const PHASE = /\b(initial|final) validation metrics:\s*$/i;
/** SkyRL: `Step 5: `; verl's asynchronous trainer: `parameter version: 5 Validation metrics: `. */
const STEP = /\b(?:step|parameter version)[\s:=#]*(\d+)\b(?![.\d])/i;

/** Sections of the frameworks' configs, by which one is told from a row of metrics. */
const SECTIONS = ["actor_rollout_ref", "trainer", "policy", "generator", "grpo", "actor"];

/**
 * The dict of a block: `pprint` of a dict, or of a text that holds one and was broken into adjacent strings. Undefined for
 * anything else.
 */
export function printedRow({ lead, text }: Pick<PrintedBlock, "lead" | "text">): PrintedRow | undefined {
  let said = lead;
  let value = pythonValue(text)?.value;
  if (typeof value === "string") {
    const at = value.indexOf("{");
    if (at < 0) return undefined;
    said = value.slice(0, at);
    value = pythonValue(value, at)?.value;
  }
  const values = isObject(value) ? value : value === undefined ? looseObject(text.replaceAll("\n", " ")) : undefined;
  return values && { values, ...beside(said, values) };
}

/** What is said of a dict before it. */
export function beside(said: string, values: JsonObject): Pick<PrintedRow, "step" | "phase"> {
  const phase = PHASE.exec(said)?.[1].toLowerCase() as PrintedRow["phase"];
  const step = STEP_COLUMNS.some((name) => name in values) ? undefined : STEP.exec(said)?.[1];
  return { ...(phase && { phase }), ...(step !== undefined && { step: Number(step) }) };
}

/** Whether a text can be a config, by the names of its sections. */
export function mayBeConfig(text: string): boolean {
  return SECTIONS.some((name) => text.includes(`'${name}'`) || text.includes(`"${name}"`));
}

/** Whether a printed dict is the config that a trainer shows when it starts. */
export function isConfig(values: JsonObject): boolean {
  return Object.values(values).filter(isObject).length >= 2 && SECTIONS.some((name) => isObject(values[name]));
}
