import { isKnown, known, unknown, type Fact } from "../../budget/budget";
import type { Framework } from "../sheet/sheet";

/** Rows of the training data, when they could be counted. */
export interface DatasetRows {
  readonly rows: number;
  /** How they were counted: `7,473 rows in train.parquet`. */
  readonly note: string;
  /** Distinct environments in a column that says so (`data_source`, `env`). */
  readonly environments?: number;
  /** Distinct tasks, where a column of ids repeats: fewer than the rows. */
  readonly tasks?: number;
  /** `scaling.yaml` where a person stated the tasks: that holds for placeholder data too. Default: the dataset. */
  readonly source?: "dataset" | "scaling.yaml";
}

export interface Basics {
  readonly promptsPerStep: Fact<number>;
  readonly groupSize: Fact<number>;
  readonly statedSteps: Fact<number> | undefined;
  readonly epochs: Fact<number>;
  readonly statedTasks: Fact<number> | undefined;
}

export interface Derived {
  readonly steps: Fact<number>;
  readonly tasks: Fact<number>;
  readonly trajectories: Fact<number>;
}

/**
 * S, D_T and D_τ from what the config states (frameworks' arithmetic, once for all of them):
 * S = the stated steps, or passes over the rows, whichever ends first; D_T = min(rows, S·P);
 * D_τ = n·S·P / D_T, the mean rollouts per task that is seen at all.
 */
export function deriveAxes(
  framework: Framework,
  basics: Basics,
  data: DatasetRows | undefined,
  notTasks: string | undefined,
): Derived {
  const rows = rowsOf(framework, basics.statedTasks, data, notTasks);
  const steps = stepsOf(framework, basics, rows, notTasks);
  const tasks = distinctTasks(tasksOf(steps, basics.promptsPerStep, rows), data, notTasks);
  return { steps, tasks, trajectories: trajectoriesOf(basics, steps, tasks) };
}

/** Rows that repeat a task id are not new tasks. */
function distinctTasks(seen: Fact<number>, data: DatasetRows | undefined, notTasks: string | undefined): Fact<number> {
  if (data?.tasks === undefined || notTasks !== undefined || !isKnown(seen) || seen.value <= data.tasks) return seen;
  return known(data.tasks, "dataset", { note: data.note });
}

/** The rows that may be drawn: those of the dataset, cut by a stated limit. */
function rowsOf(
  framework: Framework,
  stated: Fact<number> | undefined,
  data: DatasetRows | undefined,
  notTasks: string | undefined,
): Fact<number> {
  const counted =
    data && (notTasks === undefined || data.source === "scaling.yaml")
      ? known(data.rows, data.source ?? "dataset", { note: data.note })
      : undefined;
  if (stated && isKnown(stated)) {
    if (!counted) return stated;
    return stated.value < counted.value ? { ...stated, note: `limit, of ${data?.note ?? ""}` } : counted;
  }
  if (counted) return counted;
  if (stated) return stated;
  return unknown(
    notTasks ??
      framework.fields.tasks?.otherwise ??
      "the rows of the dataset are not in the workspace; state them in scaling.yaml",
  );
}

function stepsOf(framework: Framework, basics: Basics, rows: Fact<number>, notTasks: string | undefined): Fact<number> {
  const { statedSteps, epochs, promptsPerStep } = basics;
  const passes = passSteps(framework, epochs, promptsPerStep, rows);
  if (statedSteps && isKnown(statedSteps)) {
    // Where the rows are no tasks, passes over the tasks end nothing.
    if (passes && notTasks === undefined && passes.value < statedSteps.value && !framework.stepsOverrideEpochs)
      return { ...passes, note: `${passes.note}; the epochs end before the ${statedSteps.value} steps` };
    return statedSteps;
  }
  if (statedSteps) return statedSteps;
  if (passes) return passes;
  if (isKnown(epochs) && !isKnown(rows))
    return unknown(
      `${epochs.value} ${epochs.value === 1 ? "epoch" : "epochs"} over data of unknown size${notTasks ? ` (${notTasks})` : ""}`,
    );
  return unknown(
    isKnown(epochs)
      ? "the prompts per step are unknown"
      : (framework.fields.steps?.otherwise ?? "no number of steps or epochs is stated"),
  );
}

