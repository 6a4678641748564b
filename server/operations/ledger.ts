import * as z from "zod";
import type { ExperimentAssessment } from "../assessment/types";
import type { Estimate } from "../core/estimate";
import { calibrationOf, type Calibration, type LedgerLine } from "../core/forecast/ledger";
import { forecast } from "./forecast";
import { fitChoice, scaling } from "./fields";
import { readText, type Host } from "../host";
import type { Engine } from "./engine";
import { InputError } from "./inputError";
import type { Operation } from "./operation";
import { ownConfig } from "./ownConfig";

/** Where predictions are kept: plain text beside the cache, in the workspace. */
const LEDGER = ".scaling-lens/predictions.jsonl";
/** Longest ledger that is read (bytes): some hundred thousand runs. */
const MOST_LEDGER = 64 * 1024 * 1024;

const input = z.strictObject({
  folder: z.string().min(1).describe("the workspace folder whose `.scaling-lens/predictions.jsonl` is the ledger"),
  record: z
    .array(z.string().min(1))
    .optional()
    .describe("folders of runs: writes down what is predicted of runs that are on, and what ended ones came to"),
  scaling,
  ...fitChoice,
});

export interface Ledger {
  readonly file: string;
  readonly written: number;
  readonly calibration: Calibration;
}

export const ledger: Operation<z.infer<typeof input>, Ledger> = {
  name: "ledger",
  summary: "how often this team's own predictions held: what was said of each run when it began, and what it came to",
  input,
  writes: true,
  async run(engine, { folder, record, scaling: named, ...choice }, signal) {
    const file = `${engine.uri(folder).replace(/\/$/, "")}/${LEDGER}`;
    const lines = await readLedger(engine, file);
    let written = 0;
    if (record !== undefined) {
      const found = await forecast.run(engine, { sources: record, scaling: named, ...choice }, signal);
      const judged = new Map<string, Judgement>();
      for (const row of found.table.rows) {
        if (row.state !== "running" || lines.some(({ run }) => run === row.id)) continue;
        const own = await ownConfig(engine, row, choice, signal);
        if (own) judged.set(row.id, judgementOf(own));
      }
      const fresh = newLines(lines, found.runs, new Date().toISOString(), judged);
      if (fresh.length > 0) await writeLedger(engine, file, [...lines, ...fresh]);
      lines.push(...fresh);
      written = fresh.length;
    }
    return { file, written, calibration: calibrationOf(lines) };
  },
  json: ({ file, written, calibration }, engine) => ({ file: engine.shown(file), written, ...calibration }),
};

type Forecasts = Awaited<ReturnType<typeof forecast.run>>["runs"];

/** What a run's own config is expected to cost, and the verdict on its split. */
interface Judgement {
  readonly verdict: string;
  readonly gpuHours: Estimate | null;
  readonly usd: Estimate | null;
}

function judgementOf({ verdict, cost }: ExperimentAssessment): Judgement {
  if (cost.kind === "run") return { verdict: verdict.kind, gpuHours: cost.cost.gpuHours, usd: cost.cost.usd };
  return { verdict: verdict.kind, gpuHours: null, usd: cost.kind === "hosted" ? cost.usd : null };
}

/**
 * What is not yet written down: predictions of runs that are on, outcomes of runs that were predicted.
 * @param judged by run, where its own config is found: costs of runs whose log times no steps, and verdicts
 */
