import { messageOf, openBytes, ReadFault } from "../../../records/bytes";
import type { FoundFile } from "../../../records/files";
import { readLines } from "../../../records/lines";
import { mixedEncoding } from "../../../records/records";
import type { JsonObject } from "../../../records/json";
import type { Interest, RunMetrics } from "../../../runs/series";
import { consoleRow, withoutColours } from "./parts/consoleText";
import { unwrapRow } from "./parts/flat";
import { type PrintedBlock, PrintedBlocks, unprefixed } from "./parts/printedBlocks";
import { beside, isConfig, mayBeConfig, type PrintedRow, printedRow } from "./parts/printedRow";
import { ProgressBar, type SteplessRow } from "./parts/progressBar";
import { WantedKeys } from "./parts/wantedKeys";
import { WrappedLines } from "./parts/wrappedLines";
import { processOf, Writers } from "./parts/writers";
import type { LogReader, Probe, ReadContext } from "./reader";

const EVIDENCE =
  /step:\s*\d+\s+-\s+\S+:|\{['"][\w/@.-]+['"]:\s*(?:(?:np\.)?[\w.-]+|['"]-?[\d.])|(?:Initial|Final) validation metrics: \{/;

/** What trainers print before their first step, which may be more than is looked at. */
const STARTING = /Training Progress|\bpid=\d+\)|^Traceback |\b(?:INFO|WARNING|ERROR)\b|\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d/m;

/** Names that only outputs of programs have. */
const OUTPUT = /\.(log|out|err)(\.\d+)?$|^(nohup|stdout|stderr|output|console|log)$/;

/** W&B's own logs, and lists of packages. */
const OTHERS = /^(debug(-\w+)*\.log|requirements.*\.txt|readme.*|licen[cs]e.*)$/;

/**
 * What a trainer prints, teed into a file: verl, verl-agent and RAGEN (`step:31 - critic/score/mean:0.8 - …`), and those
 * that print a dict or JSON a step, on one line or spread over several (TRL, ROLL, SkyRL). The config that a trainer prints as it
 * starts is the run's. Colours, Ray's prefixes, progress bars and other lines are passed over.
 */
export const consoleLog: LogReader = {
  id: "console-3",
  title: "console text",
  parts: false,
  recognises(probe) {
    if (!isTextName(probe) || OTHERS.test(probe.name) || !probe.isText()) return false;
    if (OUTPUT.test(probe.name)) return true;
    const text = withoutColours(probe.text());
    return EVIDENCE.test(text) || STARTING.test(text);
  },
  async read(files, context) {
    const found: RunMetrics[] = [];
    for (const file of files) found.push(...(await readConsole(file, context)));
    return found;
  },
};

function isTextName({ name }: Probe): boolean {
  return OUTPUT.test(name) || /\.txt(\.\d+)?$/.test(name);
}

function isSuccess(interest: Interest): boolean {
  return interest === "evaluation" || interest === "training";
}

