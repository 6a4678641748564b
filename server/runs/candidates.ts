import type { RunMetric } from "../core/table";
import { keyMatcher, matcher } from "./glob";
import { familyOfName, isAccuracyLike, isFormLike, meaningOf } from "./metricNames";
import { SUCCESS_KEYS, type SuccessKey } from "./successKeys";

export const KEYS = SUCCESS_KEYS.map((entry) => ({ entry, test: keyMatcher(entry.glob) }));

/** A star at the beginning of a training key takes in no evaluation. */
export function fits(
  entry: SuccessKey,
  test: (name: string) => unknown,
  name: string,
  on: string | undefined,
): boolean {
  return test(name) !== undefined && !(entry.glob.startsWith("*") && entry.on === "training" && on === "evaluation");
}

/** Metrics of a log that may say how well its run did, by their names alone. */
export interface Candidate {
  readonly on: RunMetric["on"];
  readonly tells: RunMetric["tells"];
  readonly keys: readonly string[];
  readonly reason: string;
  /** The lower, the better a witness. */
  readonly rank: readonly number[];
  /** Beside a key that counts successes: the one that counts trials. */
  readonly trials?: string;
  /** Why it is none, whatever its values. */
  readonly refused?: string;
}

const TELLS = ["success", "score", "reward"] as const;

/** Names that were last asked for: the logs of one folder mostly have the same. */
const REMEMBERED = 64;
const LONGEST = 20_000;
const last = new Map<string, readonly Candidate[]>();

/**
 * Metrics that may say how well a run did, the best witness first.
 * @param names as logged, sorted
 * @param metric the user's own, a glob
 * @param nameOf what a logged name is called
 */
export function candidatesOf(
  names: readonly string[],
  metric: string | undefined,
  framework: string | undefined,
  nameOf: (key: string) => string,
): readonly Candidate[] {
  const key = JSON.stringify([names.map(nameOf), names, metric, framework]);
  const before = last.get(key);
  if (before) return before;
  const found = candidatesAmong(names, metric, framework, nameOf);
  if (key.length > LONGEST) return found;
  if (last.size >= REMEMBERED) last.clear();
  last.set(key, found);
  return found;
}

function candidatesAmong(
  names: readonly string[],
  metric: string | undefined,
  framework: string | undefined,
  nameOf: (key: string) => string,
): Candidate[] {
  if (metric !== undefined) {
    const own = matcher(metric);
    const keys = names.filter((key) => own(key) || own(nameOf(key)));
    const meaning = keys.length > 0 ? meaningOf(nameOf(keys[0]).toLowerCase()) : undefined;
    const listed = keys.length > 0 ? KEYS.find(({ test }) => test(nameOf(keys[0])) !== undefined)?.entry : undefined;
    const tells = listed?.tells ?? meaning?.tells ?? "success";
    return keys.length > 0 ? [{ on: "stated", tells, keys, reason: `named as metric: ${metric}`, rank: [] }] : [];
  }
  const candidates: Candidate[] = [];
  const [successes, trials] = ["successes", "trials"].map((ours) => names.find((key) => nameOf(key) === ours));
  if (successes !== undefined && trials !== undefined)
    candidates.push({
      on: "evaluation",
      tells: "success",
      keys: [successes],
      trials,
      reason: "successes and trials are counted",
      rank: [-1],
    });
  const taken = new Set<string>();
  for (const [at, { entry, test }] of KEYS.entries()) {
    const matching = names.flatMap((key) => {
      const name = nameOf(key);
      const stars = test(name);
      return stars && fits(entry, test, name, meaningOf(name)?.on) ? [{ key, stars }] : [];
    });
    if (matching.length === 0) continue;
    for (const { key } of matching) taken.add(key);
    const isOwn = framework !== undefined && entry.frameworks.includes(framework);
    const isAnyones = entry.frameworks.length === 0 || framework === undefined;
    const who = isOwn ? `${framework}'s` : entry.frameworks.length === 0 ? "a usual" : `${entry.frameworks[0]}'s`;
    const found = ofFunctions(entry, overMostSamples(entry.glob, matching));
    candidates.push({
      on: entry.on,
      ...found,
      reason: `${who} ${kindName(entry.on, found.tells)}`,
      rank: rankOf(entry.on, found.tells, isOwn ? 0 : isAnyones ? 1 : 2, at),
    });
  }
  candidates.push(
    ...byName(
      names.filter((key) => !taken.has(key)),
      nameOf,
    ),
  );
  const functions = rewardFunctions(names.map(nameOf));
  return candidates
    .map((each) =>
      isSum(each, nameOf) && functions > 1 ? { ...each, refused: `the sum of ${functions} reward functions` } : each,
    )
    .sort((a, b) => compared(a.rank, b.rank));
}