function newLines(
  known: readonly LedgerLine[],
  runs: Forecasts,
  at: string,
  judged: ReadonlyMap<string, Judgement>,
): LedgerLine[] {
  const predicted = new Set(known.flatMap((line) => (line.kind === "prediction" ? [line.run] : [])));
  const ended = new Set(known.flatMap((line) => (line.kind === "outturn" ? [line.run] : [])));
  return runs.flatMap((run): LedgerLine[] => {
    const { final, law, state } = run;
    // A training reward is no success: neither predicted as one nor scored as one.
    if (run.measures === "training-reward") return [];
    if (state === "running" && !predicted.has(run.run) && (law !== null || final !== null)) {
      const success = law ? around(law.success, law.runSd ?? law.sd) : final;
      const own = judged.get(run.run);
      return [
        {
          kind: "prediction",
          run: run.run,
          at,
          success,
          gpuHours: hoursOf(run) ?? plain(own?.gpuHours),
          usd: usdOf(run) ?? plain(own?.usd),
          verdict: own?.verdict ?? null,
          by: law ? "law" : "forecast",
          ...(run.simulated && { simulated: true }),
        },
      ];
    }
    if (state === "finished" && predicted.has(run.run) && !ended.has(run.run) && final !== null)
      return [
        {
          kind: "outturn",
          run: run.run,
          at,
          success: final.estimate,
          gpuHours: run.gpuHours,
          ...(run.simulated && { simulated: true }),
        },
      ];
    return [];
  });
}

/** Hours in all, at the pace of the steps so far; within 15 % either way where the pace's own interval is not known. */
function hoursOf({ gpuHours, gpuHoursLeft, gpuHoursLeftInterval: left }: Forecasts[number]): Estimate | null {
  if (gpuHours === null || gpuHoursLeft === null) return null;
  const estimate = gpuHours + gpuHoursLeft;
  if (left) return { estimate, low: gpuHours + left.low, high: gpuHours + left.high };
  return { estimate, low: estimate * 0.85, high: estimate * 1.15 };
}

/** The same in money, at the price that the forecast knows. */
function usdOf(run: Forecasts[number]): Estimate | null {
  const hours = hoursOf(run);
  if (hours === null || run.usdLeft === null || !run.gpuHoursLeft) return null;
  const price = run.usdLeft / run.gpuHoursLeft;
  return { estimate: hours.estimate * price, low: hours.low * price, high: hours.high * price };
}

function plain(value: Estimate | null | undefined): Estimate | null {
  return value ? { estimate: value.estimate, low: value.low, high: value.high } : null;
}

/** What one run's measured success is expected to be, with its 95 % interval. */
function around(success: number, sd: number): Estimate {
  return { estimate: success, low: clamp(success - 1.96 * sd), high: clamp(success + 1.96 * sd) };
}

function clamp(rate: number): number {
  return Math.min(1, Math.max(0, rate));
}

const estimate = z.object({ estimate: z.number(), low: z.number(), high: z.number() }).nullable();
const line = z.union([
  z.object({
    kind: z.literal("prediction"),
    run: z.string(),
    at: z.string(),
    success: estimate,
    gpuHours: estimate,
    usd: estimate.optional(),
    verdict: z.string().nullable(),
    by: z.string(),
  }),
  z.object({
    kind: z.literal("outturn"),
    run: z.string(),
    at: z.string(),
    success: z.number(),
    gpuHours: z.number().nullable(),
  }),
]);

/** What a workspace folder's own predictions were worth; null where it keeps no ledger. Throws `InputError` at a damaged line. */
export async function ledgerOf(host: Host, folderUri: string): Promise<Calibration | null> {
  const lines = await linesOf(host, `${folderUri}/${LEDGER}`, LEDGER);
  return lines.length === 0 ? null : calibrationOf(lines);
}

function readLedger(engine: Engine, file: string): Promise<LedgerLine[]> {
  return linesOf(engine.host, file, engine.shown(file));
}

async function linesOf(host: Host, file: string, shown: string): Promise<LedgerLine[]> {
  const text = await readText(host, file, MOST_LEDGER);
  return (text ?? "").split("\n").flatMap((text, i): LedgerLine[] => {
    if (text.trim() === "") return [];
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const read = line.safeParse(value);
    // The ledger is the team's own record: a line that cannot be read is not passed over in silence.
    if (!read.success) throw new InputError(`line ${i + 1} is no line of a ledger`, { file: shown });
    return [read.data];
  });
}

async function writeLedger(engine: Engine, file: string, lines: readonly LedgerLine[]): Promise<void> {
  if (!engine.host.writeFile) throw new InputError("nothing can be written here", { file: engine.shown(file) });
  const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
  await engine.host.writeFile(file, new TextEncoder().encode(text));
}
