import {
  isKnown,
  type BudgetTarget,
  type EditPlan,
  type ExperimentBudget,
  type PlannedEdit,
  type Remainder,
} from "../../budget/budget";
import { Config, whyNotEditable, type Found } from "../sheet/config";
import { textSpan } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { TreeNode } from "../../syntax/tree";
import type { Counts, Framework, Knob } from "../sheet/sheet";
import { toNumber } from "../sheet/reads";
import { promptsDrawn } from "./derive";
import { withThose } from "./written";
import { numberLike } from "../../syntax/quantity/style";

export interface EditOptions {
  /** Rows of the dataset, when counted: more tasks than this cannot be had from its limit. */
  readonly rows?: number;
  /** The edits that are left once the tasks are as wanted, made by hand where no key of the file moves them. */
  readonly tasksByHand?: boolean;
}

interface Numbers {
  readonly prompts: number | null;
  readonly group: number | null;
  readonly steps: number | null;
  readonly epochs: number | null;
  readonly tasks: number | null;
  readonly trajectories: number | null;
}

/**
 * From an optimum to edits of this file. Not unique, so it is fixed: prompts per step stay; the group size moves only
 * when the target names it; rollouts per task move the duration; tasks move the dataset's limit, never above its rows.
 * What cannot be written becomes a remainder with the reason. A value that already stands there is among the edits.
 */
export function planEdits(
  framework: Framework,
  config: Config,
  budget: ExperimentBudget,
  target: BudgetTarget,
  options: EditOptions = {},
): EditPlan {
  const plan = new Plan(framework, config, budget);
  const now = numbersOf(budget);
  for (const axis of ["environments", "worlds", "structures", "parameters"] as const) {
    const to = target[axis];
    if (to === undefined) continue;
    const fact = axis === "parameters" ? budget.model.parameters : budget.axes[axis];
    const from = isKnown(fact) ? fact.value : null;
    if (from !== to) plan.leave(axis, from, to, framework.remainders?.[axis] ?? REASONS[axis]);
  }
  for (const [axis, parts] of Object.entries(target.synthesis ?? {})) {
    const from = budget.synthesis[axis]?.synthetic;
    if (parts)
      plan.leave(
        axis,
        from && isKnown(from) ? from.value : null,
        parts.synthetic,
        `the best mix is ${parts.real} real and ${parts.synthetic} synthetic ${axis}, which no key of this file states`,
      );
  }
  const group = plan.group(target, now);
  const written = plan.tasks(target, now, options);
  const tasks = options.tasksByHand ? (target.tasks ?? written) : written;
  plan.duration(target, now, group, tasks);
  const done = plan.done();
  if (now.prompts === null || target.groupSize === undefined || !framework.fields.promptsPerStep) return done;
  const prompts = promptsAfter(framework.fields.promptsPerStep, config, done.edits);
  if (prompts === now.prompts) return done;
  // The group size is part of what the prompts per step are computed from, and nothing here can make up for it.
  const without = planEdits(framework, config, budget, { ...target, groupSize: undefined }, options);
  const change =
    prompts === null
      ? `no longer follow from the file (they are ${now.prompts})`
      : `change from ${now.prompts} to ${prompts}`;
  const reason = `the prompts per step would ${change}: the batch counts rollouts, and no key here makes up for it`;
  return {
    edits: without.edits,
    remainder: [...without.remainder, { axis: "groupSize", from: now.group, to: target.groupSize ?? 0, reason }],
  };
}

/** What the key counts that ends the run, and so moves with the rollouts per task; null where none stands in the file. */
export function durationUnit(framework: Framework, config: Config, budget: ExperimentBudget): Counts | null {
  return new Plan(framework, config, budget).unit();
}

/** The prompts per step that the framework would read once the edits are made; null when it could not tell. */
function promptsAfter(
  field: NonNullable<Framework["fields"]["promptsPerStep"]>,
  config: Config,
  edits: readonly PlannedEdit[],
): number | null {
  const fact = field.read(configAfter(config, edits));
  return fact !== undefined && isKnown(fact) ? fact.value : null;
}