async function readConsole(file: FoundFile, context: ReadContext): Promise<RunMetrics[]> {
  const { notes, signal } = context;
  const text = new ConsoleText(file, context);
  const lines = new WrappedLines((line, number, ended) => text.take(line, number, ended));
  try {
    await readLines(openBytes(context.host, file.uri, signal, context.onBytes), {
      line(line, number, ended) {
        // A progress bar overwrites its line with carriage returns; what was logged between stands after one of them.
        if (!line.includes("\r")) lines.take(line, number, ended);
        else for (const part of line.split("\r")) lines.take(part, number, ended);
      },
      mixed: (at) => mixedEncoding(notes, file.uri, at),
      tooLong: (at) =>
        notes.error("log.long-line", `Line ${at} is longer than 32 million characters and was left out.`, {
          file: file.uri,
          line: at,
        }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    notes.error(error instanceof ReadFault ? error.code : "log.unreadable", messageOf(error), { file: file.uri });
  }
  lines.end();
  return text.end();
}

/** What models say and tools are asked, printed as a dict of one line: it is no row of metrics, whatever numbers stand in it. */
const SPEECH =
  /['"](?:thoughts?|action|arguments|messages|content|role|tool_calls?|observation|completion|prompt|response|answer|question|query)['"]\s*:\s*(?:['"[{]|null|None)/;

/** A config is longer: one is printed whole. */
const SHORTEST_CONFIG = 400;

function isSpeech(line: string): boolean {
  const end = line.charCodeAt(line.length - 1);
  return (
    (end === 125 || end === 93) &&
    SPEECH.test(line) &&
    !line.includes("step:") &&
    (line.length < SHORTEST_CONFIG || !mayBeConfig(line))
  );
}

/** What says a step of a dict, in it or before it. */
const SAYS_STEP = /step['"]\s*:|\b[Ss]tep[\s:=#]*\d|\bparameter version|validation metrics/;

/** What a console text comes to, line by line. */
class ConsoleText {
  /** As the trainer printed it. */
  #config: JsonObject | undefined;
  readonly #blocks = new PrintedBlocks();
  /** The step in a writer's last line, which belongs to the dict that begins on its next. */
  readonly #announced = new Map<string, number>();
  /** Evaluations that verl prints besides logging them: they count where it logs to another place. */
  readonly #validations: { readonly row: PrintedRow; readonly line: number }[] = [];
  readonly #file: FoundFile;
  readonly #context: ReadContext;
  readonly #writers: Writers;
  readonly #keys: WantedKeys;
  readonly #bar = new ProgressBar();
  #planned: number | undefined;
  #found = 0;
  /** Whether a step record of its own line was met. */
  #stepped = false;
  #progress = 0;

  constructor(file: FoundFile, context: ReadContext) {
    this.#file = file;
    this.#context = context;
    this.#writers = new Writers(context);
    this.#keys = new WantedKeys((key) => isSuccess(context.wants(key)));
  }

  take(raw: string, number: number, ended: boolean): void {
    const line = withoutColours(raw);
    if (line.includes("Training Progress")) {
      const bar = /(\d+)\/(\d+) \[/.exec(line);
      if (bar) [this.#progress, this.#planned] = [Number(bar[1]), Number(bar[2])];
    } else this.#writers.told(line, number);
    this.#bar.see(line);
    if (this.#blocks.idle && isSpeech(line)) return;
    // Where steps have lines of their own, what models print is not followed over its many lines.
    if (this.#stepped && this.#blocks.idle && this.#announced.size === 0 && !SAYS_STEP.test(line)) {
      if (line.includes("step:")) this.#line(line, number, ended);
      return;
    }
    if (!this.#blocks.idle || this.#announced.size > 0 || /[{:]\s*$|[{(]['"]/.test(line)) {
      const { writer, text } = unprefixed(line);
      const announced = this.#announced.get(writer);
      this.#announced.delete(writer);
      const block = this.#blocks.take(writer, text, number, announced);
      if (block === true) return;
      if (block) {
        this.#block(block, writer);
        return;
      }
      const step = /\bstep\s+(\d+):\s*$/i.exec(text);
      if (step && this.#announced.size < 256) this.#announced.set(writer, Number(step[1]));
      this.#line(line, number, ended, /^\s*\{/.test(text) ? announced : undefined);
    } else this.#line(line, number, ended);
  }

  #line(line: string, number: number, ended: boolean, announced?: number): void {
    // Where steps are logged as lines of their own, a dict is one only if it says its step: the rest is what models print.
    if (this.#stepped && !line.includes("step:") && !SAYS_STEP.test(line)) return;
    const row = consoleRow(line, ended, this.#keys);
    if (!row) return;
    const writer = processOf(line);
    if (row.step === undefined) {
      const said = beside(line.slice(0, line.indexOf("{")), row.values);
      this.#row({ values: row.values, ...(announced !== undefined && { step: announced }), ...said }, number, writer);
      return;
    }
    if (!this.#stepped) {
      this.#stepped = true;
      this.#bar.release();
      this.#writers.forgetStepless();
    }
    this.#logged(row.values, row.step, number, writer);
    if (!ended)
      this.#context.notes.warn(
        "log.truncated",
        `The last line (${number}) has no line end: its last value may be cut short and was left out.`,
        { file: this.#file.uri, line: number, column: line.length },
      );
  }

  #block(block: PrintedBlock, writer: string): void {
    if (this.#stepped && block.announced === undefined && !SAYS_STEP.test(block.lead) && !SAYS_STEP.test(block.text)) {
      if (this.#config !== undefined || !mayBeConfig(block.text)) return;
    }
    // Samples and tool calls are printed over many lines too, and parsing them all would take most of the time.
    if (!this.#keys.anyIn(block.text) && !mayBeConfig(block.text)) return;
    const row = printedRow(block);
    if (!row) return;
    const { announced } = block;
    if (isConfig(row.values)) this.#config ??= row.values;
    else
      this.#row({ ...(announced !== undefined && { step: announced }), ...row }, block.line, processOf(`(${writer})`));
  }

  #row(row: PrintedRow, line: number, writer: string): void {
    const values = unwrapRow(row.values);
    // Configs, samples and tool calls are printed as dicts too: only one with a success metric is a logged row.
    const wanted = (key: string) =>
      row.step === undefined ? isSuccess(this.#context.wants(key)) : this.#context.wants(key) !== undefined;
    if (!Object.keys(values).some(wanted)) return;
    if (row.phase) this.#validations.push({ row: { ...row, values }, line });
    else if (row.step !== undefined) this.#logged(values, row.step, line, writer);
    else {
      this.#found++;
      const stepless = { values, line, writer };
      if (this.#stepped || !this.#bar.hold(stepless)) this.#add(stepless);
    }
  }

  #add({ values, line, writer }: SteplessRow): void {
    const by = this.#writers.of(writer);
    by.rows.add(values, line, this.#file);
    this.#writers.logged(by, undefined, line);
  }

  #logged(values: JsonObject, step: number, line: number, writer: string): void {
    this.#found++;
    const by = this.#writers.of(writer);
    this.#writers.logged(by, step, line);
    const run = by.rows.run("");
    run.reach(step);
    run.addRow(values, step, line);
  }

  end(): RunMetrics[] {
    const { notes } = this.#context;
    if (this.#found === 0 && this.#validations.length > 0) {
      notes.inform(
        "log.printed",
        "No step is logged in this text; the evaluations that are printed before and after the training count, the step of the last as the progress bar tells it.",
        { file: this.#file.uri, line: this.#validations[0].line },
      );
      for (const { row, line } of this.#validations)
        this.#logged(row.values, row.phase === "initial" ? 0 : Math.max(1, this.#progress), line, "");
    }
    for (const block of this.#blocks.unfinished) {
      const cut = this.#keys.anyIn(block.text) ? printedRow(block) : undefined;
      if (cut && Object.keys(unwrapRow(cut.values)).some((key) => isSuccess(this.#context.wants(key)))) {
        notes.warn(
          "log.truncated",
          `The values that are printed from line ${block.line} on are cut short and were left out.`,
          { file: this.#file.uri, line: block.line },
        );
      }
    }
    const told = this.#bar.release();
    for (const row of told.rows) this.#add(row);
    if (told.spread > 0)
      notes.inform(
        "log.bar-steps",
        `No step is logged in this text. The progress bar tells the steps; ${told.spread} rows were printed together with others, and are spread evenly over the steps before.`,
        { file: this.#file.uri, line: told.rows[0].line },
      );
    const runs = this.#writers.runs().filter((run) => run.series.size > 0 || run.names.size > 0);
    if (runs.length === 0)
      notes.inform("log.no-metrics", "No line of this text holds logged metrics.", { file: this.#file.uri });
    for (const run of runs) {
      run.config ??= this.#config;
      run.plannedSteps ??= this.#planned ?? told.planned;
      if (told.reached !== undefined) run.reach(told.reached);
    }
    return runs;
  }
}
