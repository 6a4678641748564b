import type { Span } from "../text";
import type { ConfigVariant, MapEntry, MapNode, TreeNode } from "../tree";
import { nodeOf } from "./hydra";
import type { Launch } from "./interpret/launched";
import { shownOf, sliceWord, textOf, type Word } from "./interpret/value";

const OVERRIDE = /^(?:\+\+|\+|~)?[A-Za-z_][\w.\-/@:]*=/;
const DOTTED_OVERRIDE = /^(?:\+\+|\+)?[A-Za-z_][\w-]*(?:[./@][\w-]+)+=/;
const FLAG = /^--?[A-Za-z][\w.\-/]*/;
const WRAPPERS = new Set([
  "env",
  "nohup",
  "time",
  "exec",
  "stdbuf",
  "numactl",
  "sudo",
  "command",
  "xvfb-run",
  "setsid",
  "nice",
]);
/** `${LIST[@]}`, or a name such as `$EXTRA_ARGS`, where it has no value here. */
const UNKNOWN_ARGUMENTS = /^\$(?:\{\w+\[[@*]\]\}|\{?\w*(?:ARGS|ARGUMENTS|OPTS|OPTIONS|FLAGS)\w*\}?)$/i;
/** Programs that train nothing by themselves: without a script among their words they are of no interest. */
const NOT_TRAINING = new Set([
  "srun",
  "ray",
  "docker",
  "kubectl",
  "ssh",
  "scp",
  "rsync",
  "source",
  "sbatch",
  "apptainer",
  "singularity",
  "podman",
  "gcloud",
  "aws",
  "make",
  "nvcc",
  "redis-server",
  "vllm",
  "ollama",
  "pkill",
  "killall",
  "kill",
  "pgrep",
  "xargs",
  "timeout",
]);
/** Subcommands with options of their own before what they run. */
const RUNNERS = new Set(["uv", "poetry", "conda", "pixi", "pdm", "rye", "hatch", "pipenv"]);

/**
 * A started command as config: overrides `a.b=1` in the tree, `--flags` by name. Besides the program's own arguments
 * the flags hold `launcher.NAME` (options of torchrun, accelerate, mason.py, … before the script), `env.NAME`
 * (environment given or exported) and, added by the caller, `sbatch.NAME`.
 */
export function variantsOfLaunch(
  launch: Launch,
  extra: readonly MapEntry[],
  trainers: ReadonlySet<string>,
): Omit<ConfigVariant, "name">[] {
  return commandsIn(launch.words)
    .map((words) => oneVariant(launch, words, extra, trainers))
    .filter((variant) => variant !== undefined);
}

/** `mason.py … -- source x && python y`: the commands that really run, each with the words of its launcher before it. */
function commandsIn(words: readonly Word[]): { readonly launcher: readonly Word[]; readonly words: readonly Word[] }[] {
  const dashes = words.findIndex(
    (word, index) =>
      index > 0 &&
      textOf(word) === "--" &&
      words
        .slice(index + 1)
        .some((next) => /(^|\/)(python[\d.]*|torchrun|accelerate|deepspeed|bash|uv)$|\.py$|^-m$/.test(textOf(next))),
  );
  const launcher = dashes > 0 ? words.slice(0, dashes) : [];
  const rest = dashes > 0 ? words.slice(dashes + 1) : words;
  const commands: Word[][] = [[]];
  for (const word of rest) {
    if (/^(&&|;|\|\||\|)$/.test(textOf(word))) commands.push([]);
    else commands[commands.length - 1].push(word);
  }
  return commands.filter((command) => command.length > 0).map((command) => ({ launcher, words: command }));
}

