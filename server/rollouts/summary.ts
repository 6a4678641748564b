import { findDuplicates, templateOf, type DuplicateRule, type Duplicates, THRESHOLD } from "./duplicates";
import type { Pause } from "./pause";
import type { Origin } from "./fields";
import type { PassRates, RolloutMeasure, SyntheticCount } from "./types";
import type { Tally } from "./tally";

type Reasons = { -readonly [K in keyof RolloutMeasure["reasons"]]: string };

/** Tells repeated tasks, and counts. What a config's data are and what `measure` says of them comes from here. */
export async function measured(
  tally: Tally,
  pause: Pause,
  { duplicates: rule = "char-tfidf", threshold = THRESHOLD }: { duplicates?: DuplicateRule; threshold?: number } = {},
): Promise<Omit<RolloutMeasure, "files" | "notes">> {
  return summarise(tally, await findDuplicates(rule, threshold, tally.taskTexts, tally.taskEmbeddings, pause));
}

/** Counts of a tally once repeated tasks are told. */
export function summarise(tally: Tally, duplicates: Duplicates): Omit<RolloutMeasure, "files" | "notes"> {
  const reasons: Reasons = {};
  const rollouts = tally.cells.length;
  const { without } = tally;
  const representative = (task: number) => (task < 0 ? -1 : duplicates.representative[task]);
  const some = (count: number, what: string) =>
    rollouts === 0
      ? "there are no rollouts"
      : count === rollouts
        ? `no rollout states ${what}`
        : `${count} of ${rollouts} rollouts state no ${what.replace(/^(its|a|an) /, "")}`;

  const taskSet = new Set<number>();
  for (const { task } of tally.cells) if (task >= 0) taskSet.add(representative(task));
  const tasks = taskSet.size > 0 && without.task === 0 ? taskSet.size : null;
  if (tasks === null) reasons.tasks = some(without.task, "its task");
  const environments = tally.environments.length > 0 && without.environment === 0 ? tally.environments.length : null;
  if (environments === null) reasons.environments = some(without.environment, "its environment");
  const worlds = tally.worlds.size > 0 && without.world === 0 ? tally.worlds.size : null;
  if (worlds === null) reasons.worlds = some(without.world, "its world");
  const structures = tally.structures.size > 0 && without.structure === 0 ? tally.structures.size : null;
  if (structures === null) reasons.structures = some(without.structure, "its tools, state or verifier");

  const covered = new Set<string>();
  for (const { task, environment } of tally.cells) if (task >= 0) covered.add(`${representative(task)} ${environment}`);
  const coveredCells = tasks === null ? null : covered.size;
  if (coveredCells === null) reasons.coveredCells = reasons.trajectories = reasons.coverage = reasons.tasks as string;
  else if (environments === null) reasons.coverage = reasons.environments as string;
  const density = densityOf(tally);
  if (typeof density === "string") reasons.rewardDensity = density;
  const passRates = rollouts > 0 && without.reward === 0 ? passRatesOf(tally, representative) : null;
  if (!passRates) reasons.passRates = some(without.reward, "a reward");
  const solved = solvedLists(tally, representative);
  return {
    rollouts,
    tasks,
    templates: tasks === null || tally.textless > 0 ? null : templatesOf(tally.taskTexts, tasks),
    environments,
    worlds,
    structures,
    trajectories: coveredCells ? rollouts / coveredCells : null,
    coveredCells,
    coverage: coveredCells && tasks && environments ? coveredCells / (tasks * environments) : null,
    rewardDensity: typeof density === "number" ? density : null,
    duplicates: {
      rule: duplicates.rule,
      threshold: duplicates.threshold,
      pairs: duplicates.pairs,
      complete: duplicates.complete,
      exact: duplicates.exact,
    },
    reasons,
    synthesis: synthesisOf(tally, [...taskSet]),
    passRates,
    ...solved,
  };
}

/** Distinct templates, at most as many as tasks: those that say the same in other words may have several. */
export function templatesOf(texts: readonly string[], tasks: number): number {
  return Math.min(tasks, new Set(texts.map(templateOf)).size);
}

/** Graded steps over steps at the first training step: later the policy itself changes how long rollouts are. */
function densityOf({ density }: Tally): number | string {
  const steps = [...density.keys()].filter((step) => !Number.isNaN(step));
  const first = density.get(steps.length > 0 ? steps.reduce((a, b) => Math.min(a, b)) : NaN);
  return first && first.turns > 0 && first.graded > 0
    ? first.graded / first.turns
    : "no rollout states its number of steps and a reward";
}