function passSteps(framework: Framework, epochs: Fact<number>, prompts: Fact<number>, rows: Fact<number>) {
  if (!isKnown(epochs) || !isKnown(prompts) || !isKnown(rows) || prompts.value <= 0) return undefined;
  const dropped = framework.lastPartialBatch !== "kept";
  const each = rows.value / prompts.value;
  const perEpoch = dropped ? Math.floor(each + TINY) : Math.ceil(each - TINY);
  const value = Math.floor(perEpoch * epochs.value);
  if (value < 1) return undefined;
  return known(value, "derived", {
    note: `${dropped ? "⌊" : "⌈"}${rows.value} rows / ${shown(prompts.value)} prompts${dropped ? "⌋" : "⌉"} × ${epochs.value} epochs`,
  });
}

/** Against the rounding of a mean such as 8/3 prompts per step. */
const TINY = 1e-9;

/** Prompts of so many steps; a mean per step may be broken, their number is not. */
export function promptsDrawn(steps: number, perStep: number): number {
  return Math.ceil(steps * perStep - TINY);
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));

function tasksOf(steps: Fact<number>, prompts: Fact<number>, rows: Fact<number>): Fact<number> {
  const drawn = isKnown(steps) && isKnown(prompts) ? promptsDrawn(steps.value, prompts.value) : undefined;
  if (!isKnown(rows))
    return drawn === undefined ? rows : unknown(`${rows.reason} (at most steps × prompts = ${drawn} can be seen)`);
  if (drawn === undefined || drawn >= rows.value) return rows;
  return known(drawn, "derived", { note: `steps × prompts: only ${drawn} of ${rows.value} tasks are ever seen` });
}

function trajectoriesOf(basics: Basics, steps: Fact<number>, tasks: Fact<number>): Fact<number> {
  const { promptsPerStep: p, groupSize: n, epochs } = basics;
  if (!isKnown(n)) return unknown(`the group size is unknown: ${n.reason}`);
  if (isKnown(steps) && isKnown(p) && isKnown(tasks)) {
    const value = (n.value * promptsDrawn(steps.value, p.value)) / tasks.value;
    return known(value, "derived", {
      note: `n·S·P / D_T = ${n.value} × ${steps.value} × ${shown(p.value)} / ${tasks.value}`,
    });
  }
  if (basics.statedSteps === undefined && isKnown(epochs)) {
    return known(n.value * epochs.value, "derived", {
      note: `n × epochs = ${n.value} × ${epochs.value}, for any number of tasks`,
    });
  }
  if (isKnown(tasks)) return unknown("the steps or the prompts per step are unknown");
  const all = isKnown(steps) && isKnown(p) ? n.value * promptsDrawn(steps.value, p.value) : undefined;
  return unknown(
    `the tasks are unknown: ${tasks.reason}${all === undefined ? "" : `; it is the ${all} rollouts / D_T once the tasks are stated`}`,
  );
}

/** At most the limits (`independent`: each turn is a prompt of its own, history included): what a trajectory can cost when neither logs nor `scaling.yaml` say more. */
export function tokensAtMost(
  prompt: Fact<number>,
  response: Fact<number>,
  turns: Fact<number>,
  scope: "turn" | "trajectory" | null,
  independent = false,
): Fact<number> {
  if (!isKnown(response)) return unknown(`no limit on the response is known: ${response.reason}`);
  const perTurn = scope === "turn";
  if (perTurn && !isKnown(turns)) return unknown("the response limit is per turn and the number of turns is unknown");
  if (independent && isKnown(turns)) {
    if (!isKnown(prompt)) return unknown(`each turn has a prompt of its own, without a limit: ${prompt.reason}`);
    return known(turns.value * (prompt.value + response.value), "derived", {
      note: `at most: ${turns.value} turns × (prompt ${prompt.value} + reply ${response.value}), each turn a prompt of its own; real values come from logs`,
    });
  }
  const replies = perTurn && isKnown(turns) ? response.value * turns.value : response.value;
  const opening = isKnown(prompt) ? prompt.value : 0;
  return known(opening + replies, "derived", {
    note: `at most: ${isKnown(prompt) ? `prompt ${prompt.value} + ` : ""}${perTurn && isKnown(turns) ? `${turns.value} turns × ${response.value}` : `response ${response.value}`}${isKnown(prompt) ? "" : ", without the prompt, whose limit is unknown"}; real values come from logs`,
  });
}
