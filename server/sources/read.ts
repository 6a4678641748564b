import { noteLeftOut } from "./files/leftOut";
import { isTrainingReward, type RunRow, type RunTable, type UnmeasuredRun } from "../core/table";
import type { Host } from "../host";
import { Columns } from "../runs/columns";
import { sourceOf } from "./index";
import type { FoundRun, Holding } from "./source";
import { evaluationsOf } from "../runs/final";
import type { FoundFile } from "../records/files";
import { factsOfRun, statedFacts } from "./files/runFacts";
import { factsOfLog } from "../runs/logFacts";
import { Notes } from "../records/notes";
import { mergeFacts } from "../runs/facts";
import type { FinalRule, RunFacts, RunOptions } from "../runs/options";
import { ofOneScale } from "../runs/oneScale";
import { isAssumedSuccess } from "../runs/results";
import type { Scale } from "../runs/scale";
import { consoleLog } from "./files/readers/console";
import type { ReadContext } from "./files/readers/reader";
import { ReadingCache } from "./kept/readingCache";
import { partsOf, rowOf } from "../runs/row";
import { paceOf, whyNone } from "./told";
import { type StatedState, stateOf } from "../runs/state";
import { lastWords } from "./files/lastWords";
import { SharedParts } from "./shared";
import { type Interest, RunMetrics, startsOver } from "../runs/series";
import { type Chosen, chooseSuccess, interest, type SuccessChoice } from "../runs/successMetric";

export { layered, placesOf } from "./kept/readingCache";
export { replicates, type Replicates } from "../runs/replicates";
export type {
  ConfigReader,
  FinalRule,
  RunCache,
  RunFacts,
  RunOptions,
  RunProgress,
  ScanBatch,
  ScanRequest,
  StoreQuery,
  TableAccelerator,
} from "../runs/options";
export { measureRollouts } from "./measure";
export type { MeasureOptions } from "./files/rollouts/measure";
export type { PassRates, RolloutMeasure, SyntheticCount } from "../rollouts/types";

/**
 * Reads folders of runs and table files into one run table. What could not be read, or was left out, is in the notes; a
 * bad file never stops the others.
 * @param sources URIs of folders or files
 * @throws only the signal's reason, when it is aborted
 */
export async function readRuns(host: Host, sources: readonly string[], options: RunOptions = {}): Promise<RunTable> {
  const session = new Session(host, options);
  for (const source of sources) await session.discover(source);
  await session.read();
  const { rows, unmeasured } = session;
  return { rows, notes: session.notes.list(), ...(unmeasured.length > 0 && { unmeasured }) };
}

/** What a source holds, and what its runs' names begin with. */
interface Pending {
  readonly found: Holding;
  readonly prefix: string;
}

class Session {
  rows: RunRow[] = [];
  readonly unmeasured: UnmeasuredRun[] = [];
  readonly notes = new Notes();
  readonly #host: Host;
  readonly #options: RunOptions;
  readonly #columns: Columns;
  readonly #rule: FinalRule | undefined;
  readonly #metric: string | undefined;
  readonly #wants: (key: string) => Interest;
  readonly #cache: ReadingCache;
  readonly #pending: Pending[] = [];
  readonly #ids = new Set<string>();
  /** Runs whose own facts state the scale of their values. */
  readonly #scaled = new Set<string>();
  readonly #shared = new SharedParts();
  readonly #read = new Set<string>();
  #done = 0;
  #total = 0;