/** The config with the values that the edits write, without another parse. */
export function configAfter(config: Config, edits: readonly PlannedEdit[]): Config {
  if (edits.length === 0) return config;
  const change = <Node extends TreeNode>(node: Node): Node => {
    if (node.kind === "map")
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: change(entry.value) })) };
    if (node.kind === "list") return { ...node, items: node.items.map(change) };
    if (node.kind !== "scalar" || node.file) return node;
    const stands = (one: PlannedEdit, span: Span) =>
      one.span.start >= span.start && one.span.end <= span.end && one.from === node.text;
    const edit = edits.find((one) => stands(one, node.span) || (node.from?.length === 1 && stands(one, node.from[0])));
    return edit ? { ...node, value: toNumber(edit.to) ?? node.value } : node;
  };
  const again = new Config(
    { ...config.variant, root: change(config.variant.root), flags: change(config.variant.flags) },
    config.syntax,
    config.text,
  );
  again.fragment = config.fragment;
  again.cutOff = config.cutOff;
  again.shipped = config.shipped;
  return again;
}

const REASONS = {
  environments: "environments are code and data, not a number in this file: add or remove them where they are listed",
  worlds: "worlds are code and data, not a number in this file",
  structures: "structures are code and data, not a number in this file",
  parameters: "choose another model: its size is not a number in this file",
  tasks: "the tasks come from the dataset, and this file has no limit on its rows to edit",
} as const;

function numbersOf(budget: ExperimentBudget): Numbers {
  const value = (fact: ExperimentBudget["gpus"]) => (isKnown(fact) ? fact.value : null);
  return {
    prompts: value(budget.promptsPerStep),
    group: value(budget.groupSize),
    steps: value(budget.steps),
    epochs: value(budget.epochs),
    tasks: value(budget.axes.tasks),
    trajectories: value(budget.axes.trajectories),
  };
}

class Plan {
  readonly #edits: PlannedEdit[] = [];
  readonly #remainder: Remainder[] = [];
  readonly #framework: Framework;
  readonly #config: Config;
  readonly #budget: ExperimentBudget;

  constructor(framework: Framework, config: Config, budget: ExperimentBudget) {
    this.#framework = framework;
    this.#config = config;
    this.#budget = budget;
  }

  done(): EditPlan {
    return { edits: this.#edits, remainder: this.#remainder };
  }

  leave(axis: string, from: number | null, to: number, reason: string): void {
    this.#remainder.push({ axis, from, to, reason });
  }

  /** Edits the group size where asked; a batch that counts rollouts follows it so that the prompts per step stay. */
  group(target: BudgetTarget, now: Numbers): number | null {
    const wanted = target.groupSize;
    if (wanted === undefined || wanted === now.group) return now.group;
    const refuse = (reason: string): number | null => {
      this.leave("groupSize", now.group, wanted, reason);
      return now.group;
    };
    const knob = knobsOf(this.#framework.knobs.groupSize).find((one) => one.when?.(this.#config) ?? true);
    if (!knob) return refuse("this framework has no group size to edit");
    const batch = this.#batch();
    const batchNow = batch && this.#valueOf(batch);
    const follows = (group: number): number | null =>
      batchNow == null || now.group === null ? null : (batchNow * group) / now.group;
    const value = this.#lawful(wanted, now, (group) => {
      const next = follows(group);
      return next === null || Number.isInteger(next);
    });
    if (value === null) return refuse("no group size near it satisfies the framework's rules with this batch");
    if (value === now.group) return refuse("the framework's rules leave only the group size that stands there");
    const computed = this.#computesPrompts(knob);
    if (computed !== undefined)
      return refuse(`\`${computed}\` is computed from it, so the prompts per step would change with it`);
    const next = follows(value);
    if (batch && next !== null && !this.#canWrite(batch))
      return refuse(
        `\`${batch.paths[0]}\` counts rollouts and cannot be edited here, so the prompts per step would change`,
      );
    if (
      !this.#write(knob, value, `group size ${now.group ?? "?"} → ${value} rollouts per prompt`, "groupSize", now.group)
    )
      return now.group;
    if (batch && next !== null)
      this.#write(
        batch,
        next,
        `keeps ${now.prompts ?? "the"} prompts per step at ${value} rollouts each`,
        "groupSize",
        null,
      );
    return value;
  }