function oneVariant(
  launch: Launch,
  { launcher, words }: { readonly launcher: readonly Word[]; readonly words: readonly Word[] },
  extra: readonly MapEntry[],
  trainers: ReadonlySet<string>,
): Omit<ConfigVariant, "name"> | undefined {
  const environment: MapEntry[] = [...launch.environment].map(([name, word]) =>
    entry(`env.${name}`, launch.span, nodeOf(word, launch.span, false)),
  );
  let start = 0;
  while (start < words.length) {
    const text = textOf(words[start]);
    const assigned = /^([A-Za-z_]\w*)=/.exec(text);
    if (assigned && !/\.py$/.test(text))
      environment.push(
        entry(
          `env.${assigned[1]}`,
          launch.span,
          nodeOf(sliceWord(words[start], assigned[0].length), launch.span, false),
        ),
      );
    else if (!WRAPPERS.has(text) && !(start > 0 && /^-/.test(text) && WRAPPERS.has(textOf(words[start - 1])))) break;
    start++;
    // `env -u NAME`: the option's value.
    if (/^-u$/.test(textOf(words[start] ?? []))) start += 2;
  }
  const own = words.slice(start);
  if (own.length === 0) return undefined;
  const program = shownOf(own[0]);
  const { target, before, after } = findTarget(own, trainers);
  const builder = new OverrideTree();
  if (target === null && NOT_TRAINING.has(program)) return undefined;
  const launcherFlags: MapEntry[] = [];
  // The launcher's options and the runner's are read apart: the last of the one takes no words of the other.
  for (const launching of [launcher.slice(1), before]) {
    const options = launching.filter((word) => {
      const assigned = /^([A-Za-z_]\w*)=/.exec(textOf(word));
      if (assigned)
        environment.push(
          entry(`env.${assigned[1]}`, launch.span, nodeOf(sliceWord(word, assigned[0].length), launch.span, false)),
        );
      return !assigned;
    });
    readArguments(options, launch.span, new OverrideTree(), (name, keySpan, value) =>
      launcherFlags.push(entry(`launcher.${name}`, keySpan, value)),
    );
  }
  const flags: MapEntry[] = [...environment, ...extra, ...launcherFlags];
  const positional = readArguments(after, launch.span, builder, (name, keySpan, value) =>
    flags.push(entry(name, keySpan, value)),
  );
  if (target === null && positional.length === 0 && flags.length === 0) return undefined;
  return {
    root: builder.build(launch.span),
    flags: { kind: "map", entries: flags, span: launch.span },
    command: { program, target, positional, span: launch.span },
    anchor: launch.span,
  };
}

function entry(key: string, keySpan: Span, value: TreeNode): MapEntry {
  return { key, keySpan, value };
}

