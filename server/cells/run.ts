import { readQuery, type Command, type QueryReading } from "../configs/cells/read";
import type { Shown } from "../configs/cells/schema";
import { LineIndex, type Span } from "../syntax/text";
import { hashOf } from "../core/numerics/hash";
import { ALLOCATION_SHOWN, allocateCommand, compareCommand } from "./allocateCommand";
import { ContentCache } from "./cache";
import { fitOfCell } from "./fit";
import { FIT_SHOWN, fitCommand } from "./fitCommand";
import { CURVES_SHOWN, forecastCommand } from "./forecastCommand";
import { measureCommand } from "./measureCommand";
import { outputOf } from "./outputs";
import { planCommand } from "./planCommand";
import { predictCommand } from "./predictCommand";
import {
  QueryFailure,
  type CellFit,
  type CommandInput,
  type Output,
  type Part,
  type QueryContext,
  type QueryMemory,
} from "./types";

export interface QueryAnswer {
  readonly outputs: readonly Output[];
  readonly cached: boolean;
  readonly error?: { readonly message: string; readonly line?: number; readonly character?: number };
}

/** Commands in the order in which a cell runs them. A new command is a new file and a line here (and its shape in the schema). */
const COMMANDS: readonly (readonly [Command, (input: CommandInput, place: Span | undefined) => Promise<Part[]>])[] = [
  ["fit", fitCommand],
  ["predict", predictCommand],
  ["allocate", allocateCommand],
  ["compare", compareCommand],
  ["measure", measureCommand],
  ["forecast", forecastCommand],
  ["plan", planCommand],
];

export function queryMemory(): QueryMemory {
  return { fits: new ContentCache(12), outputs: new ContentCache(40) };
}

/**
 * Runs a cell: reads it, makes or finds its fit, draws what it asks for. A fault of the cell or its files is in the answer, at its
 * line; rejects only when cancelled or when a worker dies.
 */
export async function runQuery(text: string, above: readonly string[], context: QueryContext): Promise<QueryAnswer> {
  const reading = readQuery(text);
  const lines = new LineIndex(text);
  const at = (span: Span | undefined): { line: number; character: number } | Record<string, never> => {
    if (!span) return {};
    const { line, character } = lines.at(span.start);
    return { line, character };
  };
  const wrong = reading.diagnostics.find(({ severity }) => severity === "error");
  if (wrong) return { outputs: [], cached: false, error: { message: wrong.message, ...at(wrong.span) } };
  try {
    const { outputs, cached } = await run(reading, above, context);
    return { outputs, cached };
  } catch (error) {
    if (!(error instanceof QueryFailure)) throw error;
    return { outputs: [], cached: false, error: { message: error.message, ...at(error.span) } };
  }
}

async function run(
  reading: QueryReading,
  above: readonly string[],
  context: QueryContext,
): Promise<{ outputs: readonly Output[]; cached: boolean }> {
  const { query, places } = reading;
  const asked = commandsOf(reading);
  let pending: Promise<CellFit> | undefined;
  const fit = (): Promise<CellFit> =>
    (pending ??= fitOfCell(query.fit, above, places.fit ?? places[asked[0]], context));
  const input: CommandInput = {
    query,
    context,
    fit,
    figureOptions: ({ fit: loaded, files }) => ({ link: loaded.id, files }),
  };
  const key = hashOf(
    JSON.stringify([
      query,
      context.vegaLite,
      context.recommend ?? null,
      context.baseUri,
      context.scaling?.text ?? null,
      await inputsOf(reading, asked, fit, context),
    ]),
  );
  const known = context.memory.outputs.get(key);
  if (known) return { outputs: known, cached: true };
  const parts: Part[] = [];
  for (const [command, execute] of COMMANDS) {
    if (!asked.includes(command)) continue;
    context.signal?.throwIfAborted();
    parts.push(...(await execute(input, places[command])));
  }
  const outputs: Output[] = [];
  for (const part of parts) {
    context.signal?.throwIfAborted();
    context.onProgress({
      label: `Drawing ${outputs.length + 1} of ${parts.length}`,
      share: outputs.length / parts.length,
    });
    outputs.push(await outputOf(part, context));
  }
  context.memory.outputs.set(key, outputs);
  return { outputs, cached: false };
}

/** The commands of a cell. `show` alone draws the fit from above. */
function commandsOf({ query, places }: QueryReading): Command[] {
  const asked = COMMANDS.map(([command]) => command).filter((command) => query[command] !== undefined);
  const shows = (set: ReadonlySet<Shown>): boolean => query.show?.some((shown) => set.has(shown)) ?? false;
  if (!asked.includes("fit") && shows(FIT_SHOWN)) asked.unshift("fit");
  if (!asked.includes("forecast") && shows(CURVES_SHOWN)) asked.push("forecast");
  if (!asked.includes("allocate") && shows(ALLOCATION_SHOWN)) {
    throw new QueryFailure(
      `${query.show?.filter((shown) => ALLOCATION_SHOWN.has(shown)).join(", ")}: say which experiment, with \`allocate: appworld.budget.yaml\`.`,
      places.show,
    );
  }
  if (asked.length === 0)
    throw new QueryFailure(
      "The cell asks for nothing: begin with `fit:`, `predict:`, `allocate:`, `compare:`, `measure:`, `forecast:` or `plan:`.",
    );
  return asked;
}

/** What the cell's answer rests on beside its own text: the fit, and the content of the files it names. */
async function inputsOf(
  { query }: QueryReading,
  asked: readonly Command[],
  fit: () => Promise<CellFit>,
  context: QueryContext,
): Promise<readonly string[]> {
  const inputs: string[] = [];
  if (asked.some((command) => command !== "measure" && command !== "forecast")) inputs.push((await fit()).fit.id);
  const files = [query.allocate?.budget, query.plan?.budget, ...(query.compare ?? []), ...(query.measure ?? [])];
  // Logs grow: what was drawn of them holds for this moment.
  if (asked.includes("forecast")) inputs.push(`now ${++unknownInputs}`);
  for (const file of files) {
    if (file === undefined) continue;
    const about = await context.host.stat(`${context.baseUri.replace(/\/$/, "")}/${file}`);
    // A glob, or a file that has gone: never taken for unchanged.
    inputs.push(about ? `${file} ${about.size} ${about.modified}` : `${file} ${++unknownInputs}`);
  }
  return inputs;
}

let unknownInputs = 0;