  /** The batch key that has to follow the group size, where the file states one. */
  #batch(): Knob | undefined {
    return knobsOf(this.#framework.knobs.batch).find(
      (knob) => knob.counts === "rollouts" && (knob.when?.(this.#config) ?? true) && this.#isStated(knob),
    );
  }

  /** A key of the prompts per step whose value is computed from a knob's. */
  #computesPrompts(knob: Knob): string | undefined {
    const spans = this.#found(knob).map((found) => found.node.span);
    for (const site of this.#config.sites) {
      if (site.field !== "promptsPerStep" || knob.paths.includes(site.path)) continue;
      const node = this.#config.peek(site.path)?.node;
      if (node?.kind !== "scalar") continue;
      if (node.from?.some((source) => spans.some((span) => span.start === source.start && span.end === source.end)))
        return site.path;
    }
    return undefined;
  }

  /** The nearest group size that the framework's rules allow. */
  #lawful(wanted: number, now: Numbers, also: (groupSize: number) => boolean): number | null {
    const gpus = isKnown(this.#budget.gpus) ? this.#budget.gpus.value : null;
    const values = (groupSize: number | null) => ({
      promptsPerStep: now.prompts,
      groupSize,
      steps: now.steps,
      epochs: now.epochs,
      gpus,
    });
    // A rule that the file already breaks cannot be asked of a proposal.
    const rules = this.#budget.rules.filter((rule) => rule.holds(values(now.group)) !== false);
    const holds = (groupSize: number) =>
      also(groupSize) && rules.every((rule) => rule.holds(values(groupSize)) !== false);
    for (let step = 0; step <= Math.max(64, wanted); step++) {
      for (const candidate of [wanted + step, wanted - step]) if (candidate >= 1 && holds(candidate)) return candidate;
    }
    return null;
  }

