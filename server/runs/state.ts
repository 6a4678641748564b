import type { RunState, Unplanned } from "../core/table";

/** What a log tells of how far its run came and how it ended. Steps are training steps. */
export interface RunSigns {
  /** The highest step logged at all, whatever was measured there. */
  readonly lastStep?: number;
  /** Between the last two steps logged. */
  readonly gap?: number;
  /** Whether steps are counted from 0, one after another. */
  readonly fromZero?: boolean;
  readonly plannedSteps?: number;
  /** When the log was last written, and the latest time that it states itself, in milliseconds since 1970. */
  readonly modified?: number;
  readonly lastTime?: number;
  /** When the log was made: one that is older than its last write has grown, a copy has not. */
  readonly created?: number;
  /** What its steps count, where that is not training steps: a plan in steps says nothing of them then. */
  readonly countedBy?: string;
  /** Milliseconds from one logged row to the next, where that is known. */
  readonly pace?: number;
  /** Nothing was measured yet, but a config is there. */
  readonly unstarted?: boolean;
  readonly ending?: Ending;
}

/** What the last lines say, after the last logged step. */
export interface Ending {
  /** `open`: the record that a run ends with is missing: it was killed, or is still being written. */
  readonly kind: "finished" | "crashed" | "stopped" | "open";
  /** The line that says so, shortened. */
  readonly text: string;
  /** 1-based; 0: no lines. */
  readonly line: number;
}

export interface StatedState {
  readonly state: RunState;
  readonly reason: string;
  /** Counted as finished for want of a plan. `growing`: its log has grown and was written a moment ago, so that it may be on. */
  readonly unplanned?: Unplanned;
}

/** A log that was written this recently may still be written, in milliseconds: steps of large agents take half an hour. */
const FRESH = 30 * 60_000;

/** A slow run is given so many of its own rows, and no run more than two days. */
const ROWS = 3;
const LONGEST = 48 * 60 * 60_000;

/** A run this far beyond its plan was planned in another unit (epochs, samples). */
const OTHER_UNIT = 1.5;

/** A log that was written for longer than this has grown with its run: copies and checkouts are written at once (milliseconds). */
const GROWN = 20_000;

/** A run whose last row is this close to its plan, and that nobody writes any more, has come to its end. */
const NEARLY = 0.97;

/**
 * Planned, running, finished, stopped or crashed: by the planned steps, the last one, closing lines and tracebacks, and the
 * time of the last write. Where no plan is known and nothing says otherwise a run counts as finished, and the reason says so.
 * @param now milliseconds since 1970
 */
export function stateOf(signs: RunSigns, now: number): StatedState {
  const unit = unitOfPlan(signs);
  if (unit !== undefined && signs.plannedSteps !== undefined) {
    const { plannedSteps: _, ...unplanned } = signs;
    const found = stateOf(unplanned, now);
    return { ...found, reason: `${found.reason}; the plan of ${signs.plannedSteps} ${unit}` };
  }
  const { lastStep, plannedSteps, gap = 1 } = signs;
  const { ending, open } = endOf(signs.ending);
  const at = lastStep === undefined ? "" : `step ${lastStep}`;
  const of = plannedSteps === undefined ? at : `${at} of ${plannedSteps}`;
  if (lastStep === undefined) {
    if (ending?.kind === "crashed") return { state: "crashed", reason: `no step was logged before “${ending.text}”` };
    if (ending?.kind === "stopped") return { state: "stopped", reason: `no step was logged before “${ending.text}”` };
    if (signs.unstarted) return { state: "planned", reason: "there is a config, and no step is logged yet" };
  }
  const written = Math.min(signs.modified ?? 0, signs.lastTime ?? Infinity);
  const fresh = Math.max(FRESH, Math.min(LONGEST, ROWS * (signs.pace ?? 0)));
  const isFresh = written > 0 && now - written < fresh && written - now < FRESH;
  if (plannedSteps !== undefined && lastStep !== undefined) {
    const due = lastStep + gap;
    if (due > plannedSteps || (signs.fromZero && due >= plannedSteps)) return { state: "finished", reason: of };
    if (!isFresh && ending?.kind !== "crashed" && (due >= plannedSteps || lastStep >= NEARLY * plannedSteps))
      return { state: "finished", reason: `${of}, and nothing was written after it` };
  }
  if (ending) {
    const reason = `${of === "" ? "" : `${of}; `}“${ending.text}”`;
    if (ending.kind !== "finished") return { state: ending.kind, reason };
    if (plannedSteps === undefined || lastStep === undefined) return { state: "finished", reason };
    return { state: "stopped", reason: `${of}; its log ends with “${ending.text}”` };
  }
  const ago = now - written;
  if (open && plannedSteps === undefined)
    return isFresh
      ? { state: "running", reason: `${at === "" ? "no step yet" : at}; written ${duration(Math.max(0, ago))} ago` }
      : { state: "stopped", reason: `${at === "" ? "no step was logged" : at}; ${open.text}` };
  if (plannedSteps === undefined || lastStep === undefined)
    return {
      state: "finished",
      reason: `${at === "" ? "" : `${at}; `}no planned steps are known, and no line says otherwise`,
      unplanned: isFresh && written - (signs.created ?? Infinity) > GROWN ? "growing" : "still",
    };
  if (isFresh) return { state: "running", reason: `${of}; written ${duration(Math.max(0, ago))} ago` };
  return {
    state: "stopped",
    reason: written > 0 ? `${of}; nothing was written for ${duration(ago)}` : `${of}; nothing says that it goes on`,
  };
}