  constructor(host: Host, options: RunOptions) {
    this.#host = host;
    this.#options = options;
    this.#columns = new Columns(options.columns);
    this.#metric = options.metric ?? options.columns?.metric;
    this.#cache = new ReadingCache(options.cache, JSON.stringify([this.#metric ?? null, options.columns ?? {}]));
    const wanted = interest(this.#metric);
    this.#wants = (key) => wanted(this.#columns.outcomeName(key));
    this.#rule = options.final;
    if (this.#rule !== undefined && this.#rule !== "best" && evaluationsOf(this.#rule) === undefined) {
      this.notes.warn(
        "run.final-rule",
        `“${this.#rule}” is no rule for a run's final value; last3 is used (also known: last, lastK, best).`,
      );
      this.#rule = undefined;
    }
    if (this.#rule === "best")
      this.notes.warn(
        "run.best-is-biased",
        "The best evaluation of each run was asked for: it flatters runs with many evaluations, by 2.6–4.2 points over 5–20 evaluations of 500 tasks.",
      );
  }

  async discover(uri: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const found = this.#onlyNew(
      await sourceOf(uri).find(uri, {
        host: this.#host,
        notes: this.notes,
        columns: this.#columns,
        wants: this.#wants,
        cache: this.#cache,
        options: this.#options,
        others: this.#pending.length > 0,
        prepare: (size) => this.#prepare(size),
      }),
    );
    for (const run of found.runs) this.#prepare(run.logs[0]?.files[0].size ?? 0);
    this.#pending.push({ found, prefix: this.#pending.length > 0 ? found.prefix : "" });
    for (const { file } of found.tables) this.#total += file.size;
    for (const run of found.runs) this.#total += run.logs[0]?.files.reduce((sum, file) => sum + file.size, 0) ?? 0;
  }

  /** The accelerator takes its time to start, so it starts while the rest is being found. */
  #prepare(size: number): void {
    const { accelerator } = this.#options;
    if (accelerator && size >= accelerator.worthwhile) accelerator.prepare?.();
  }

