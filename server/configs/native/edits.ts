import { isKnown } from "../../budget/budget";
import type {
  BudgetField,
  BudgetTarget,
  EditPlan,
  ExperimentBudget,
  Fact,
  FieldSite,
  PlannedEdit,
  Remainder,
} from "../../budget/budget";
import { innerSpan, rewriteNumber } from "../../syntax/quantity/rewrite";
import type { Span } from "../../syntax/text";
import type { MapNode, ScalarNode, SyntaxDocument } from "../../syntax/tree";

const AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"] as const;
type Axis = (typeof AXES)[number];

const NOUNS: Readonly<Record<Axis, string>> = {
  tasks: "tasks",
  environments: "environments",
  worlds: "worlds",
  structures: "structures",
  trajectories: "rollouts per cell",
  parameters: "parameters",
};

/**
 * From an optimum to splices of a native budget. Values that the file does not state become a remainder that says what to add; a
 * value that already stands there is among the edits.
 */
export function planNativeEdits(
  text: string,
  syntax: SyntaxDocument,
  experiment: ExperimentBudget,
  target: BudgetTarget,
): EditPlan {
  const plan = new NativePlan(text, syntax, experiment, target);
  for (const axis of AXES) {
    const to = target[axis];
    if (to !== undefined) plan.axis(axis, to);
  }
  for (const axis of AXES) {
    const parts = target.synthesis?.[axis];
    if (parts) plan.splitSynthesis(axis, parts);
  }
  if (target.groupSize !== undefined)
    plan.write("groupSize", experiment.groupSize, target.groupSize, "group size", "budget.group_size");
  plan.keepDuration(target);
  return plan.done();
}

/** `epochs` where the rollouts per cell follow from them, null where they are stated themselves. */
export function nativeDurationUnit({ epochs, groupSize, sites }: ExperimentBudget): "epochs" | null {
  const stated = sites.some(({ field, valueSpan }) => field === "trajectories" && valueSpan.end > valueSpan.start);
  return !stated && isKnown(epochs) && epochs.source === "config" && isKnown(groupSize) ? "epochs" : null;
}

class NativePlan {
  readonly #text: string;
  readonly #target: BudgetTarget;
  readonly #syntax: SyntaxDocument;
  readonly #experiment: ExperimentBudget;
  readonly #edits: PlannedEdit[] = [];
  readonly #remainder: Remainder[] = [];

  constructor(text: string, syntax: SyntaxDocument, experiment: ExperimentBudget, target: BudgetTarget) {
    this.#target = target;
    this.#text = text;
    this.#syntax = syntax;
    this.#experiment = experiment;
  }