function rankOf(on: "evaluation" | "training", tells: RunMetric["tells"], whose: number, at: number): number[] {
  return [on === "evaluation" ? 0 : 1, TELLS.indexOf(tells), whose, at];
}

function kindName(on: "evaluation" | "training", tells: RunMetric["tells"]): string {
  return `name of the ${tells === "success" ? "success rate" : tells} ${on === "evaluation" ? "of evaluations" : "of training rollouts"}`;
}

function compared(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++)
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
  return 0;
}

/** Names that no sheet lists and that say by themselves what they are: one candidate for each pattern over datasets. */
function byName(names: readonly string[], nameOf: (key: string) => string): Candidate[] {
  const groups = new Map<string, { keys: string[]; meaning: NonNullable<ReturnType<typeof meaningOf>> }>();
  for (const key of names) {
    const name = nameOf(key);
    const parts = name.split("/");
    const isUsual = [parts[0], parts[parts.length - 1]].every((part) => part === part.toLowerCase());
    const meaning = isUsual ? meaningOf(name) : undefined;
    if (!meaning) continue;
    const family = familyOfName(name);
    const held = groups.get(family);
    if (held) held.keys.push(key);
    else groups.set(family, { keys: [key], meaning });
  }
  return [...groups.values()].map(({ keys, meaning: { on, tells, explicit } }) => ({
    on,
    tells,
    keys,
    reason: `no framework's name; it reads as a ${tells === "success" ? "success rate" : tells} ${on === "evaluation" ? "of evaluations" : "of training rollouts"}`,
    // The overall figure, of the shorter name, comes before the parts.
    rank: rankOf(on, tells, explicit ? 3 : 4, keys[0].split("/").length),
  }));
}

/** `eval_rewards/accuracy/mean` beside `eval_rewards/format/mean`: of several reward functions the one for a right answer. */
function ofFunctions(
  entry: SuccessKey,
  matching: readonly { readonly key: string; readonly stars: readonly string[] }[],
): Pick<Candidate, "keys" | "tells" | "refused"> {
  const keys = matching.map(({ key }) => key);
  if (!/rewards\/\*\//.test(entry.glob)) return { keys, tells: entry.tells };
  const right = matching.filter(({ stars }) => isAccuracyLike(stars[0].toLowerCase()));
  if (right.length > 0) return { keys: right.map(({ key }) => key), tells: "success" };
  const content = matching.filter(({ stars }) => !isFormLike(stars[0]));
  if (content.length === 1) return { keys: [content[0].key], tells: entry.tells };
  if (matching.length === 1 && content.length === 0)
    return { keys, tells: entry.tells, refused: "it rewards the form of an answer, not its success" };
  return {
    keys,
    tells: entry.tells,
    refused: `there are ${matching.length} reward functions, and none of them says that it is the success; name one as metric`,
  };
}

function isSum({ keys }: Candidate, nameOf: (key: string) => string): boolean {
  return keys.length === 1 && /^((eval|train)[_/])?reward$/.test(nameOf(keys[0]));
}

function rewardFunctions(names: readonly string[]): number {
  return new Set(names.flatMap((name) => /^(?:(?:eval|train)[_/])?rewards\/([^/]+)\/mean$/.exec(name)?.[1] ?? [])).size;
}

/** Of `…/mean@1` and `…/mean@8` for one dataset, the one over more samples; every dataset counts once. */
function overMostSamples(
  glob: string,
  matching: readonly { readonly key: string; readonly stars: readonly string[] }[],
): readonly { readonly key: string; readonly stars: readonly string[] }[] {
  if (!glob.endsWith("@*")) return matching;
  const bySource = new Map<string, { key: string; stars: readonly string[]; n: number }>();
  for (const { key, stars } of matching) {
    const n = Number(stars[stars.length - 1]);
    const source = stars.slice(0, -1).join("|");
    const held = bySource.get(source);
    if (!held || n > held.n) bySource.set(source, { key, stars, n });
  }
  return [...bySource.values()];
}
