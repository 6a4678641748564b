import { ruleProblems } from "../../budget/rules";
import { count } from "../../core/numbers";
import { isKnown, known, unknown } from "../../budget/budget";
import type { BudgetField, ExperimentBudget, Fact, FieldSite, FrameworkRule, SynthesisPlan } from "../../budget/budget";
import { tokensAtMost } from "../../frameworks/reading/derive";
import { modelSize } from "../../budget/modelName";
import { EMPTY_MAP, entryOf } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, MapNode, ScalarNode, SyntaxDocument, TreeNode } from "../../syntax/tree";
import { named } from "../shared";
import { checkShape } from "../schema/check";
import { BUDGET_KEYS, docAt } from "../schema/describe";
import type { QuantityRules, ReadQuantity } from "../schema/reader";
import { factOf, Reader } from "../schema/reader";
import { statedWorth } from "../schema/stated";
import { nativeCost, type NativeReads } from "./cost";
import { nativeSpend } from "./spend";
import { partsOf } from "./parts";
import { budgetSchema, DESIGNS, REWARD_SCHEMES, SYNTHESIS_AXES } from "../schema/schema";

const COUNT: QuantityRules = { atLeast: 1, whole: true };
const AMOUNT: QuantityRules = { atLeast: 1 };
const SHARE: QuantityRules = { above: 0, atMost: 1 };

/** Algorithms that compare the rollouts of one prompt with one another. */
const GROUP_RELATIVE = /^(?:dr[-_.]?)?(?:grpo|gspo|rloo|dapo|gigpo|cispo)/i;

export interface NativeReading {
  readonly experiments: readonly ExperimentBudget[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** Reads a `*.budget.*` file: each document, or each of its `experiments`, is one experiment. */
export function readNativeBudget(syntax: SyntaxDocument, fallbackName: string): NativeReading {
  const diagnostics: ConfigDiagnostic[] = [];
  const experiments: ExperimentBudget[] = [];
  for (const variant of syntax.variants) {
    diagnostics.push(...checkShape(budgetSchema, variant.root, (path) => docsUnder(path)));
    for (const part of partsOf(variant)) {
      const fallback =
        part.name ?? (experiments.length === 0 ? fallbackName : `${fallbackName} ${experiments.length + 1}`);
      const read = new NativeExperiment(part.root, part.anchor, fallback);
      const { budget, note } = named(read.budget(), experiments);
      experiments.push(budget);
      diagnostics.push(...read.diagnostics, ...ruleProblems(budget, part.anchor), ...(note ? [note] : []));
    }
  }
  return { experiments, diagnostics: unique(diagnostics) };
}

/** One experiment of a budget again, with some of its scalars changed: what it would say after an edit, without another parse. */
export function readNativeAgain(
  syntax: SyntaxDocument,
  anchor: Span,
  change: (node: ScalarNode) => ScalarNode,
): ExperimentBudget | null {
  const changed = <Node extends TreeNode>(node: Node): Node => {
    if (node.kind === "map")
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: changed(entry.value) })) };
    if (node.kind === "list") return { ...node, items: node.items.map(changed) };
    return node.kind === "scalar" ? ({ ...change(node) } as Node) : node;
  };
  for (const variant of syntax.variants) {
    const part = partsOf(variant).find((one) => one.anchor.start === anchor.start && one.anchor.end === anchor.end);
    if (part) return new NativeExperiment(changed(part.root), part.anchor, part.name ?? "").budget();
  }
  return null;
}

function docsUnder(path: readonly string[]): readonly string[] {
  const docs = path.length === 0 ? BUDGET_KEYS : (docAt(BUDGET_KEYS, path)?.children ?? []);
  return docs.map((doc) => doc.key);
}