  done(): EditPlan {
    return { edits: [...this.#edits].sort((a, b) => a.span.start - b.span.start), remainder: this.#remainder };
  }

  axis(axis: Axis, to: number): void {
    const fact = axis === "parameters" ? this.#experiment.model.parameters : this.#experiment.axes[axis];
    if (isKnown(fact) && fact.value === to && fact.source !== "derived") return;
    if (axis === "parameters" && this.#site("parameters") === undefined) {
      this.#leave(axis, fact, to, "the size comes from the model's name: choose another model, or state `parameters`");
      return;
    }
    if (axis === "trajectories" && this.#site("trajectories") === undefined && this.#throughEpochs(to)) return;
    const written = this.write(axis, fact, to, NOUNS[axis], axis === "parameters" ? "parameters" : `budget.${axis}`);
    if (written && !this.#target.synthesis?.[axis]) this.#keepMix(axis, to);
  }

  write(
    field: BudgetField & (Axis | "groupSize" | "steps" | "epochs"),
    fact: Fact<number>,
    to: number,
    noun: string,
    path: string,
  ): boolean {
    const site = this.#site(field);
    if (site === undefined) {
      this.#leave(field, fact, to, `this file does not state \`${path}\`: add it with the value ${to}`);
      return false;
    }
    if (!site.editable) {
      this.#leave(field, fact, to, `\`${site.path}\` cannot be edited here: ${site.whyNot ?? "it is computed"}`);
      return false;
    }
    this.#splice(site.path, site.valueSpan, to, `${noun} ${isKnown(fact) ? `${fact.value} → ` : ""}${to}`);
    return true;
  }

  /** Where steps, prompts per step and group size are all stated, the steps follow the total number of rollouts. */
  keepDuration(target: BudgetTarget): void {
    const { promptsPerStep, groupSize, steps, axes } = this.#experiment;
    if (target.tasks === undefined && target.trajectories === undefined && target.groupSize === undefined) return;
    if (!isKnown(steps) || steps.source !== "config" || !isKnown(promptsPerStep) || !isKnown(groupSize)) return;
    const tasks = target.tasks ?? (isKnown(axes.tasks) ? axes.tasks.value : null);
    const trajectories = target.trajectories ?? (isKnown(axes.trajectories) ? axes.trajectories.value : null);
    if (tasks === null || trajectories === null) return;
    const group = target.groupSize ?? groupSize.value;
    // Fewer steps than one pass would leave tasks that no step draws.
    const wanted = Math.max(1, Math.ceil((tasks * Math.max(trajectories, group)) / (promptsPerStep.value * group)));
    if (wanted !== steps.value) this.write("steps", steps, wanted, "steps", "budget.steps");
  }

  #throughEpochs(to: number): boolean {
    const { epochs, groupSize } = this.#experiment;
    if (!isKnown(epochs) || epochs.source !== "config" || !isKnown(groupSize)) return false;
    return this.write("epochs", epochs, Math.max(1, Math.round(to / groupSize.value)), "epochs", "budget.epochs");
  }

  /** Real and synthetic units add up to the total: both move, and their ratio stays. */
  #keepMix(axis: Axis, to: number): void {
    const plan = this.#experiment.synthesis[axis];
    if (plan === undefined || !isKnown(plan.real) || !isKnown(plan.synthetic)) return;
    const total = plan.real.value + plan.synthetic.value;
    if (total <= 0 || total === to) return;
    const real = Math.min(to, Math.max(plan.real.value > 0 ? 1 : 0, Math.round((to * plan.real.value) / total)));
    this.#part(axis, "real", plan.real, real, ", at the same mix");
    this.#part(axis, "synthetic", plan.synthetic, to - real, ", at the same mix");
  }

  /** The mix itself moves. */
  splitSynthesis(axis: Axis, { real, synthetic }: { readonly real: number; readonly synthetic: number }): void {
    const plan = this.#experiment.synthesis[axis];
    if (plan === undefined) return;
    this.#part(axis, "real", plan.real, real, "");
    this.#part(axis, "synthetic", plan.synthetic, synthetic, "");
  }

  #part(axis: Axis, kind: "real" | "synthetic", fact: Fact<number>, to: number, how: string): void {
    if (!isKnown(fact) || fact.value === to) return;
    if (fact.span === undefined) {
      this.#leave(axis, fact, to, `the ${kind} ${NOUNS[axis]} are stated outside this file`);
      return;
    }
    const node = this.#scalarAt(fact.span);
    if (node === undefined || !node.editable) {
      this.#leave(axis, fact, to, `\`synthesis.${axis}.${kind}\` cannot be edited here`);
      return;
    }
    this.#splice(`synthesis.${axis}.${kind}`, node.span, to, `${kind} ${NOUNS[axis]} ${fact.value} → ${to}${how}`);
  }

  #splice(path: string, valueSpan: Span, to: number, label: string): void {
    const span = innerSpan(this.#text, valueSpan);
    const from = this.#text.slice(span.start, span.end);
    const rewritten = rewriteNumber(from, to);
    if (this.#edits.some((edit) => edit.span.start === span.start)) return;
    this.#edits.push({
      path,
      from,
      to: rewritten.text,
      span,
      label: rewritten.note === undefined ? label : `${label} (${rewritten.note})`,
    });
  }

  #leave(axis: string, fact: Fact<number>, to: number, reason: string): void {
    this.#remainder.push({ axis, from: isKnown(fact) ? fact.value : null, to, reason });
  }

  /** The site that counts: of several with one name, the last. An empty value is no place to write to. */
  #site(field: BudgetField): FieldSite | undefined {
    return this.#experiment.sites
      .filter((site) => site.field === field && site.valueSpan.end > site.valueSpan.start)
      .at(-1);
  }

  #scalarAt(span: Span): ScalarNode | undefined {
    for (const variant of this.#syntax.variants) {
      const found = find(variant.root, span);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function find(map: MapNode, span: Span): ScalarNode | undefined {
  for (const { value } of map.entries) {
    if (value.kind === "scalar" && value.span.start === span.start && value.span.end === span.end) return value;
    const inner =
      value.kind === "map" ? [value] : value.kind === "list" ? value.items.filter((item) => item.kind === "map") : [];
    for (const child of inner) {
      const found = find(child, span);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