function findTarget(
  words: readonly Word[],
  trainers: ReadonlySet<string>,
): {
  target: string | null;
  before: readonly Word[];
  after: readonly Word[];
} {
  // Programs that are their own trainer: a `.py` among their words is a plugin.
  if (trainers.has(textOf(words[0]).replace(/^.*\//, ""))) return { target: null, before: [], after: words.slice(1) };
  for (let i = 0; i < words.length; i++) {
    const text = shownOf(words[i]);
    if ((text === "-m" || text === "--module") && i > 0 && words[i + 1])
      return { target: shownOf(words[i + 1]), before: words.slice(1, i), after: words.slice(i + 2) };
    if (/\.py$/.test(text) && !/^-/.test(text) && !/=/.test(text))
      return { target: text, before: words.slice(1, i), after: words.slice(i + 1) };
  }
  let from = 0;
  if (RUNNERS.has(textOf(words[0]))) {
    // `uv run --extra x rl @ config.toml`: options of the runner take a value unless a flag or the program follows.
    from = 1;
    while (from < words.length && !/^run$/.test(textOf(words[from]))) from++;
    from++;
    while (from < words.length && /^-/.test(textOf(words[from])))
      from += /^--(extra|env-file|with|group|project|directory|python|package|no-default-groups?)$/.test(
        textOf(words[from]),
      )
        ? 2
        : 1;
  }
  return {
    target: from > 0 && words[from] ? shownOf(words[from]) : null,
    before: words.slice(1, Math.max(1, from)),
    after: words.slice(from > 0 ? from + 1 : 1),
  };
}

function readArguments(
  words: readonly Word[],
  place: Span,
  overrides: OverrideTree,
  flag: (name: string, keySpan: Span, value: TreeNode) => void,
): string[] {
  const positional: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const text = textOf(word);
    const where = placeOf(word) ?? place;
    const flagName = FLAG.exec(text)?.[0];
    if (flagName && !/^-\d/.test(text)) {
      const name = flagName.replace(/^--?/, "").replaceAll("_", "-");
      if (text[flagName.length] === "=") {
        flag(name, where, nodeOf(sliceWord(word, flagName.length + 1), where, false));
        continue;
      }
      const values: Word[] = [];
      while (i + 1 < words.length && isValue(words[i + 1], values.length)) values.push(words[++i]);
      flag(name, where, flagValue(values, where));
      continue;
    }
    if (OVERRIDE.test(text)) {
      overrides.add(word, where);
      continue;
    }
    if (/^~[\w.]+$/.test(text)) {
      overrides.remove(text.slice(1), where);
      continue;
    }
    const shown = shownOf(word);
    if (shown.trim() !== "") positional.push(shown);
  }
  return positional;
}

function isValue(word: Word, already: number): boolean {
  const text = textOf(word);
  if (/^--?[A-Za-z]/.test(text) || text === "--") return false;
  if (DOTTED_OVERRIDE.test(text)) return false;
  // `--switch ${MORE_ARGS[@]}`: arguments that are not known are no value of what stands before them.
  if (text === "" && UNKNOWN_ARGUMENTS.test(shownOf(word))) return false;
  return already === 0 || !OVERRIDE.test(text);
}

function flagValue(values: readonly Word[], where: Span): TreeNode {
  if (values.length === 0)
    return {
      kind: "scalar",
      value: true,
      text: "",
      span: where,
      editable: false,
      whyNot: "it is a switch without a value",
    };
  const nodes = values.map((value) => nodeOf(value, placeOf(value) ?? where, false));
  return nodes.length === 1
    ? nodes[0]
    : {
        kind: "list",
        items: nodes,
        span: { start: nodes[0].span.start, end: Math.max(...nodes.map((node) => node.span.end)) },
      };
}

/** Where a word stands in the document, when its pieces stand side by side. */
function placeOf(word: Word): Span | undefined {
  const first = word.find((segment) => segment.span && !segment.file);
  if (!first?.span) return undefined;
  return { start: first.span.start, end: first.span.end };
}

interface Branch {
  readonly keySpan: Span;
  children?: Map<string, Branch>;
  value?: TreeNode;
}

/** Hydra's overrides by their dotted path; a later one replaces an earlier. */
class OverrideTree {
  readonly #root: Branch = { keySpan: { start: 0, end: 0 }, children: new Map() };

  add(word: Word, where: Span): void {
    const text = textOf(word);
    const cut = text.indexOf("=");
    const first = sliceWord(word, 0, cut);
    const keySpan = placeOf(first) ?? where;
    this.#set(text.slice(0, cut).replace(/^(\+\+|\+|~)/, ""), keySpan, nodeOf(sliceWord(word, cut + 1), where, true));
  }

  remove(path: string, where: Span): void {
    this.#set(path, where, {
      kind: "scalar",
      value: null,
      text: "",
      span: where,
      via: "removed with ~",
      editable: false,
      whyNot: "it is removed with ~",
    });
  }

  #set(path: string, keySpan: Span, value: TreeNode): void {
    const segments = path.split(".");
    if (segments.length > 40) return;
    let branch = this.#root;
    for (const [index, segment] of segments.entries()) {
      branch.children ??= new Map();
      delete branch.value;
      const last = index === segments.length - 1;
      const next = branch.children.get(segment);
      if (last || !next) branch.children.set(segment, last ? { keySpan, value } : { keySpan });
      branch = branch.children.get(segment) ?? branch;
    }
  }

  build(span: Span): MapNode {
    return buildMap(this.#root, span);
  }
}

function buildMap(branch: Branch, span: Span): MapNode {
  const entries = [...(branch.children ?? [])].map(([key, child]): MapEntry => ({
    key,
    keySpan: child.keySpan,
    value: child.value ?? buildMap(child, span),
  }));
  return { kind: "map", entries, span };
}
