import type { ExperimentBudget, PlannedEdit } from "../budget/budget";
import type { Config } from "../frameworks/reading/read";
import { nameOf } from "../syntax/uris";
import { EXPERIMENT, guarded, keyOf, type Follower } from "../syntax/shared";
import type { ConfigDiagnostic, ConfigVariant } from "../syntax/tree";

/** An experiment under a name that no other of the file has; a name that was written twice is worth a note. */
export function named(
  experiment: ExperimentBudget,
  taken: readonly ExperimentBudget[],
): { readonly budget: ExperimentBudget; readonly note?: ConfigDiagnostic } {
  const { name, anchor } = experiment;
  const free = unused(name, taken);
  if (free === name) return { budget: experiment };
  const message = `Another experiment of this file is named \`${name}\` too; this one is called \`${free}\` here.`;
  return {
    budget: { ...experiment, name: free },
    note: { span: anchor, severity: "warning", code: "budget.same-name", message },
  };
}

/** Keys by which frameworks name a run. */
const RUN_NAMES = [
  "trainer.experiment_name",
  "experiment_name",
  "trainer.run_name",
  "args.run_name",
  "--run_name",
  "run_name",
  "--exp_name",
  "exp_name",
  "--wandb_run_name",
  "wandb.name",
];

/** What an experiment is called: by its round of a sweep, by its run's name where the file starts several, else by the file. */
export function calledBy(config: Config, uri: string, several: boolean): string {
  if (config.variant.name !== null) return config.variant.name;
  const run = several
    ? RUN_NAMES.map((key) => config.textAt(key)).find((name) => name && /^[^$`{}]+$/.test(name))
    : null;
  return run ?? nameOf(uri).replace(/\.\w+$/, "");
}

/** Whether a budget's own numbers stand in this text: of a notebook's cells, in one. */
export function isStatedHere({ sites }: ExperimentBudget): boolean {
  return sites.some(({ field }) => ["promptsPerStep", "groupSize", "steps", "epochs"].includes(field));
}

/** A name that is not taken yet: `x`, then `x (2)`, told apart by their place in the file. */
export function unused(name: string, taken: readonly ExperimentBudget[]): string {
  let number = 2;
  let free = name;
  while (taken.some((one) => one.name === free)) free = `${name} (${number++})`;
  return free;
}

/** For each experiment: what of the others takes its values too, by their place. */
export function takenByOthers(
  experiments: readonly ExperimentBudget[],
  variants: readonly ConfigVariant[] = [],
): readonly ReadonlyMap<string, readonly Follower[]>[] {
  const takers = takersOf(experiments);
  return experiments.map((_, index) => {
    const shared = new Map<string, readonly Follower[]>();
    for (const [key, indices] of takers)
      if (indices.size > 1 && indices.has(index))
        shared.set(
          key,
          [...indices]
            .filter((one) => one !== index)
            .map((one) => ({
              what: `${EXPERIMENT}\`${experiments[one].name}\``,
              // Of the ways to start a script only one is run.
              along: variants[one]?.otherwise === true || variants[index]?.otherwise === true,
            })),
        );
    return shared;
  });
}

/** A variant with such values no longer editable. */
export function apart(variant: ConfigVariant, shared: ReadonlyMap<string, readonly Follower[]>): ConfigVariant {
  return shared.size === 0 ? variant : guarded(variant, (span) => shared.get(keyOf(span)) ?? []);
}

/** The values that several experiments of one tree take, by their place, with the names of all of them. */
export function takenBySeveral(experiments: readonly ExperimentBudget[]): ReadonlyMap<string, readonly Follower[]> {
  const several = [...takersOf(experiments)].filter(([, indices]) => indices.size > 1);
  const what = (index: number) => ({ what: `${EXPERIMENT}\`${experiments[index].name}\`` });
  return new Map(several.map(([key, indices]) => [key, [...indices].map(what)]));
}

function takersOf(experiments: readonly ExperimentBudget[]): ReadonlyMap<string, ReadonlySet<number>> {
  const takers = new Map<string, Set<number>>();
  for (const [index, { sites }] of experiments.entries())
    for (const { valueSpan, editable } of sites) {
      if (!editable) continue;
      const key = keyOf(valueSpan);
      takers.set(key, (takers.get(key) ?? new Set()).add(index));
    }
  return takers;
}

/** Edits after earlier ones: where both change a value, the later counts. */
export function mergeEdits(earlier: readonly PlannedEdit[], later: readonly PlannedEdit[]): readonly PlannedEdit[] {
  return [...earlier.filter(({ span }) => !later.some((one) => one.span.start === span.start)), ...later].sort(
    (a, b) => a.span.start - b.span.start,
  );
}