  /** The tasks that the run will have after the edit. */
  tasks(target: BudgetTarget, now: Numbers, options: EditOptions): number | null {
    const wanted = target.tasks;
    if (wanted === undefined || wanted === now.tasks) return now.tasks;
    const knob = this.#framework.knobs.taskLimit;
    const usable = knob && (knob.when?.(this.#config) ?? true) ? knob : undefined;
    if (this.#stepsDraw(wanted, target, now, options.rows ?? (usable ? this.#valueOf(usable) : null))) return wanted;
    if (options.rows !== undefined && wanted > options.rows) {
      const more = `the dataset has ${options.rows} rows: more tasks have to be made or found`;
      if (usable && now.tasks !== null && now.tasks < options.rows && this.#isStated(usable)) {
        this.#write(usable, options.rows, `all ${options.rows} rows of the dataset`, "tasks", now.tasks);
        this.leave("tasks", options.rows, wanted, more);
        return options.rows;
      }
      this.leave("tasks", now.tasks, wanted, more);
      return now.tasks;
    }
    if (options.rows === undefined && now.tasks !== null && wanted > now.tasks) {
      this.leave("tasks", now.tasks, wanted, "whether the dataset has more rows than this is not known here");
      return now.tasks;
    }
    if (!usable || !this.#isStated(usable)) {
      const reason =
        this.#framework.remainders?.tasks ??
        (usable ? `add \`${usable.paths[0]}\` = ${wanted}: this file states no limit yet` : REASONS.tasks);
      this.leave("tasks", now.tasks, wanted, reason);
      return now.tasks;
    }
    return this.#write(usable, wanted, `${wanted} tasks`, "tasks", now.tasks) ? wanted : now.tasks;
  }

  /** Each task is seen once, and the steps end before the rows do: then their number is the number of tasks. */
  #stepsDraw(wanted: number, target: BudgetTarget, now: Numbers, rows: number | null): boolean {
    const knob = this.#active().at(0);
    const once = (target.trajectories ?? now.trajectories ?? Infinity) <= (target.groupSize ?? now.group ?? 0) + 1e-9;
    if (!knob || !once || rows === null || wanted > rows || !this.#endsEarly(now)) return false;
    return this.#canWrite(knob) && !this.#byPasses(knob);
  }

  /** Steps or epochs so that the mean rollouts per task come out as wanted (kept, when only the tasks move). */
  duration(target: BudgetTarget, now: Numbers, group: number | null, tasks: number | null): void {
    if (
      target.trajectories === undefined &&
      now.trajectories === null &&
      group !== null &&
      now.group !== null &&
      group !== now.group
    ) {
      this.#scaled(now.group / group);
      return;
    }
    const wanted =
      target.trajectories ?? (tasks !== now.tasks || group !== now.group ? (now.trajectories ?? undefined) : undefined);
    if (wanted === undefined || group === null) {
      if (target.trajectories !== undefined)
        this.leave(
          "trajectories",
          now.trajectories,
          target.trajectories,
          "the group size is unknown, so the duration cannot be worked out",
        );
      return;
    }
    if (wanted === now.trajectories && group === now.group && tasks === now.tasks) return;
    const passes = wanted / group;
    if (passes < 1) {
      this.leave(
        "trajectories",
        now.trajectories,
        wanted,
        `each task that is seen gets its whole group of ${group} rollouts: fewer need a smaller group size`,
      );
      if (now.trajectories !== null && now.trajectories <= group) return;
    }
    if (passes > 1 && tasks === now.tasks && this.#endsEarly(now) && !this.#byPasses(this.#active()[0])) {
      this.leave(
        "trajectories",
        now.trajectories,
        wanted,
        `the run ends before every task was seen once (${tasks} are): more steps show more tasks first, not more rollouts of each`,
      );
      return;
    }
    const active = this.#active();
    if (active.length === 0) {
      this.leave(
        "trajectories",
        now.trajectories,
        wanted,
        this.#framework.remainders?.trajectories ?? "this file states neither steps nor epochs to edit",
      );
      return;
    }
    const rounds = Math.max(1, passes);
    for (const [index, knob] of active.entries()) {
      const value = this.#durationValue(knob, rounds, now, group, tasks);
      if (value === null) {
        if (index === 0)
          this.leave(
            "trajectories",
            now.trajectories,
            wanted,
            "the number of tasks is unknown, so the steps cannot be worked out",
          );
        continue;
      }
      // A second limit only matters where it would end the run before the first.
      const current = this.#valueOf(knob);
      if (index > 0 && current !== null && current >= value) continue;
      this.#write(knob, value, `${rounded(wanted)} rollouts per task`, "trajectories", now.trajectories);
    }
  }

  /** The tasks are those that the steps draw; the dataset has more. */
  #endsEarly({ steps, prompts, tasks }: Numbers): boolean {
    const fact = this.#budget.axes.tasks;
    return (
      isKnown(fact) &&
      fact.source === "derived" &&
      steps !== null &&
      prompts !== null &&
      tasks === promptsDrawn(steps, prompts)
    );
  }

  /** Passes over the data are what ends the run. */
  #byPasses(knob: Knob | undefined): boolean {
    return knob?.counts === "epochs" && this.#active()[0] === knob && (this.#budget.epochs.value ?? 0) >= 1;
  }

  unit(): Counts | null {
    const [knob] = this.#active();
    return knob === undefined ? null : (knob.counts ?? "steps");
  }

  /** The stated durations, first the one that ends the run: a cap on the steps that the epochs never reach comes last. */
  #active(): Knob[] {
    const stated = this.#framework.knobs.duration.filter(
      (knob) => (knob.when?.(this.#config) ?? true) && this.#isStated(knob),
    );
    const { steps } = this.#budget;
    const idle = (knob: Knob): boolean =>
      knob.counts === "steps" && isKnown(steps) && (this.#valueOf(knob) ?? steps.value) > steps.value;
    if (this.#framework.stepsOverrideEpochs || !stated.some((knob) => knob.counts === "epochs")) return stated;
    return [...stated.filter((knob) => !idle(knob)), ...stated.filter(idle)];
  }

  /** With unknown tasks the rollouts per task still follow group × duration: another group size is made up for by the duration. */
  #scaled(factor: number): void {
    const active = this.#active();
    for (const [index, knob] of active.entries()) {
      const current = this.#valueOf(knob);
      // A second limit only matters where it would end the run before the first.
      if (index > 0 && factor <= 1) continue;
      // Rollouts in all stay the same when the group changes, and so does a duration that counts them.
      if (knob.counts === "rollouts") continue;
      if (current === null) {
        this.leave(
          "trajectories",
          null,
          factor,
          `\`${knob.paths[0]}\` is not known, so it cannot follow the group size`,
        );
        continue;
      }
      this.#write(
        knob,
        Math.max(1, Math.round(current * factor)),
        "keeps the rollouts per task at the new group size",
        "trajectories",
        null,
      );
    }
  }

  #durationValue(knob: Knob, rounds: number, now: Numbers, group: number, tasks: number | null): number | null {
    if (knob.counts === "epochs") {
      // A dropped partial batch makes a pass a little less than one: passes grow by what the rollouts do.
      const { epochs, trajectories } = now;
      const grows = this.#byPasses(knob) && tasks === now.tasks && epochs !== null && trajectories !== null;
      const before = grows && now.group !== null ? trajectories / now.group : 0;
      return Math.max(1, Math.round(before > 0 && epochs !== null ? (epochs * rounds) / before : rounds));
    }
    if (tasks === null || now.prompts === null) return null;
    const steps = Math.max(1, Math.round((rounds * tasks) / now.prompts));
    switch (knob.counts) {
      case "prompts":
        return steps * now.prompts;
      case "rollouts":
        return steps * now.prompts * group;
      default:
        return steps;
    }
  }