function endOf(told: Ending | undefined) {
  if (!told) return {};
  const { kind, text } = told;
  return kind === "open" ? { open: { text } } : { ending: { kind, text } };
}

/** Why the plan does not count the log's own steps; undefined where it does. */
export function unitOfPlan({ countedBy, plannedSteps, lastStep, gap = 1 }: RunSigns): string | undefined {
  if (plannedSteps === undefined) return undefined;
  if (countedBy === "lines") return "steps does not apply: no step is logged, and lines are counted";
  if (countedBy !== undefined) return `steps does not apply: the log counts ${countedBy}s`;
  if (lastStep !== undefined && lastStep > OTHER_UNIT * plannedSteps && lastStep - gap > plannedSteps + 1)
    return `seems to be in another unit, such as epochs`;
  return undefined;
}

function duration(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 2) return `${Math.round(milliseconds / 1000)} s`;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return minutes < 2 * 24 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 60 / 24)} days`;
}

/** The parts of a log's last lines that tell an end. The latest that matches counts; none is looked for before the last step. */
const SIGNS: readonly { readonly kind: Ending["kind"]; readonly pattern: RegExp }[] = [
  {
    kind: "stopped",
    pattern:
      /\bKeyboardInterrupt\b|DUE TO (?:TIME LIMIT|PREEMPTION)|\*\*\* (?:JOB|STEP) \S+ .*CANCELLED|\bSIGTERM\b|[Rr]eceived signal 15|[Ee]arly stopping|\bPreempted\b|[Tt]raining (?:was )?(?:interrupted|stopped)\b/,
  },
  {
    kind: "crashed",
    pattern:
      /Traceback \(most recent call last\)|^\S*(?:[A-Z]\w*(?:Error|Exception)|RayTaskError\(\w+\))(?:: |$)|out of memory|OutOfMemory|oom[-_ ]kill|Segmentation fault|core dumped|srun: error|^Killed\b|Aborted \(core|exit(?:ed with)? code[: ]+[1-9]|SIGKILL|SIGSEGV|ActorDiedError|actor died|NCCL (?:error|timeout)/,
  },
  {
    kind: "finished",
    pattern:
      /[Tt]raining (?:is |has )?(?:finished|completed?|done|ended)\b|[Ff]inished training|[Ff]inal validation metrics|Run history:|Run summary:|[Tt]rain(?:ing)? took |'train_runtime'|"train_runtime"|\bALL DONE\b/i,
  },
];

/** Ray's processes that hold the training: when one of them fails, the run has. */
const DRIVER = /^(?:\w*TaskRunner|main_task|\w*[Dd]river|\w*Trainer)\b/;
/** What ends a run wherever it strikes. */
const FATAL =
  /out of memory|OutOfMemory|oom[-_ ]kill|Segmentation fault|core dumped|SIGKILL|SIGSEGV|[Aa]ctor ?[Dd]ied|NCCL/;

/**
 * What one line after the last step says of the run's end; undefined for most lines.
 * @param writer the process that wrote it, as Ray names it: `CursorLoopWorker pid=57714`; "" for the run itself. An error that a
 * worker logs is mostly handled, and the run goes on; where it is not, the driver raises it again.
 */
export function endingOf(line: string, number: number, writer = ""): Ending | undefined {
  const head = line.length > 400 ? line.slice(0, 400) : line;
  const isWorker = writer !== "" && !DRIVER.test(writer);
  for (const { kind, pattern } of SIGNS)
    if (pattern.test(head) && !(kind === "crashed" && isWorker && !FATAL.test(head)))
      return { kind, text: shortened(head.trim()), line: number };
  return undefined;
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}

/**
 * The end that several lines come to: an interruption or a crash names its last line (the exception, not the word
 * “Traceback”), and a log that then closes properly has only told of an error of its own.
 */
export function laterEnding(before: Ending | undefined, next: Ending): Ending {
  if (!before) return next;
  // Stopping by hand or by the scheduler raises exceptions of its own.
  if (before.kind === "stopped" && next.kind === "crashed") return before;
  // W&B prints its summary after a crash, too.
  if (before.kind !== "finished" && next.kind === "finished" && !/training/i.test(next.text)) return before;
  return next;
}