/** The same finding in keys shared by several experiments is said once. */
function unique(diagnostics: readonly ConfigDiagnostic[]): readonly ConfigDiagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter((one) => {
    const key = `${one.span.start}:${one.span.end}:${one.code}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

class NativeExperiment {
  readonly #reader = new Reader();
  readonly #sites: FieldSite[] = [];
  readonly #root: MapNode;
  readonly #anchor: Span;
  readonly #fallbackName: string;

  constructor(root: MapNode, anchor: Span, fallbackName: string) {
    this.#root = root;
    this.#anchor = anchor;
    this.#fallbackName = fallbackName;
  }

  get diagnostics(): readonly ConfigDiagnostic[] {
    return this.#reader.diagnostics;
  }

  budget(): ExperimentBudget {
    const split = this.#section("budget");
    if (entryOf(this.#root, "budget") === undefined) {
      this.#reader.report(
        this.#anchor,
        "budget.missing",
        "The section `budget` is missing: it says how many tasks, environments and trajectories there are.",
        "warning",
      );
    }
    const axis = (field: BudgetField, key: string, unit: string, rules: QuantityRules): Fact<number> =>
      this.#fact(split, "budget", field, key, unit, rules);
    const promptsPerStep = axis("promptsPerStep", "prompts_per_step", "prompts per step", COUNT);
    const groupSize = axis("groupSize", "group_size", "rollouts per prompt", COUNT);
    const statedSteps = axis("steps", "steps", "training steps", COUNT);
    const epochs = axis("epochs", "epochs", "passes over the tasks", { above: 0 });
    const statedTasks = axis("tasks", "tasks", "unique tasks", COUNT);
    const steps = stepsOf(statedSteps, epochs, statedTasks, promptsPerStep);
    const tasks = seenTasks(statedTasks, steps, promptsPerStep);
    const statedTrajectories = axis("trajectories", "trajectories", "rollouts per task × environment cell", AMOUNT);
    const environments = axis("environments", "environments", "distinct environments", COUNT);
    const worlds = axis("worlds", "worlds", "distinct worlds", COUNT);
    const structures = axis("structures", "structures", "distinct structures", COUNT);
    this.#oneDiversity(split);
    const maxPromptTokens = this.#fact(this.#root, "", "maxPromptTokens", "max_prompt_tokens", "tokens", COUNT);
    const limit = (map: MapNode | undefined, prefix: string, key: string): Fact<number> =>
      this.#fact(map, prefix, "maxResponseTokens", key, "tokens per rollout", COUNT);
    const within = this.#reader.map(entryOf(this.#root, "tokens")?.value);
    const inTokens = limit(within, "tokens", "response_max");
    const own = limit(this.#root, "", "max_response_tokens");
    const maxResponseTokens = isKnown(own) || !isKnown(inTokens) ? own : inTokens;
    const reads: NativeReads = {
      reader: this.#reader,
      root: this.#root,
      fact: this.#fact.bind(this),
      site: this.#site.bind(this),
    };
    const cost = nativeCost(reads);
    const maxTurns = this.#fact(this.#root, "", "maxTurns", "max_turns", "turns", COUNT);
    const statedTokens = this.#fact(
      this.#root,
      "",
      "tokensPerTrajectory",
      "tokens_per_trajectory",
      "tokens per rollout",
      AMOUNT,
    );
    const algorithm = this.#word(this.#root, "", "algorithm", "algorithm");
    const spend = nativeSpend(reads);
    const design = this.#design();
    this.#wholeGroups(groupSize, statedTrajectories);
    if (!(isKnown(design) && design.value === "factorial"))
      this.#oneBill(tasks, statedTrajectories, [steps, promptsPerStep, groupSize]);
    return {
      name: this.#reader.text(this.#root, "name")?.value ?? this.#fallbackName,
      anchor: this.#anchor,
      model: this.#model(),
      axes: {
        tasks,
        environments,
        worlds,
        structures,
        trajectories: trajectoriesOf(statedTrajectories, groupSize, steps, promptsPerStep, tasks),
        rewardDensity: axis("rewardDensity", "reward_density", "share of steps with a graded reward", SHARE),
      },
      promptsPerStep,
      groupSize,
      steps,
      epochs,
      maxPromptTokens,
      maxResponseTokens,
      responseScope: "trajectory",
      maxTurns,
      gpus: this.#fact(this.#root, "", "gpus", "gpus", "GPUs", COUNT),
      algorithm,
      spend,
      cost,
      tokensPerTrajectory: isKnown(statedTokens)
        ? statedTokens
        : cost.promptTokens && cost.responseTokens
          ? meanTokens(cost.promptTokens, cost.responseTokens)
          : isKnown(maxResponseTokens)
            ? tokensAtMost(maxPromptTokens, maxResponseTokens, maxTurns, "trajectory")
            : statedTokens,
      domain: this.#word(this.#root, "", "domain", "domain"),
      rewardScheme: this.#oneOf(split, "budget", "rewardScheme", "reward_scheme", REWARD_SCHEMES),
      design,
      coverage: this.#fact(this.#root, "", "coverage", "coverage", "share of cells", SHARE),
      owned: this.#owned(),
      synthesis: this.#synthesis({
        tasks: statedTasks,
        environments,
        worlds,
        structures,
        trajectories: statedTrajectories,
      }),
      sites: this.#sites,
      rules: isKnown(algorithm) && GROUP_RELATIVE.test(algorithm.value) ? [groupRule(algorithm.value)] : [],
    };
  }

  #section(key: string): MapNode | undefined {
    const node = entryOf(this.#root, key)?.value;
    return node === undefined ? undefined : (this.#reader.map(node) ?? EMPTY_MAP);
  }

  /** Remembers where a field stands, whether or not its value can be read: hovers work on a broken value too. */
  #site(map: MapNode | undefined, prefix: string, field: BudgetField, key: string, unit: string): void {
    const entry = map === undefined ? undefined : entryOf(map, key);
    if (entry === undefined) return;
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const node = entry.value;
    const editable = node.kind === "scalar" && node.editable && node.file === undefined;
    const whyNot =
      node.kind === "scalar" ? node.whyNot : node.kind === "unknown" ? node.reason : "it is not a single value";
    this.#sites.push({
      field,
      path,
      unit,
      keySpan: entry.keySpan,
      valueSpan: node.span,
      help: docAt(BUDGET_KEYS, path.split("."))?.description ?? "",
      editable,
      ...(editable || whyNot === undefined ? {} : { whyNot }),
    });
  }

  #fact(
    map: MapNode | undefined,
    prefix: string,
    field: BudgetField,
    key: string,
    unit: string,
    rules: QuantityRules,
  ): Fact<number> {
    this.#site(map, prefix, field, key, unit);
    return factOf(this.#reader.quantity(map, key, rules), this.#reasonFor(map, prefix, key));
  }

  #word(map: MapNode | undefined, prefix: string, field: BudgetField, key: string): Fact<string> {
    this.#site(map, prefix, field, key, "name");
    const found = this.#reader.text(map, key);
    return found === undefined
      ? unknown(this.#reasonFor(map, prefix, key))
      : known(found.value, "config", { span: found.node.span });
  }

  #oneOf<Word extends string>(
    map: MapNode | undefined,
    prefix: string,
    field: BudgetField,
    key: string,
    words: readonly Word[],
  ): Fact<Word> {
    this.#site(map, prefix, field, key, words.join(", "));
    const found = this.#reader.word(map, key, words);
    return found === undefined
      ? unknown(this.#reasonFor(map, prefix, key))
      : known(found.value, "config", { span: found.node.span });
  }

  #reasonFor(map: MapNode | undefined, prefix: string, key: string): string {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const node = map === undefined ? undefined : entryOf(map, key)?.value;
    if (node === undefined) return `this budget does not state \`${path}\``;
    return node.kind === "unknown" ? node.reason : `\`${path}\` cannot be read as a value`;
  }

  /** Rollouts counted in two ways have to be one number, or there would be two bills. */
  #oneBill(tasks: Fact<number>, trajectories: Fact<number>, parts: readonly Fact<number>[]): void {
    if (!isKnown(tasks) || !isKnown(trajectories) || trajectories.span === undefined) return;
    if (!parts.every((part) => isKnown(part))) return;
    const trained = parts.reduce((product, part) => product * (part.value ?? NaN), 1);
    const counted = tasks.value * trajectories.value;
    if (Math.abs(trained / counted - 1) <= 0.01) return;
    this.#reader.report(
      trajectories.span,
      "budget.rollouts",
      `steps × prompts per step × group size come to ${count(trained)} rollouts, but tasks × trajectories to ${count(counted)}: leave one of them out, or make them agree.`,
      "error",
    );
  }

  /** Each task is rolled out by whole groups: fewer rollouts per task than one group cannot be. */
  #wholeGroups(group: Fact<number>, trajectories: Fact<number>): void {
    if (!isKnown(group) || !isKnown(trajectories) || group.value <= trajectories.value || !group.span) return;
    this.#reader.report(
      group.span,
      "budget.rollouts",
      `A group is ${count(group.value)} rollouts of one task, but \`trajectories\` says ${count(trajectories.value)} per task: make the group smaller or the rollouts per task at least ${count(group.value)}.`,
      "warning",
    );
  }

  #model(): ExperimentBudget["model"] {
    const name = this.#word(this.#root, "", "model", "model");
    const size = isKnown(name)
      ? modelSize(name.value)
      : { parameters: unknown(name.reason), activeParameters: unknown(name.reason) };
    const stated = this.#fact(this.#root, "", "parameters", "parameters", "parameters", { above: 0 });
    const active = this.#fact(this.#root, "", "activeParameters", "active_parameters", "parameters", { above: 0 });
    const parameters = isKnown(stated) ? stated : size.parameters;
    const sameAsAll =
      isKnown(stated) && !isKnown(size.activeParameters)
        ? known(stated.value, "derived", { note: "no active part is stated, so all are taken as active" })
        : size.activeParameters;
    const mixture =
      isKnown(size.activeParameters) && isKnown(size.parameters) && size.activeParameters.value < size.parameters.value;
    const activeParameters = isKnown(active)
      ? active
      : isKnown(stated) && !mixture
        ? known(stated.value, "derived", { note: "no active part is stated, so all are taken as active" })
        : sameAsAll;
    return { name, parameters, activeParameters };
  }

  #design(): Fact<(typeof DESIGNS)[number]> {
    const design = this.#oneOf(this.#root, "", "design", "design", DESIGNS);
    if (!isKnown(design) && entryOf(this.#root, "design") === undefined) {
      const split = entryOf(this.#root, "budget");
      this.#reader.report(
        split?.keySpan ?? this.#anchor,
        "budget.missing",
        "`design` is not stated: whether tasks are `nested` in environments or crossed with them (`factorial`) decides what each costs.",
        "information",
      );
    }
    return design;
  }

  /** Environments are counted as pairs of world and structure: stating both would count them twice. */
  #oneDiversity(split: MapNode | undefined): void {
    if (split === undefined || entryOf(split, "environments") === undefined) return;
    for (const key of ["worlds", "structures"]) {
      const entry = entryOf(split, key);
      if (entry !== undefined)
        this.#reader.report(
          entry.keySpan,
          "budget.value",
          "State either `environments`, or `worlds` and `structures`: together they would be counted twice.",
          "warning",
        );
    }
  }

  #owned(): Readonly<Partial<Record<string, number>>> {
    const map = this.#section("owned");
    const result: Record<string, number> = {};
    for (const key of ["tasks", "environments", "worlds", "structures"]) {
      const read = this.#reader.quantity(map, key, { atLeast: 0 });
      if (read !== undefined) result[key] = read.value;
    }
    return result;
  }

  #synthesis(
    totals: Readonly<Record<(typeof SYNTHESIS_AXES)[number], Fact<number>>>,
  ): Readonly<Partial<Record<string, SynthesisPlan>>> {
    const section = this.#section("synthesis");
    const result: Record<string, SynthesisPlan> = {};
    for (const axis of SYNTHESIS_AXES) {
      const entry = this.#reader.entry(section, axis);
      const plan = this.#reader.map(entry?.value);
      if (entry === undefined || plan === undefined) continue;
      const amount = (key: string): ReadQuantity | undefined => this.#reader.quantity(plan, key, { atLeast: 0 });
      const real = factOf(amount("real"), this.#reasonFor(plan, `synthesis.${axis}`, "real"));
      const synthetic = factOf(amount("synthetic"), this.#reasonFor(plan, `synthesis.${axis}`, "synthetic"));
      const total = totals[axis];
      if (
        isKnown(real) &&
        isKnown(synthetic) &&
        isKnown(total) &&
        total.source === "config" &&
        real.value + synthetic.value !== total.value &&
        axis !== "trajectories"
      ) {
        this.#reader.report(
          entry.keySpan,
          "budget.value",
          `Real and synthetic ${axis} are ${real.value + synthetic.value} together, but \`budget.${axis}\` is ${total.value}.`,
          "warning",
        );
      }
      result[axis] = {
        method: this.#reader.text(plan, "method")?.value ?? "unnamed",
        real,
        synthetic,
        ...statedWorth(this.#reader, plan),
        span: entry.keySpan,
      };
    }
    return result;
  }
}

function stepsOf(stated: Fact<number>, epochs: Fact<number>, tasks: Fact<number>, prompts: Fact<number>): Fact<number> {
  if (isKnown(stated) || !isKnown(epochs) || !isKnown(tasks) || !isKnown(prompts)) return stated;
  return known(Math.ceil((epochs.value * tasks.value) / prompts.value), "derived", {
    note: `${epochs.value} × ${tasks.value} tasks / ${prompts.value} prompts per step`,
  });
}

function meanTokens(prompt: Fact<number>, response: Fact<number>): Fact<number> {
  if (!isKnown(prompt) || !isKnown(response)) return isKnown(prompt) ? response : prompt;
  return known(prompt.value + response.value, "config", {
    ...(response.span === undefined ? {} : { span: response.span }),
    note: `prompt ${prompt.value} + response ${response.value}`,
  });
}

/** The tasks axis is what is seen: min(D_T, S·P). */
function seenTasks(stated: Fact<number>, steps: Fact<number>, prompts: Fact<number>): Fact<number> {
  if (!isKnown(stated) || !isKnown(steps) || !isKnown(prompts)) return stated;
  const drawn = steps.value * prompts.value;
  if (drawn >= stated.value) return stated;
  return known(drawn, "derived", {
    ...(stated.span === undefined ? {} : { span: stated.span }),
    note: `steps × prompts: only ${drawn} of ${stated.value} tasks are ever seen`,
  });
}

function trajectoriesOf(
  stated: Fact<number>,
  group: Fact<number>,
  steps: Fact<number>,
  prompts: Fact<number>,
  tasks: Fact<number>,
): Fact<number> {
  if (isKnown(stated) || !isKnown(group) || !isKnown(steps) || !isKnown(prompts) || !isKnown(tasks)) return stated;
  return known((group.value * steps.value * prompts.value) / tasks.value, "derived", {
    note: `n·S·P / D_T = ${group.value} × ${steps.value} × ${prompts.value} / ${tasks.value}`,
  });
}

/** The one rule of a native budget. */
export function groupRule(algorithm: string): FrameworkRule {
  return {
    id: "native.group-of-two",
    code: "group.too-small",
    message: `${algorithm} compares the rollouts of one prompt: the group size must be at least 2.`,
    holds: (values) => (values.groupSize === null ? null : values.groupSize >= 2),
  };
}