  #found(knob: Knob): Found[] {
    return knob.paths
      .map((path) => this.#config.peek(path))
      .filter((found) => found !== undefined)
      .filter((found) => found.node.kind === "unknown" || (found.node.kind === "scalar" && found.node.value !== null));
  }

  #canWrite(knob: Knob): boolean {
    const places = this.#found(knob);
    return places.length > 0 && places.every(({ node }) => canEdit(node));
  }

  #isStated(knob: Knob): boolean {
    return this.#found(knob).some((found) => found.node.kind !== "scalar" || (toNumber(found.node.value) ?? 1) > 0);
  }

  #valueOf(knob: Knob): number | null {
    const node = this.#found(knob)[0]?.node;
    return node?.kind === "scalar" ? (toNumber(node.value) ?? null) : null;
  }

  /** Writes a number to every place of a knob; false when one of them cannot be edited (then none is). */
  #write(knob: Knob, value: number, label: string, axis: string, from: number | null): boolean {
    const places = this.#found(knob);
    for (const { node, path } of places) {
      if (canEdit(node)) continue;
      this.leave(axis, from, value, `\`${path}\` cannot be edited here: ${whyNotEditable(node)}`);
      return false;
    }
    if (places.length === 0) {
      this.leave(axis, from, value, `add \`${knob.paths[0]}\` = ${value}: this file does not state it`);
      return false;
    }
    for (const { node, path } of places) {
      if (node.kind !== "scalar") continue;
      const text = node.text;
      const to = numberLike(text, value);
      if (this.#edits.some((edit) => edit.span.start === node.span.start)) continue;
      this.#edits.push({ path, from: text, to, span: textSpan(node), label: withThose(label, node) });
    }
    return true;
  }
}

function knobsOf(declared: Knob | readonly Knob[] | undefined): readonly Knob[] {
  return declared === undefined ? [] : "paths" in declared ? [declared] : declared;
}

function canEdit(node: TreeNode): boolean {
  return node.kind === "scalar" && node.editable && !node.file;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
