import type { Alternative } from "./conditions";
import type { Script, Statement } from "../script";
import { IGNORED } from "./words";

/** Stands for what the launches read. */
export const LAUNCH = "\u0000launch";

/**
 * What a run read on its way: which variables each variable and the launches rest on, and which comparisons with
 * something from outside were met. Of those, only the ones whose branches can change a launch are other ways to start.
 */
export class Trail {
  readonly #noted: (Alternative & { readonly branch: Statement | null })[] = [];
  readonly #reads = new Map<string, Set<string>>();
  #reader: string | null = null;
  #branch: Statement | null = null;

  /** The statement whose condition is being evaluated. */
  get branch(): Statement | null {
    return this.#branch;
  }

  read(name: string): void {
    if (this.#reader === null) return;
    const read = this.#reads.get(this.#reader);
    if (read) read.add(name);
    else this.#reads.set(this.#reader, new Set([name]));
  }

  /** Everything read inside counts as what `reader` rests on. */
  readingFor<Value>(reader: string, run: () => Value): Value {
    const before = this.#reader;
    this.#reader = reader;
    try {
      return run();
    } finally {
      this.#reader = before;
    }
  }

  within<Value>(branch: Statement, run: () => Value): Value {
    const before = this.#branch;
    this.#branch = branch;
    try {
      return run();
    } finally {
      this.#branch = before;
    }
  }

  note(alternatives: readonly Alternative[], branch: Statement | null = this.#branch): void {
    for (const alternative of alternatives) this.#noted.push({ ...alternative, branch });
  }

  alternatives(script: Script): Alternative[] {
    const needed = new Set<string>([LAUNCH]);
    // A set may grow while it is walked: this visits everything that the launches rest on.
    for (const name of needed) for (const other of this.#reads.get(name) ?? []) needed.add(other);
    return this.#noted.filter(({ branch }) => {
      if (branch === null) return true;
      const names = touchedBy(script, branch);
      return names.has(ANY_COMMAND) || [...names].some((name) => needed.has(name));
    });
  }
}

/** Stands for a command that may start or source something. */
const ANY_COMMAND = "\u0000command";
const touched = new WeakMap<Statement, ReadonlySet<string>>();

/** The names that a statement can set, wherever in it; with `ANY_COMMAND` where it can start something. */
function touchedBy(script: Script, statement: Statement): ReadonlySet<string> {
  const known = touched.get(statement);
  if (known) return known;
  const names = new Set<string>();
  const visit = (one: Statement): void => {
    switch (one.kind) {
      case "assign":
        for (const assignment of one.assignments) names.add(assignment.name);
        return;
      case "command": {
        for (const assignment of one.assignments) names.add(assignment.name);
        const word = one.words[0];
        const name = word ? script.text.slice(word.start, word.end) : "";
        if (word && !IGNORED.has(name) && !/^(exit|return|break|continue|shift|\[|test)$/.test(name))
          names.add(ANY_COMMAND);
        for (const found of script.text.slice(one.start, one.end).matchAll(/\$\{(\w+):?=/g)) names.add(found[1]);
        return;
      }
      case "if":
        for (const arm of one.arms) arm.body.forEach(visit);
        return;
      case "case":
        for (const arm of one.arms) arm.body.forEach(visit);
        return;
      case "for":
      case "count":
      case "while":
      case "group":
        one.body.forEach(visit);
        return;
      case "list":
        visit(one.left);
        visit(one.right);
        return;
      case "pipeline":
        one.stages.forEach(visit);
        return;
      case "not":
        visit(one.body);
        return;
      default:
        return;
    }
  };
  visit(statement);
  touched.set(statement, names);
  return names;
}
