/**
 * The record of published costs (`published-costs.csv`): its rows, each as a native budget with its scaling.yaml, and what was observed of it.
 * Nothing of it is copied into the project; where it is absent, callers say so.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export function sharedFolder() {
  const places = [process.env.SCALING_LENS_SHARED, join(root, "../shared"), join(root, "../../shared")];
  return places.find((place) => place && existsSync(join(place, "data"))) ?? null;
}

/** Rows of a CSV with quoted fields, by column. */
export function parseCsv(text) {
  const rows = [];
  let row = [];
  let field = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const at = text[i];
    if (quoted) {
      if (at === '"' && text[i + 1] === '"') {
        field += '"';
        i++;
      } else if (at === '"') quoted = false;
      else field += at;
    } else if (at === '"') quoted = true;
    else if (at === ",") {
      row.push(field);
      field = "";
    } else if (at === "\n") {
      rows.push([...row, field]);
      row = [];
      field = "";
    } else if (at !== "\r") field += at;
  }
  if (field !== "" || row.length > 0) rows.push([...row, field]);
  const [head, ...body] = rows;
  return body
    .filter((one) => one.length > 1)
    .map((one) => Object.fromEntries(head.map((key, i) => [key, one[i] ?? ""])));
}

export function readRecord(file) {
  return parseCsv(readFileSync(file, "utf8")).map((row) => ({ ...row, ...derived(row) }));
}

const number = (text) => (text === "" || text === undefined ? null : Number(text));

/** `GSM8K 1319 + MATH 5000, x 1` → 6319; `64 x 1` → 64; names without a count → null. */
export function evaluationSamples(text) {
  if (!text) return null;
  const [sets, times] = text.split(/\bx\s*(?=\d+\s*$)/);
  const counts = sets.split("+").map((part) => /(\d[\d,]*)\)?\s*,?\s*$/.exec(part.trim())?.[1].replaceAll(",", ""));
  if (counts.some((count) => count === undefined)) return null;
  return counts.reduce((sum, count) => sum + Number(count), 0) * Number(times ?? 1);
}

/** What a row says once its notes are read too: trajectories where no prompts and group are stated, and the layout. */
function derived(row) {
  const words = `${row.algorithm} ${row.notes} ${row.id}`;
  const trajectories = Number(/trajectories=(\d+)/.exec(row.notes)?.[1] ?? NaN);
  const prompts = number(row.prompts_per_step);
  const group = number(row.group_size);
  return {
    source_name: sourceName(row.source),
    team: teamName(row.source),
    layout: layoutOf(words),
    trajectories:
      prompts !== null && group !== null ? prompts * group : Number.isNaN(trajectories) ? null : trajectories,
  };
}

function layoutOf(words) {
  if (/colocate_async|one-step overlap/i.test(words)) return "async";
  if (/colocate sync|\bon policy\b|synchronous(?<!asynchronous)|colocated/i.test(words)) return "colocated";
  if (
    /fully async|[\d-]step[ -]off|1off|8off|asynchronous(?! tool)|separate_async|one-step|\basync,? |, async|async\)/i.test(
      words,
    )
  )
    return "async";
  return null;
}

/** Who measured: a repository, a site. */
function sourceName(source) {
  const issue = /github\.com\/([^/]+\/[^/]+)\/issues/.exec(source);
  return issue ? issue[1] : source.split("@")[0].split(" ")[0];
}

/** Who ran: the authors of a page, of a repository's logs, of its issues. Pages of one repository are by different people. */
function teamName(source) {
  const page = /^([^@ ]+)@[0-9a-f]+:(\S+\.md)/.exec(source);
  return page ? `${page[1]}:${page[2]}` : sourceName(source);
}

/** Observed seconds of a step, where stated; else null. */
export function observed(row) {
  return {
    seconds: number(row.seconds_per_step),
    gpuHours: number(row.gpu_hours),
    generation: number(row.generation_seconds),
    update: number(row.training_seconds),
    passes: number(row.logprob_seconds),
    evaluation: number(row.eval_seconds),
  };
}

/** How much a row tells: `mean` (mean, GPU, batch), `cap` (no mean), `partial` (a GPU, a batch or every length is missing). */
export function completeness(row) {
  if (row.gpu === "" || row.gpus === "" || row.parameters_b === "" || row.trajectories === null) return "partial";
  if (row.mean_response_tokens !== "") return "mean";
  return row.max_response_tokens !== "" ? "cap" : "partial";
}

/** A row as the two files that a user would write. */
export function asFiles(row) {
  const lines = [`name: ${JSON.stringify(row.id)}`];
  const add = (text) => lines.push(text);
  if (row.model && !/not stated/.test(row.model)) add(`model: ${JSON.stringify(row.model)}`);
  if (row.parameters_b) add(`parameters: ${row.parameters_b}B`);
  if (row.active_parameters_b) add(`active_parameters: ${row.active_parameters_b}B`);
  if (row.algorithm) add(`algorithm: ${JSON.stringify(row.algorithm)}`);
  if (row.gpus) add(`gpus: ${row.gpus}`);
  const prompts = row.prompts_per_step || (row.trajectories === null ? "" : row.trajectories / (row.group_size || 8));
  const group = row.group_size || (row.trajectories !== null ? 8 : "");
  const split = [
    prompts && `prompts_per_step: ${prompts}`,
    group && `group_size: ${group}`,
    row.steps && `steps: ${row.steps}`,
  ].filter(Boolean);
  add(`design: nested`);
  add(`budget: { ${split.join(", ")} }`);
  const tokens = [
    row.mean_prompt_tokens && `prompt: ${row.mean_prompt_tokens}`,
    row.mean_response_tokens && `response: ${row.mean_response_tokens}`,
    row.max_response_tokens && `response_max: ${row.max_response_tokens}`,
  ].filter(Boolean);
  if (tokens.length > 0) add(`tokens: { ${tokens.join(", ")} }`);
  if (row.turns) add(`turns: ${row.turns}`);
  const samples = evaluationSamples(row.eval_samples);
  if (row.eval_every_steps && samples !== null)
    add(`evaluation: { every: ${row.eval_every_steps}, samples: ${samples} }`);
  if (row.dynamic_sampling_factor) add(`dynamic_sampling: ${row.dynamic_sampling_factor}`);
  if (row.lora === "yes" || row.lora === "no") add(`lora: ${row.lora === "yes"}`);
  if (row.layout) add(`layout: ${row.layout}`);
  return {
    budget: `${lines.join("\n")}\n`,
    scaling: row.gpu ? `hardware: { gpu: ${JSON.stringify(row.gpu)} }\n` : "",
  };
}