  /** Sources may overlap (`runs/**` and `runs/a`): a run is in the table once. */
  #onlyNew(found: Holding): Holding {
    const isNew = (lead: FoundFile | undefined) => {
      const uri = lead?.uri ?? "";
      if (!this.#read.has(uri)) {
        this.#read.add(uri);
        return true;
      }
      this.notes.inform("run.twice", "More than one source leads to this file; it was read once.", { file: uri });
      return false;
    };
    return {
      ...found,
      runs: found.runs.filter(({ logs, runJson }) => {
        const lead = logs[0]?.files[0] ?? runJson;
        return lead === undefined || isNew(lead);
      }),
      tables: found.tables.filter(({ file }) => isNew(file)),
    };
  }

  async read(): Promise<void> {
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
      const { prefix } = next;
      for (const table of next.found.tables) {
        const { file } = table;
        const rows = await table.read(this.#context(file.uri));
        if (rows.length === 0)
          this.notes.warn("table.no-rows", "No row of this table could be used.", { file: file.uri });
        for (const row of rows) this.#push({ ...row, id: prefix + row.id });
      }
      // What is read is let go of: of a hundred thousand runs only the rows stay.
      const runs = [...next.found.runs].reverse();
      next = undefined;
      for (let run = runs.pop(); run; run = runs.pop()) await this.#readRun(run, prefix);
    }
    const { rows, unmeasured } = ofOneScale(this.rows, this.notes, this.#scaled);
    this.rows = [...rows];
    for (const run of unmeasured) this.unmeasured.push(run);
  }

  #push(row: RunRow, scaled = false): void {
    const id = this.#unique(row.id);
    if (scaled) this.#scaled.add(id);
    this.rows.push(this.#shared.row({ ...row, id }));
  }

  #unique(wanted: string): string {
    let id = wanted;
    for (let i = 2; this.#ids.has(id); i++) id = `${wanted} (${i})`;
    this.#ids.add(id);
    return id;
  }

  #context(file: string): ReadContext {
    const { accelerator, signal, onProgress } = this.#options;
    return {
      host: this.#host,
      notes: this.notes,
      columns: this.#columns,
      wants: this.#wants,
      accelerator,
      signal,
      onBytes: (count) => {
        this.#done += count;
        onProgress?.({ done: Math.min(this.#done, this.#total), total: this.#total, file });
      },
    };
  }

  async #readRun(run: FoundRun, prefix: string): Promise<void> {
    let best: { metrics: readonly RunMetrics[]; files: readonly FoundFile[] } | undefined;
    // A run may name its own metric, which no list of ours need know.
    const stated = await statedFacts(this.#host, run, this.notes);
    const own = this.#metric === undefined ? stated?.metric : undefined;
    const wanted = own === undefined ? undefined : interest(own);
    for (const log of run.logs) {
      const context = this.#context(log.files[0].uri);
      const metrics = await log.read(
        wanted ? { ...context, wants: (key) => wanted(this.#columns.outcomeName(key)) } : context,
        own,
      );
      best ??= { metrics, files: log.files };
      if (metrics.some((each) => this.#choose(each, own, undefined).choice)) {
        best = { metrics, files: log.files };
        const others = run.logs.filter((other) => other !== log);
        if (others.length > 0)
          this.notes.inform(
            "run.other-logs",
            `${prefix + run.id} is read from ${log.title}; its other logs (${others.map((other) => other.title).join(", ")}) were not needed.`,
            { file: log.files[0].uri },
          );
        break;
      }
    }
    if (!best || best.metrics.length === 0) {
      if (run.runJson) {
        await this.#unstarted(run, stated, run.runJson, prefix);
        return;
      }
      // A text without logged metrics has its note from its reader; it need not be a run's.
      if (run.logs.some((log) => log.kind !== consoleLog.id))
        this.notes.warn("run.no-metrics", `${prefix + run.id}: no metrics could be read.`, {
          file: run.logs[0].files[0].uri,
        });
      return;
    }
    for (const metrics of best.metrics)
      await this.#addRun(run, stated, metrics, best.files, prefix, best.metrics.length > 1);
  }

  /** A run that is stated and of which nothing was measured: it is planned, or came to nothing. */
  async #unstarted(run: FoundRun, stated: RunFacts | undefined, runJson: FoundFile, prefix: string): Promise<void> {
    const metrics = new RunMetrics(this.#wants);
    const own = await factsOfRun(this.#host, run, stated, metrics, run.name, this.#options, this.notes);
    const files = run.logs.flatMap((log) => log.files);
    const places = files.length > 0 ? files : [runJson];
    const outside = this.#options.facts?.(places.map(({ uri }) => uri));
    const consoles = run.logs.filter(({ kind }) => kind === consoleLog.id).flatMap((log) => log.files);
    const ending = consoles.length > 0 ? await lastWords(this.#host, consoles) : undefined;
    const state = stateOf({ unstarted: true, ...(ending && { ending }) }, this.#options.now ?? Date.now());
    const id = this.#unique(prefix + run.id);
    this.unmeasured.push(
      partsOf({ id, facts: mergeFacts(own, outside), metrics, files: places.map(({ uri }) => uri), state }),
    );
    this.notes.inform("run.planned", `${id}: ${state.reason}.`, { file: places[0].uri });
  }

  /** A column that `columns` calls the success rate comes before the frameworks' own names, in the logs that have it. */
  #choose(
    metrics: RunMetrics,
    stated: string | undefined,
    framework: string | undefined,
    scale: Scale | undefined = this.#options.scale,
  ): Chosen {
    if (this.#metric === undefined && stated === undefined && this.#options.columns?.success_rate !== undefined) {
      const mapped = chooseSuccess(metrics, "success_rate", framework, scale);
      if (mapped.choice || mapped.refusals.length > 0) return mapped;
    }
    return chooseSuccess(metrics, this.#metric ?? stated, framework, scale);
  }

  async #addRun(
    run: FoundRun,
    stated: RunFacts | undefined,
    metrics: RunMetrics,
    files: readonly FoundFile[],
    prefix: string,
    several: boolean,
  ): Promise<void> {
    metrics.settle();
    const name = several ? (metrics.name ?? run.name) : run.name;
    const id = prefix + (several ? `${run.id}#${name}` : run.id);
    const own = await factsOfRun(this.#host, run, stated, metrics, name, this.#options, this.notes);
    const places = files.map(({ uri }) => uri);
    const outside = this.#options.facts?.([...places, ...(several ? places.map((uri) => `${uri}#${name}`) : [])]);
    const facts = mergeFacts(own, factsOfLog(metrics, this.#columns), outside);
    const place = { file: files[0].uri };
    noteLeftOut(this.notes, id, metrics, place);
    const state = await this.#stateOf(run, metrics, facts, files);
    const shown = [...places, ...(run.runJson ? [run.runJson.uri] : [])];
    const { choice, base, refusals, others } = this.#choose(metrics, facts.metric, facts.framework, facts.scale);
    for (const { reason } of refusals) this.notes.inform("run.metric-refused", `${id}: ${reason}.`, place);
    if (!choice) {
      const isPlanned = state.state === "planned";
      this.notes.add(
        isPlanned ? "information" : "warning",
        isPlanned ? "run.planned" : "run.no-success-metric",
        isPlanned
          ? `${id}: ${state.reason}.`
          : `${id}: ${whyNone({ metrics, base, refusals, asked: this.#metric ?? facts.metric, isWanted: (key) => /^(evaluation|training)$/.test(this.#wants(key) ?? "") })}`,
        place,
      );
      this.unmeasured.push({
        ...partsOf({ id: this.#unique(id), facts, metrics, files: shown, state }),
        ...(base !== undefined && { base }),
        ...(others.length > 0 && { others }),
      });
      return;
    }
    if (choice.on === "training") {
      const isReward = isTrainingReward(choice);
      this.notes.add(
        isReward ? "warning" : "information",
        "run.training-reward",
        `${id}: no evaluation ${others.some(({ why }) => why.includes("before the training")) ? "after the first step " : ""}was logged; ${choice.keys.join(", ")} of the training rollouts ${isReward ? `is a ${choice.tells}, which need not be a success rate: no fit takes it until \`metric\` in scaling.yaml names it` : "stands in for the success rate"}.`,
        place,
      );
    }
    if (isAssumedSuccess(choice))
      this.notes.inform(
        "run.evaluation-reward",
        `${id}: ${choice.keys.join(", ")} is a reward of evaluations; it is taken as the success rate, which is right where it is 1 for a success and 0 otherwise.`,
        place,
      );
    this.#aboutValues(id, choice, files[0].uri, facts.scale ?? this.#options.scale);
    if (choice.keys.length > 1)
      this.notes.inform("run.metric-mean", `${id}: the success rate is the mean of ${choice.keys.join(", ")}.`, place);
    if (Object.keys(facts.axes ?? {}).length === 0)
      this.notes.warn(
        "run.no-axes",
        `${id}: no axis is known. Neither run.json nor a config that is recognised stands beside the log; scaling.yaml can state them.`,
        place,
      );
    for (const [i, part] of this.#parts(choice, id, files).entries()) {
      this.#push(
        rowOf({
          id: i === 0 ? id : `${id} (${i + 1})`,
          facts,
          metrics,
          choice: part,
          base,
          rule: this.#rule,
          files: shown,
          state,
        }),
        facts.scale !== undefined,
      );
    }
  }

  async #stateOf(
    run: FoundRun,
    metrics: RunMetrics,
    facts: RunFacts,
    files: readonly FoundFile[],
  ): Promise<StatedState> {
    // A metrics file has no last words; the console text beside it may.
    const consoles = run.logs.filter(({ kind, files: [file] }) => kind === consoleLog.id && !files.includes(file));
    const own = metrics.ending?.kind === "open" ? undefined : metrics.ending;
    const ending =
      own ?? (consoles.length > 0 ? await lastWords(this.#host, consoles[0].files) : undefined) ?? metrics.ending;
    const latest = files.reduce((a, b) => (b.modified > a.modified ? b : a));
    // Asked for only where no last words tell whether the run is on.
    const created = ending ? undefined : (await this.#host.stat(latest.uri))?.created;
    return stateOf(
      {
        ...metrics,
        unstarted: metrics.lastStep === undefined && (run.runJson !== undefined || facts.plannedSteps !== undefined),
        pace: paceOf(metrics, facts, latest.modified, created),
        ...(ending && { ending }),
        plannedSteps: facts.plannedSteps ?? metrics.plannedSteps,
        fromZero: metrics.firstStep === 0 && metrics.gap === 1,
        modified: latest.modified,
        ...(created !== undefined && { created }),
      },
      this.#options.now ?? Date.now(),
    );
  }

  /** What was done to the values before they count. */
  #aboutValues(
    id: string,
    { keys, left, firstLeft, scale, series }: SuccessChoice,
    file: string,
    stated?: Scale,
  ): void {
    if (left > 0 && firstLeft)
      this.notes.warn(
        "log.outliers",
        `${id}: ${left} of ${left + series.values.length} values of ${keys[0]} cannot be a success rate (the first: ${firstLeft.value} at step ${firstLeft.step}) and ${left > 1 ? "were" : "was"} left out.`,
        { file, ...(firstLeft.line > 0 ? { line: firstLeft.line } : {}) },
      );
    if (scale === "percent" && stated === undefined)
      this.notes.inform(
        "run.percent",
        `${id}: ${keys[0]} has values above 1 and none above 100; they are read as percent.`,
        { file },
      );
    else if (stated === "percent" && series.values.every((value) => value <= 0.01))
      this.notes.inform(
        "run.percent",
        `${id}: ${keys[0]} is read as percent, as \`scale\` says, though no value is above 1.`,
        { file },
      );
    if (series.late !== undefined && series.late > 0)
      this.notes.inform(
        "log.late",
        `${id}: ${series.late} value${series.late > 1 ? "s" : ""} of earlier steps came late, as asynchronous evaluations do; all count, in the order of their steps.`,
        { file },
      );
  }

  /** A log that starts over from its beginning holds two runs, or a first attempt and the run. */
  #parts(choice: SuccessChoice, id: string, files: readonly FoundFile[]): SuccessChoice[] {
    const place = (line: number) => ({ file: files[0].uri, ...(line > 0 ? { line } : {}) });
    const { raw, series } = choice;
    const starts = choice.keys.length === 1 && !choice.counts && raw.steps.length > 0 ? startsOver(raw) : [0];
    if (starts.length > 1) {
      const sizes = starts.map((start, i) => (starts[i + 1] ?? raw.steps.length) - start);
      const last = sizes[sizes.length - 1];
      const kept = starts.filter((_, i) => i === starts.length - 1 || sizes[i] * 2 >= last);
      const line = raw.lines[starts[starts.length - 1]];
      const again = raw.steps.slice(starts[1]).some((step) => raw.steps.indexOf(step) < starts[1]);
      if (kept.length > 1 && sizes.every((size) => size >= (again ? 2 : 3))) {
        this.notes.warn(
          "log.two-runs",
          `${id}: the log starts over at step ${raw.steps[starts[starts.length - 1]]}; its ${kept.length} parts count as runs of their own.`,
          place(line),
        );
        return kept.map((start) => {
          const end = starts[starts.indexOf(start) + 1] ?? raw.steps.length;
          const part = {
            steps: raw.steps.slice(start, end),
            values: raw.values.slice(start, end),
            lines: raw.lines.slice(start, end),
          };
          return { ...choice, raw: part, series: { ...part, restarts: [] } };
        });
      }
    }
    for (const { from, to, line } of series.restarts.slice(0, 5)) {
      this.notes.inform(
        "log.restart",
        `${id}: the log goes back from step ${from} to ${to}; what it measured again from there on replaces the earlier values.`,
        place(line),
      );
    }
    const repeated = series.repeated ?? [];
    if (repeated.length > 0) {
      const more = repeated.length > 1 ? `, and ${repeated.length - 1} more steps,` : "";
      this.notes.warn(
        "log.repeated-step",
        `${id}: step ${repeated[0].step}${more} stand more than once with other values; the later one counts. Several runs in one file need a run column.`,
        place(repeated[0].line),
      );
    }
    return [choice];
  }
}