function synthesisOf(tally: Tally, tasks: readonly number[]): RolloutMeasure["synthesis"] {
  const { real, synthetic, methods } = tally.trajectoryOrigins;
  const taskShare = countOrigins(tasks.map((task) => tally.taskOrigins[task]));
  const environmentShare = countOrigins(tally.environments.map(({ origin }) => origin));
  return {
    ...(taskShare ? { tasks: taskShare } : {}),
    ...(environmentShare ? { environments: environmentShare } : {}),
    ...(real + synthetic > 0 && real + synthetic === tally.cells.length
      ? { trajectories: { real, synthetic, methods: Object.fromEntries(methods) } }
      : {}),
  };
}

/** Undefined unless every unit says where it comes from: a share of the ones that do would be another number. */
function countOrigins(origins: readonly (Origin | undefined)[]): SyntheticCount | undefined {
  if (origins.length === 0 || origins.some((origin) => origin === undefined)) return undefined;
  const methods: Record<string, number> = {};
  let synthetic = 0;
  for (const origin of origins) {
    if (!origin?.synthetic) continue;
    synthetic++;
    const method = origin.method ?? "unnamed";
    methods[method] = (methods[method] ?? 0) + 1;
  }
  return { real: origins.length - synthetic, synthetic, methods };
}

function passRatesOf(tally: Tally, representative: (task: number) => number): PassRates {
  const groups = new Map<string, { first: number; same: boolean; size: number }>();
  const byTask = new Map<number, { solved: number; count: number }>();
  for (const { task, step, group, reward, solved } of tally.cells) {
    const own = representative(task);
    if (own >= 0 || group !== undefined) {
      const key = `${step ?? ""}\n${group ?? own}`;
      const held = groups.get(key);
      if (!held) groups.set(key, { first: reward ?? NaN, same: true, size: 1 });
      else {
        held.size++;
        if (reward !== held.first) held.same = false;
      }
    }
    if (own < 0 || solved === undefined) continue;
    const counts = byTask.get(own) ?? { solved: 0, count: 0 };
    byTask.set(own, { solved: counts.solved + Number(solved), count: counts.count + 1 });
  }
  const many = [...groups.values()].filter(({ size }) => size >= 2);
  const withoutSignal = many.filter(({ same }) => same).length;
  const bins = Array.from({ length: 12 }, () => 0);
  for (const { solved, count } of byTask.values()) {
    const rate = solved / count;
    bins[rate === 0 ? 0 : rate === 1 ? 11 : Math.min(10, Math.ceil(rate * 10))]++;
  }
  const edge = (i: number) => Math.round(i * 10) / 100;
  return {
    groups: many.length,
    withoutSignal,
    shareWithoutSignal: many.length > 0 ? withoutSignal / many.length : null,
    meanGroupSize: many.length > 0 ? many.reduce((sum, { size }) => sum + size, 0) / many.length : null,
    histogram: bins.map((count, i) =>
      i === 0
        ? { from: 0, to: 0, tasks: count }
        : i === 11
          ? { from: 1, to: 1, tasks: count }
          : { from: edge(i - 1), to: edge(i), tasks: count },
    ),
  };
}

function solvedLists(
  tally: Tally,
  representative: (task: number) => number,
): Pick<RolloutMeasure, "neverSolved" | "alwaysSolved"> {
  const tasks = new Map<number, { any: boolean; all: boolean }>();
  const environments = new Map<number, { any: boolean; all: boolean }>();
  const take = (into: typeof tasks, key: number, solved: boolean) => {
    const held = into.get(key);
    if (!held) into.set(key, { any: solved, all: solved });
    else {
      held.any ||= solved;
      held.all &&= solved;
    }
  };
  for (const { task, environment, solved } of tally.cells) {
    if (solved === undefined) continue;
    if (task >= 0) take(tasks, representative(task), solved);
    if (environment >= 0) take(environments, environment, solved);
  }
  const named = (
    from: typeof tasks,
    label: (key: number) => string,
    keep: (held: { any: boolean; all: boolean }) => boolean,
  ) => [...from].filter(([, held]) => keep(held)).map(([key]) => label(key));
  const task = (key: number) => tally.taskLabels[key];
  const environment = (key: number) => tally.environments[key].label;
  const never = ({ any }: { any: boolean }) => !any;
  const always = ({ all }: { all: boolean }) => all;
  return {
    neverSolved: { tasks: named(tasks, task, never), environments: named(environments, environment, never) },
    alwaysSolved: { tasks: named(tasks, task, always), environments: named(environments, environment, always) },
  };
}
